"""Eight jobs with one healthy sidecar each, against the same eight brought up by hand in parallel."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

from benchrouter.engine.compose import find_compose
from benchrouter.make.perf.containers import seconds_of
from benchrouter.make.workspace_files import write_workspace_files

JOBS = 8
ROUNDS = 5
SCRIPT = 'echo \'{"overall": 1}\' >"$BENCHROUTER_OUTPUT_DIR/result.json"\n'
SERVICE = {
    "command": ["sh", "-c", "touch /tmp/ready; exec sleep 600"],
    "healthcheck": {"test": "test -e /tmp/ready", "interval": "0.5s", "timeout": "5s", "retries": 60},
}


def write_workspace(root: Path, local: Path) -> None:
    """Write one benchmark of trivial tasks beside a sidecar; `local` holds the site's aliases, if there are any."""
    home = root / "benchmarks" / "beside"
    environment = home / "environments" / "beside"
    environment.mkdir(parents=True)
    write_workspace_files(root, local)
    (environment / "Dockerfile").write_text("FROM debian:bookworm-slim\n")
    names = [f"t{number}" for number in range(JOBS)]
    (home / "benchmark.yaml").write_text("name: beside\ntasks:\n" + "".join(f"  - name: {n}\n" for n in names))
    sidecars = json.dumps([{"name": "db", "build": "beside", **SERVICE}])
    for name in names:
        (home / name).mkdir()
        (home / name / "task.yaml").write_text(f"name: {name}\ncommand: sh run.sh\nsidecars: {sidecars}\n")
        (home / name / "run.sh").write_text(SCRIPT)


def ours(root: Path, number: int) -> float:
    """Run all jobs anew; return seconds from start to end of the command."""
    return seconds_of(root, JOBS, number)


def by_hand(root: Path, image: str) -> float:
    """Bring the same services up, run the same containers beside them, take all down; return seconds."""
    out = root / "by-hand"
    shutil.rmtree(out, ignore_errors=True)
    compose = " ".join(find_compose(os.environ).argv)
    (root / "compose.yaml").write_text(json.dumps({"services": {"db": {"image": image, **SERVICE}}}))
    project = f"{compose} -p perf-{os.getpid()}-{{}} -f compose.yaml"
    run = (
        f"docker run --rm --network perf-{os.getpid()}-{{}}_default --entrypoint /bin/sh --workdir /app/benchmark "
        f"-v '{root}/benchmarks/beside/{{}}:/app/benchmark:ro' -v '{out}/{{}}:/app/results' "
        f"-e BENCHROUTER_OUTPUT_DIR=/app/results {image} -c 'sh run.sh'"
    )
    script = f"{project} up -d --wait && {run}; {project} down -v -t 0"
    names = [f"t{number}" for number in range(JOBS)]
    for name in names:
        (out / name).mkdir(parents=True)
    began = time.perf_counter()
    subprocess.run(
        ["xargs", f"-P{JOBS}", "-I{}", "sh", "-c", script],
        input="\n".join(names),
        text=True,
        check=True,
        cwd=root,
        capture_output=True,
    )
    seconds = time.perf_counter() - began
    written = len(list(out.glob("*/result.json")))
    if written != JOBS:
        raise RuntimeError(f"by hand, {written} of {JOBS} containers wrote a result")
    return seconds
