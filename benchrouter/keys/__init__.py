"""Content keys: tree hashing, the stat cache that keeps it cheap, canonical keys."""
