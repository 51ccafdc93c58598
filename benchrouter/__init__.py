"""BenchRouter: runs LLM benchmarks exactly as their authors wrote them, and only what has to run."""

__version__ = "0.5.0"

CONTRACT = 1
"""Version of the contract with a task; part of every job's key, raised only when results could change."""
