class Module:
    """lmms-eval's model classes are derived from it."""
