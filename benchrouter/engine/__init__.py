"""The only code that talks to Docker."""
