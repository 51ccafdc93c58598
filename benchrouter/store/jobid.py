"""The identity of a job: structured, never parsed back from a name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class JobId:
    """One task of one benchmark against one model, and one repeat (0 for the first)."""

    benchmark: str
    task: str
    model: str
    repeat: int = 0

    def __str__(self) -> str:
        suffix = f"#{self.repeat}" if self.repeat else ""
        return f"{self.benchmark}/{self.task}@{self.model}{suffix}"
