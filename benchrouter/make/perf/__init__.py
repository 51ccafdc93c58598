"""Benchmarks of speed: ratios within one run, never absolute times."""
