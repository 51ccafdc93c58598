"""Who is asked: resolving a model name, preflight, embedded endpoints."""
