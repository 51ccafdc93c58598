"""BenchRouter from Python: the functions that `import benchrouter` offers, each importing late."""
