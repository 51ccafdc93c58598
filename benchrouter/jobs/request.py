"""What an executor is asked to do, and the seam at which another one could stand."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from benchrouter.models.model import Model
from benchrouter.spec.task import Task
from benchrouter.store.jobid import JobId
from benchrouter.store.states import Outcome


def _unchanged() -> str | None:
    return None


@dataclass(frozen=True)
class DataVolume:
    """A data volume as a job gets it: its name, its directory here (None where it is only rendered), its mount."""

    name: str
    source: Path | None
    target: str
    writable: bool = False


@dataclass(frozen=True)
class JobRequest:
    """One attempt of one job.

    `tree` is what gets mounted: the task's directory, or a copy with links materialised. `seed` is the task's or
    the run's, before the repeat index is added. `images` maps each further image that the task uses, as it writes
    it (`benchrouter-env-<environment>` for what a sidecar builds), to the name that the engine has it under.
    `environment` is the name of the environment that `image_tag` is of. `neighbours` are images that other tasks of
    the run preload into daemons of that environment, by the engine's names.
    `pass_env` holds values, which are never recorded. `inputs` is what made the key (for job.json), `provenance`
    what may differ between identical runs. `changed` is asked before the artifact is published: it names what
    changed under the job, or returns None when its inputs are as they were. `replace` puts the new artifact in the
    place of a valid one of the same key.
    """

    id: JobId
    key: str
    run_id: str
    task: Task
    tree: Path
    benchmark_root: Path
    image_tag: str
    model: Model
    endpoint: str
    environment: str = ""
    images: Mapping[str, str] = field(default_factory=dict)
    neighbours: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    pass_env: Mapping[str, str] = field(default_factory=dict, repr=False)
    data: tuple[DataVolume, ...] = ()
    seed: int | None = None
    inputs: Mapping[str, Any] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    changed: Callable[[], str | None] = _unchanged
    replace: bool = False


Progress = Callable[[str], None]
"""Hears the last line of output, redacted and printable, a few times a second, in the thread of the job."""


class Executor(Protocol):
    """Runs one attempt of a job, wherever that is."""

    def run(self, request: JobRequest, progress: Progress, cancelled: threading.Event) -> Outcome:
        """Run one attempt to its end; what goes wrong with it is part of the Outcome, never an exception."""

    def close(self) -> None:
        """Let go of what the jobs of the run shared."""
