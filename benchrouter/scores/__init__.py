"""From results to scores: aggregate, coverage, tables."""
