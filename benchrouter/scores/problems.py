"""The error of this floor."""

from __future__ import annotations

from benchrouter.store.problems import StoreError


class ScoresError(StoreError):
    """What was asked for is not among the results on disk; the text says what was found, and what there is instead."""
