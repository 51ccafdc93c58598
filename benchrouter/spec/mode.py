"""In which mode a task is executed; task.yaml alone decides it."""

from __future__ import annotations

from enum import Enum


class Mode(Enum):
    """How a task's container is surrounded: (word, one line for people)."""

    SIMPLE = ("simple", "one container")
    COMPOSE = ("compose", "one container with sidecars beside it")
    DIND = ("dind", "one container with a Docker daemon of its own")
    COMPOSE_DIND = ("compose+dind", "a Docker daemon of its own, and sidecars beside it")

    def __init__(self, word: str, description: str) -> None:
        self.word = word
        self.description = description


def mode_of(*, docker: bool, sidecars: bool) -> Mode:
    """Tell the mode of a task with `docker: true` or not, with `sidecars:` or not."""
    if docker:
        return Mode.COMPOSE_DIND if sidecars else Mode.DIND
    return Mode.COMPOSE if sidecars else Mode.SIMPLE
