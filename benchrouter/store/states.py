"""The closed lists: states of a job and of a run, and why a job failed (design: section 5)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from benchrouter.store.items import ItemCounts


class JobState(Enum):
    """State of one job; the value is what is written to disk."""

    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"

    @property
    def style(self) -> str:
        """Name the rich style in which a terminal shows the state."""
        return {"COMPLETED": "green", "FAILED": "red", "RUNNING": "cyan"}.get(self.value, "dim")


class RunState(Enum):
    """State of one run: all, some or none of its jobs completed."""

    COMPLETED = "COMPLETED"
    PARTIAL = "PARTIAL"
    FAILED = "FAILED"

    @classmethod
    def of(cls, states: Iterable[JobState]) -> RunState:
        """Sum up jobs: COMPLETED when all are, FAILED when none is (or there are none), else PARTIAL."""
        done = [state is JobState.COMPLETED for state in states]
        if done and all(done):
            return cls.COMPLETED
        return cls.PARTIAL if any(done) else cls.FAILED


class Reason(Enum):
    """Why a job failed: (word on disk, one line for people, infrastructure?, retried within a run?)."""

    EXIT_CODE = ("exit_code", "the command ended with a status other than 0", False, False)
    TIMEOUT = ("timeout", "the command ran longer than its timeout", False, False)
    OOM = ("oom", "the container ran out of its memory limit", False, False)
    NO_RESULT = ("no_result", "the command ended with 0 but wrote no result file", False, False)
    INVALID_RESULT = ("invalid_result", "the result file holds no valid score", False, False)
    IMAGE_MISSING = ("image_missing", "an image that the task needs cannot be had", True, True)
    IMAGE_BUILD = ("image_build", "the environment's image does not build", True, False)
    SIDECAR = ("sidecar", "a sidecar did not start or died", True, True)
    ENGINE = ("engine", "the container engine failed", True, True)
    DISK = ("disk", "no space left for the job", True, False)
    ENDPOINT = ("endpoint", "the model's endpoint failed", True, True)
    UNSUPPORTED = ("unsupported", "the task asks for something that is not available here", True, False)
    CANCELLED = ("cancelled", "the job was interrupted, or its inputs changed under it", True, False)

    def __init__(self, word: str, description: str, infrastructure: bool, retried: bool) -> None:
        self.word = word
        self.description = description
        self.infrastructure = infrastructure
        self.retried = retried

    @classmethod
    def of(cls, word: str) -> Reason:
        """Find a reason by its word on disk; raise ValueError for an unknown one."""
        for reason in cls:
            if reason.word == word:
                return reason
        raise ValueError(f"unknown reason {word!r}")


@dataclass(frozen=True)
class Outcome:
    """How one attempt of a job ended.

    `overall` is the score in 0..1 of a COMPLETED job, else None; `detail` is one line for people;
    `seconds` is wall time of the attempt; `log_tail` is the end of its log (redacted), for the reporter;
    `path` is where the artifacts lie. `final` means that this run does not try again, whatever the reason.
    `items` counts those of a COMPLETED job that wrote any.
    """

    state: JobState
    reason: Reason | None = None
    detail: str = ""
    overall: float | None = None
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0
    log_tail: str = ""
    path: str = ""
    final: bool = False
    items: ItemCounts | None = None

    @property
    def completed(self) -> bool:
        """Tell whether the attempt produced a valid score."""
        return self.state is JobState.COMPLETED
