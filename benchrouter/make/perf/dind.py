"""Eight jobs that share a large image, against eight daemons that load it each for themselves."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchrouter.engine.client import Engine
from benchrouter.engine.dind.daemons import planned_choice
from benchrouter.jobs.render_dind import rights_options
from benchrouter.make.perf.containers import seconds_of
from benchrouter.make.workspace_files import write_workspace_files

JOBS = 8
ROUNDS = 3
_PACKAGES = "docker.io iptables"
_ENVIRONMENT = f"""\
FROM debian:bookworm-slim
RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \\
    {_PACKAGES} >/dev/null && rm -rf /var/lib/apt/lists/*
"""
_LARGE = """\
FROM benchrouter-env-daemon
RUN head -c 200M /dev/urandom >/random && cp -a /usr/share /copy
"""
# What is on the storage's own file system is what this job has written; a seed is another one.
_SCRIPT = """\
written=$(du -sxm /var/lib/docker | cut -f 1)
docker image inspect benchrouter-env-large:latest >/dev/null || exit 1
printf '{"overall": 1, "written": %s}' "$written" >"$BENCHROUTER_OUTPUT_DIR/result.json"
"""
_BY_HAND = """\
for hierarchy in /sys/fs/cgroup/*/; do mount -o remount,bind,rw "$hierarchy" 2>/dev/null; done
dockerd >/dev/null 2>&1 &
until docker version >/dev/null 2>&1; do sleep 0.1; done
docker load -q -i /images.tar >/dev/null
du -sxm /var/lib/docker | cut -f 1
"""


def write_workspace(root: Path, local: Path) -> None:
    """Write a benchmark whose tasks preload a large image; `local` holds the site's aliases, if there are any."""
    home = root / "benchmarks" / "daemons"
    for name, text in (("daemon", _ENVIRONMENT), ("large", _LARGE)):
        (home / "environments" / name).mkdir(parents=True)
        (home / "environments" / name / "Dockerfile").write_text(text)
    write_workspace_files(root, local)
    names = [f"t{number}" for number in range(JOBS)]
    listed = "".join(f"  - {{name: {name}, environment: daemon}}\n" for name in names)
    (home / "benchmark.yaml").write_text(f"name: daemons\ntasks:\n{listed}")
    for name in names:
        (home / name).mkdir()
        (home / name / "task.yaml").write_text(
            f"name: {name}\ncommand: sh run.sh\ndocker: true\ndocker_images: [benchrouter-env-large]\n"
        )
        (home / name / "run.sh").write_text(_SCRIPT)


def ours(root: Path, number: int) -> tuple[float, float]:
    """Run all jobs anew; return seconds from start to end of the command, and MB that their daemons wrote."""
    seconds = seconds_of(root, JOBS, number)
    written = [
        float(json.loads(path.read_text())["raw_metrics"]["written"])
        for path in root.glob("results/daemons/m/*/*/result.json")
        if path.stat().st_mtime > time.time() - seconds
    ]
    if len(written) != JOBS:
        raise RuntimeError(f"{len(written)} of {JOBS} jobs left a result")
    return seconds, sum(written)


def forget_seeds(root: Path) -> None:
    """Let the next run make its seed."""
    shutil.rmtree(root / "cache" / "seeds")


class ByHand:
    """Eight daemons that load the large image from one archive, all at once."""

    def __init__(self, root: Path, images: tuple[str, str]) -> None:
        self._environment, large = images
        self._archive = root / "images.tar"
        subprocess.run(["docker", "save", "-o", self._archive, self._environment, large], check=True)
        engine = Engine.connect()
        try:
            self._rights = " ".join(rights_options(planned_choice(engine.info).privileges)).split()
        finally:
            engine.close()

    def load(self) -> tuple[float, float]:
        """Return seconds until the last has loaded, and MB that all have written."""
        began = time.perf_counter()
        with ThreadPoolExecutor(JOBS) as pool:
            written = sum(pool.map(lambda _: self._one(), range(JOBS)))
        return time.perf_counter() - began, written

    def _one(self) -> float:
        command = ["docker", "run", "--rm", *self._rights, "--entrypoint", "/bin/sh", "-v", "/var/lib/docker"]
        command += ["-v", f"{self._archive}:/images.tar:ro", self._environment, "-c", _BY_HAND]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"a daemon by hand ended with {done.returncode}: {done.stderr.strip()[-500:]}")
        return float(done.stdout.strip())


def images_of(root: Path) -> tuple[str, str]:
    """Name the images of the two environments, as the plan does."""
    import os

    from benchrouter.make.session import Session

    before = Path.cwd()
    os.chdir(root)
    try:
        images = Session.begin({"model": "m"}, environ={}).graph.images
        return images["image:daemons/daemon"].tag, images["image:daemons/large"].tag
    finally:
        os.chdir(before)
