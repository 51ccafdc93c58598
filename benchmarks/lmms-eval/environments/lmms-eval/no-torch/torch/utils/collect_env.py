def get_pretty_env_info():
    return "no torch"
