"""A run as a user other than root, who may talk to the engine: everything it makes belongs to it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from kept_images import dind_image

from benchrouter.engine.client import Engine

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become another user"),
    pytest.mark.skipif(shutil.which("setpriv") is None, reason="needs setpriv"),
]
USER = 23456

SCRIPT = """
import os, shutil, sys
from pathlib import Path
root = Path(sys.argv[1])
from job_bench import JobBench
from benchrouter.engine.client import Engine
engine = Engine.connect()
bench = JobBench(engine, root, sys.argv[2])
good = '''echo '{"overall": 0.5}' > /app/results/result.json'''
odd = "umask 077; cd /app/results; mkdir -p d/e; echo x > d/e/f; chmod 0 d/e; chown 99:99 d; ln -s /etc/passwd l"
outcome = bench.run(f"{odd}; {good}; chmod 0 result.json")
assert outcome.completed, outcome
path = Path(outcome.path)
assert (path / "output/d/e/f").read_text() == "x\\n"
for each in [path, *path.rglob("*")]:
    assert each.lstat().st_uid == os.geteuid(), each
failed = bench.run(f"{odd}; chmod 0 /app/results; exit 1")
assert failed.reason.word == "exit_code", failed
assert (Path(failed.path) / "output/d/e/f").read_text() == "x\\n"
late = bench.run("true")
assert late.reason.word == "no_result", late
assert not list((root / "cache/attempts/run-1").iterdir())
for each in root.iterdir():
    shutil.rmtree(each)
print("all well")
"""


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory that the other user can reach (those of pytest are closed to others)."""
    path = Path(tempfile.mkdtemp(prefix="job-of-a-user-"))
    os.chown(path, USER, USER)
    yield path
    shutil.rmtree(path, ignore_errors=True)


DIND = """
import shutil, sys
from pathlib import Path
root = Path(sys.argv[1])
from dind_bench import GOOD, bench_in
from job_bench import document
from benchrouter.engine.client import Engine
bench = bench_in(Engine.connect(), root, sys.argv[2])
inner = "docker run --rm $BENCHROUTER_ENV_IMAGE_TAG true"
outcome = bench.run(f"{inner} && {GOOD}")
assert outcome.completed, outcome
assert document(outcome, "provenance.json")["daemon"]["images"] == "seed", document(outcome, "provenance.json")
bench.executor.close()
assert not list((root / "cache/attempts/run-1").iterdir())
for each in root.iterdir():
    shutil.rmtree(each)
print("all well")
"""


def test_user_can_make_a_seed_and_remove_it(place: Path, real_engine: Engine) -> None:
    done = run_as_user(DIND, place, dind_image(real_engine))
    assert done.stdout == "all well\n", done.stderr


def test_user_can_read_and_delete_everything_that_its_jobs_made(place: Path, base_image: str) -> None:
    done = run_as_user(SCRIPT, place, base_image)
    assert done.stdout == "all well\n", done.stderr


def run_as_user(script: str, place: Path, image: str) -> subprocess.CompletedProcess[str]:
    group = Path("/var/run/docker.sock").stat().st_gid
    here = Path(__file__).parent
    become = ["setpriv", f"--reuid={USER}", f"--regid={USER}", f"--groups={group}"]
    python = {"PYTHONPATH": os.pathsep.join([str(here), str(here.parent.parent), *sys.path]), "HOME": str(place)}
    command = [*become, sys.executable, "-c", script, str(place), image]
    environment = {**os.environ, **python}
    return subprocess.run(command, env=environment, cwd="/", capture_output=True, text=True, check=False)
