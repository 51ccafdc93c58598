"""A workspace may lie anywhere: spaces, quotes, commas, dollars and letters of any script in its path."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from project import MAY_DIFFER, SCORE, Project, contents, docker

PATHS = ("two words, and 'more' quo\"ted", "žluťoučký/工作区 $HOME`id`\\back", "-dash=x a:b;c&d *?[a]{b}#%20")


@pytest.mark.parametrize("path", PATHS)
def test_runs_and_finds_its_results_again(tmp_path: Path, path: str) -> None:
    """Links out of the task and failures included, whose run.sh repeats the job by hand."""
    project = Project.make(tmp_path / path / "w")
    root = project.benchmark(
        "b", {"t": SCORE % "'$(cat link.txt)'", "fails": "exit 3"}, dockerfile="FROM debian:bookworm-slim\n# 022\n"
    )
    project.write("benchmarks/b/common/value", "0.5")
    (root / "t" / "link.txt").symlink_to("../common/value")
    try:
        done = project.run(status=1)
        assert project.job_states() == {"b/t": "COMPLETED", "b/fails": "FAILED exit_code"}, done.text
        assert project.aggregate("b")["overall"] == 0.5
        assert project.ran(project.run(status=1)) == ["b/fails@m"]
        command = next(line.split(": ", 1)[1] for line in done.out.splitlines() if line.startswith("  repeat: "))
        again = subprocess.run(
            ["sh", "-c", command],
            cwd=tmp_path,
            env=project.full_environment({"BENCHROUTER_MODEL_ENDPOINT": "http://127.0.0.1:9/v1"}),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert again.returncode == 3, again.stderr
        inside = contents(project.root / "results", leave_out=MAY_DIFFER)
        assert not [name for name, data in inside.items() if bytes(tmp_path) in data]
    finally:
        for tag in docker("images", "-q", "--filter", f"label=benchrouter.image.workspace={project.id}").split():
            docker("rmi", "-f", tag)
