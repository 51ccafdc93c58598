"""The one name of nltk that the evaluators of WebArena use."""
