"""The image in which jobs of the engine tests have a Docker daemon of their own."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from job_bench import MIB, JobBench

from benchrouter.engine.bootstrap import bootstrap, stand_in_name
from benchrouter.engine.client import Engine
from benchrouter.engine.images import inspect_image
from benchrouter.spec.settings import Site, SiteLimits

_REF = "benchrouter.test/dind:1"
GOOD = """echo '{"overall": 0.5}' > /app/results/result.json"""


def dind_image(engine: Engine) -> str:
    """Debian with Docker in it; made once and kept."""
    name = stand_in_name(_REF)
    if inspect_image(engine, name) is None:
        packages = ("docker.io", "iptables", "curl")
        bootstrap(engine, _REF, packages=packages, suite="bookworm", cancelled=threading.Event())
    return name


class DindBench(JobBench):
    """Runs commands as jobs with a daemon of their own."""

    def run(self, command: str, **options: Any) -> Any:
        options.setdefault("docker", True)
        return super().run(command, **options)


def bench_in(engine: Engine, root: Path, image: str) -> DindBench:
    """Make a bench whose jobs have room for a daemon."""
    limits = SiteLimits(free_disk=MIB, dind_memory=2048 * MIB, cpus=2.0)
    return DindBench(engine, root, image, Site(limits=limits))
