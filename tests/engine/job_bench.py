"""A small bench for jobs: one task directory, one workspace, one engine, a request for each test."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchrouter.engine.client import Engine
from benchrouter.jobs.executor import EngineExecutor
from benchrouter.jobs.request import DataVolume, JobRequest
from benchrouter.models.model import Model
from benchrouter.spec.settings import Site, SiteLimits
from benchrouter.spec.task import Task
from benchrouter.store.jobid import JobId
from benchrouter.store.states import Outcome
from benchrouter.store.workspace import Workspace

MIB = 1 << 20
FIELDS = ("model", "variables", "pass_env", "seed", "changed", "inputs", "images", "environment", "neighbours")
LIMITS = SiteLimits(free_disk=MIB, memory=512 * MIB, cpus=2.0)


@dataclass
class JobBench:
    """Runs commands as jobs of the real executor; `said` collects what the progress heard."""

    engine: Engine
    root: Path
    image: str
    site: Site = field(default_factory=lambda: Site(limits=LIMITS))
    model: Model = field(default_factory=lambda: Model("m", "m-id"))
    said: list[str] = field(default_factory=list)
    run_id: str = "run-1"

    def __post_init__(self) -> None:
        self.task_dir = self.root / "benchmarks" / "b" / "t"
        self.task_dir.mkdir(parents=True, exist_ok=True)
        self.workspace = Workspace(self.root).ensure()
        self.executor = EngineExecutor(self.engine, self.workspace, self.site, owner="pid=1")

    def request(self, command: str, *, name: str = "t", key: str = "k1", **options: Any) -> JobRequest:
        fields = {
            name: options.pop(name)
            for name in (*FIELDS, "image_tag", "endpoint", "volumes")
            if name in options
        }
        if "volumes" in fields:  # `data` is the task's own word for them
            fields["data"] = fields.pop("volumes")
        given: dict[str, Any] = {
            "image_tag": self.image,
            "model": self.model,
            "endpoint": "http://127.0.0.1:9/v1",
            **fields,
        }
        return JobRequest(
            id=JobId("b", name, given["model"].name, options.pop("index", 0)),
            key=key,
            run_id=self.run_id,
            task=Task("T", command, **options),
            tree=self.task_dir,
            benchmark_root=self.task_dir.parent,
            **given,
        )

    def run(self, command: str, *, cancelled: threading.Event | None = None, **options: Any) -> Outcome:
        request = self.request(command, **options)
        return self.executor.run(request, self.said.append, cancelled or threading.Event())


def two_volumes(root: Path) -> tuple[DataVolume, DataVolume]:
    """Make a data volume to read and one to write to, as USE_VOLUMES does."""
    for name in ("hub", "out"):
        (root / "data" / name).mkdir(parents=True)
    (root / "data" / "hub" / "fact").write_text("6 x 7\n")
    hub, out = (DataVolume(name, root / "data" / name, f"/data/{name}", name == "out") for name in ("hub", "out"))
    return hub, out


USE_VOLUMES = "set -e; cat /data/hub/fact > /data/out/copy; ! touch /data/hub/new 2> /data/out/said"


def check_volumes(root: Path) -> None:
    """See what USE_VOLUMES did: read the one, wrote to the other, and could not write to the first."""
    assert (root / "data" / "out" / "copy").read_text() == "6 x 7\n"
    assert "Read-only file system" in (root / "data" / "out" / "said").read_text()
    assert [path.name for path in (root / "data" / "hub").iterdir()] == ["fact"]


def document(outcome: Outcome, name: str) -> dict[str, Any]:
    """Read one of the documents of an artifact."""
    return dict(json.loads((Path(outcome.path) / name).read_text()))


def text(outcome: Outcome, name: str) -> str:
    """Read a text file of an artifact."""
    return (Path(outcome.path) / name).read_bytes().decode()
