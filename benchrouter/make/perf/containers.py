"""Twenty trivial jobs through the product, against the same containers through `xargs -P8 docker run`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from benchrouter.make.workspace_files import write_workspace_files

DOIT = Path(sys.executable).with_name("doit")
SCRIPT = 'echo \'{"overall": 1}\' >"$BENCHROUTER_OUTPUT_DIR/result.json"\n'
JOBS, SLOTS = 20, 8
ROUNDS = 5


def write_workspace(root: Path, local: Path) -> None:
    """Write one benchmark of trivial tasks; `local` holds the site's aliases, if there are any."""
    home = root / "benchmarks" / "trivial"
    environment = home / "environments" / "trivial"
    environment.mkdir(parents=True)
    write_workspace_files(root, local)
    (environment / "Dockerfile").write_text("FROM debian:bookworm-slim\n")
    names = [f"t{number:02}" for number in range(JOBS)]
    (home / "benchmark.yaml").write_text("name: trivial\ntasks:\n" + "".join(f"  - name: {n}\n" for n in names))
    for name in names:
        (home / name).mkdir()
        (home / name / "task.yaml").write_text(f"name: {name}\ncommand: sh run.sh\n")
        (home / name / "run.sh").write_text(SCRIPT)


def ours(root: Path, number: int) -> float:
    """Run all jobs anew (another variable, so other keys); return seconds from start to end of the command."""
    return seconds_of(root, SLOTS, number)


def by_hand(root: Path, image: str) -> float:
    """Run the same containers with `xargs -P docker run`; return seconds."""
    out = root / "by-hand"
    shutil.rmtree(out, ignore_errors=True)
    for number in range(JOBS):
        (out / f"t{number:02}").mkdir(parents=True)
    command = (
        f"docker run --rm --network host --entrypoint /bin/sh --workdir /app/benchmark "
        f"-v '{root}/benchmarks/trivial/{{}}:/app/benchmark:ro' -v '{out}/{{}}:/app/results' "
        f"-e BENCHROUTER_OUTPUT_DIR=/app/results {image} -c 'sh run.sh'"
    )
    names = "\n".join(f"t{number:02}" for number in range(JOBS))
    began = time.perf_counter()
    subprocess.run(
        ["xargs", f"-P{SLOTS}", "-I{}", "sh", "-c", command], input=names, text=True, check=True, cwd=root
    )
    seconds = time.perf_counter() - began
    written = len(list(out.glob("*/result.json")))
    if written != JOBS:
        raise RuntimeError(f"by hand, {written} of {JOBS} containers wrote a result")
    return seconds


def image_of(root: Path) -> str:
    """Name the image that the jobs run in, as the plan does."""
    from benchrouter.make.session import Session

    before = Path.cwd()
    os.chdir(root)
    try:
        session = Session.begin({"model": "m"}, environ={})
        return next(iter(session.graph.images.values())).tag
    finally:
        os.chdir(before)


def seconds_of(root: Path, slots: int, number: int) -> float:
    """Time `doit run` over all jobs of a workspace; another number makes other keys."""
    return _seconds([str(DOIT), "run", "-n", str(slots), "model=m", "preflight=0", f"ROUND={number}"], root)


def _seconds(command: list[str], root: Path) -> float:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("BENCHROUTER_")}
    began = time.perf_counter()
    done = subprocess.run(command, cwd=root, env=environ, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - began
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return seconds
