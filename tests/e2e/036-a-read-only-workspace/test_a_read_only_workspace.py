"""A workspace on a read-only file system: what is up to date is shown, what has to run is refused in one sentence."""

from __future__ import annotations

import shlex
import subprocess
import sys

import pytest
from project import SCORE, Project

READ_ONLY = "mount --bind {root} {root} && mount -o remount,ro,bind {root} && cd {root} && "


def _read_only(project: Project, *words: str) -> subprocess.CompletedProcess[str]:
    script = READ_ONLY.format(root=shlex.quote(str(project.root))) + shlex.join([*project.program, *words])
    return subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, check=False)


def test_a_run_ended_with_the_name_of_a_hidden_file(project: Project) -> None:
    """`runs/.….owner….tmp: Read-only file system`, also where nothing had to run."""
    if sys.platform != "linux" or subprocess.run(["unshare", "-m", "true"], check=False).returncode:
        pytest.skip("no mount namespace of one's own here")
    project.benchmark("b", {"t": SCORE % 0.5})
    project.run()
    done = _read_only(project, "run", "model=m", "preflight=0")
    assert done.returncode == 0 and "overall 0.5000" in done.stdout and done.stderr == "", done
    for path in (project.root / "results").rglob("aggregate*"):
        if path.is_file():
            path.unlink()
    for words in (("run", "model=m", "preflight=0"), ("job:b/t@m", "model=m", "preflight=0")):
        done = _read_only(project, *words)
        assert done.returncode == 0 and "overall 0.5000" in done.stdout, done
        assert "nothing had to run, and nothing was recorded:" in done.stderr and ".owner" not in done.stderr
    (project.root / "benchmarks" / "b" / "t" / "run.sh").write_text(SCORE % 0.25)
    done = _read_only(project, "run", "model=m", "preflight=0")
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, done
    said = f"{project.root} cannot be written (Read-only file system): a run puts its record in runs/"
    assert said in done.stderr and "or run in a copy of it" in done.stderr
