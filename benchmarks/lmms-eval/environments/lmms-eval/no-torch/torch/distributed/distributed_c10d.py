default_pg_timeout = None
