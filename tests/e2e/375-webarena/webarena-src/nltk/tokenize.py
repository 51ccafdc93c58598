"""Takes a text apart where the data for it is there, and says otherwise what nltk says."""

from pathlib import Path


def word_tokenize(text):
    if Path("no-punkt").exists():
        raise LookupError("Resource punkt not found.")
    return text.split()
