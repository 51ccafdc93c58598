"""A workspace moved by copying after its run was killed: the next start in the copy sweeps up, not while that lives."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

from project import SCORE, Project, containers_of, docker, wait_until


def networks_of(workspace: str) -> list[str]:
    return docker("network", "ls", "-q", "--filter", f"label=benchrouter.workspace={workspace}").split()


def test_a_copy_sweeps_up_after_the_dead_and_spares_the_living(project: Project, tmp_path: Path) -> None:
    project.benchmark("b", {"t": "sleep 300"}, task_yaml="network: none\n")
    project.benchmark("c", {"t": SCORE % 0.5})
    project.benchmark("d", {"t": "sleep 300"}, task_yaml="network: bridge\n")
    environment = {"BENCHROUTER_MODEL_ENDPOINT": "http://127.0.0.1:9/v1"}
    run = project.start("run", "model=m", "preflight=0", "bench=b,d", env=environment)
    wait_until(lambda: project.has_id and len(containers_of(project.id)) >= 2, 120)
    copy = Project(tmp_path / "copy")
    shutil.copytree(project.root, copy.root, symlinks=True)
    copy.run("bench=c")
    assert len(containers_of(project.id)) >= 2 and run.poll() is None

    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    shutil.rmtree(copy.root)
    shutil.copytree(project.root, copy.root, symlinks=True)
    shutil.rmtree(project.root / "runs")
    workspace = copy.id
    assert len(containers_of(workspace)) >= 2
    done = copy.run("bench=c")
    assert "was killed; removed" in done.text, done.text
    assert containers_of(workspace) == [] and networks_of(workspace) == []
    assert "was killed" not in copy.run("bench=c").text
