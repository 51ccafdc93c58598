"""Seeds that were typed: results under one are of another ask, as those under other variables are (pure)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def typed_seed(seed: Any, task: Any) -> Any:
    """Give a seed that was typed; None for that of task.yaml, which was another one before an edit.

    `seed` and `task` are those of what made a job's key.
    """
    return None if isinstance(task, Mapping) and seed == task.get("seed") else seed
