"""A machine without Compose v2: jobs with sidecars say what to install, all others run."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

from killing import without_docker_client
from project import REPOSITORY, SCORE, Project

SIDECARS = "    sidecars: [{name: db, build: db}]\n"


def test_images_of_jobs_that_cannot_run_were_built(project: Project, tmp_path: Path) -> None:
    """Version 1 is none; plan and run say so before the first job, and build nothing for such jobs alone."""
    project.benchmark("b", {"t": SCORE % 0.5})
    project.benchmark("c", {"t": SCORE % 0.5, "u": SCORE % 0.5}, task_yaml=SIDECARS)
    project.write("benchmarks/c/environments/c/Dockerfile", "FROM nobody.invalid/nothing:1\n")
    project.write("benchmarks/c/environments/db/Dockerfile", "FROM debian:bookworm-slim\nRUN false\n")
    said = without_compose(project, tmp_path, "plan").stdout
    refusal = "2 jobs will end unsupported: the task has sidecars, and "
    assert refusal in said and "is version 1.29.2" in said and "docker-compose-plugin" in said
    assert "image:b/b" in said and "image:c/" not in said and "nobody.invalid" not in said
    done = without_compose(project, tmp_path, "run")
    assert done.returncode == 1, done.stdout + done.stderr
    assert project.job_states() == {"b/t": "COMPLETED", "c/t": "FAILED unsupported", "c/u": "FAILED unsupported"}
    before, _, _ = done.stdout.partition("job:b/t@m started")
    assert refusal in before and "is version 1.29.2" in before and "docker-compose-plugin" in before
    assert "missing" not in before and "image:c/" not in done.stdout
    named = without_compose(project, tmp_path, "run", "job:c/t@m")
    assert named.returncode == 1 and "image:c/" not in named.stdout and "base:nobody" not in named.stdout


def without_compose(project: Project, tmp_path: Path, command: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command of doit where Compose is version 1, whatever the environment of the tests has."""
    own = tmp_path / "own"
    if not own.exists():
        own.mkdir()
        (own / "docker-compose").write_text("#!/bin/sh\necho 1.29.2\n")
        (own / "docker-compose").chmod(0o755)
        # The environment of the tests may have a docker-compose beside its interpreter; this one has version 1.
        (own / "python3").symlink_to(sys.executable)
        without_docker_client(tmp_path / "bin")
    system = str(tmp_path / "bin")
    libraries = os.pathsep.join((str(REPOSITORY), sysconfig.get_paths()["purelib"]))
    environment = {**project.full_environment(), "PATH": f"{own}{os.pathsep}{system}", "PYTHONPATH": libraries}
    return subprocess.run(
        [str(own / "python3"), "-m", "doit", command, *words, "model=m", "preflight=0"],
        cwd=project.root,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
