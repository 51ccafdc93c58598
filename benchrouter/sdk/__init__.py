"""Mounted into containers at /app/benchrouter/sdk: standard library only, Python 3.7 and up."""
