"""A machine without Compose v2: jobs with sidecars say what to install, all others run."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

from killing import without_docker_client
from project import REPOSITORY, SCORE, Project

SIDECARS = "    sidecars: [{name: db, build: c}]\n"


def test_jobs_with_sidecars_end_unsupported(project: Project, tmp_path: Path) -> None:
    """Version 1 is none; the run says so before the first job."""
    project.benchmark("b", {"t": SCORE % 0.5})
    project.benchmark("c", {"t": SCORE % 0.5}, task_yaml=SIDECARS)
    own = tmp_path / "own"
    own.mkdir()
    (own / "docker-compose").write_text("#!/bin/sh\necho 1.29.2\n")
    (own / "docker-compose").chmod(0o755)
    system = without_docker_client(tmp_path / "bin")["PATH"].rpartition(os.pathsep)[2]
    # The environment of the tests may have a docker-compose beside its interpreter; this one has version 1.
    python = own / "python3"
    python.symlink_to(sys.executable)
    libraries = os.pathsep.join((str(REPOSITORY), sysconfig.get_paths()["purelib"]))
    environment = {**project.full_environment(), "PATH": f"{own}{os.pathsep}{system}", "PYTHONPATH": libraries}
    done = subprocess.run(
        [str(python), "-m", "doit", "run", "model=m", "preflight=0"],
        cwd=project.root,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert project.job_states() == {"b/t": "COMPLETED", "c/t": "FAILED unsupported"}
    said = done.stdout + done.stderr
    before, _, _ = said.partition("job:b/t@m started")
    assert "1 job with sidecars will end unsupported" in before and "is version 1.29.2" in before
    assert "docker-compose-plugin" in said
