"""A doit backend that stores nothing: the artifacts on disk are the truth, doit's database is not."""

from __future__ import annotations

from typing import Any


class NoDatabase:
    """The small class that doit asks for; every task is new to it, our own checks decide what is up to date."""

    desc = "stores nothing"

    def __init__(self, name: str, codec: object, module_name: str | None = None) -> None:
        self.name = name

    def get(self, task_id: str, dependency: str) -> None:
        """Remember nothing."""

    def set(self, task_id: str, dependency: str, value: Any) -> None:
        """Store nothing."""

    def in_(self, task_id: str) -> bool:
        """Know no task."""
        return False

    def remove(self, task_id: str) -> None:
        """Have nothing to remove."""

    def remove_all(self) -> None:
        """Have nothing to remove."""

    def dump(self) -> None:
        """Write nothing."""
