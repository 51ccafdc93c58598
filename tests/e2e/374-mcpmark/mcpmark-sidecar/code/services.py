"""What a service of MCPMark needs running in the task's own daemon before it is asked."""

import os
import subprocess
import sys
import time

IMAGE, PATIENCE = "pgvector/pgvector:0.8.0-pg17-bookworm", 180


def start(service):
    """Start PostgreSQL, where the task has a daemon. MCPMark itself starts WebArena's shops, anew for each task."""
    if service != "postgres" or os.environ.get("BENCHROUTER_DOCKER_ENABLED") != "true":
        return
    user, password, database = (os.environ[f"POSTGRES_{name}"] for name in ("USERNAME", "PASSWORD", "DATABASE"))
    named = ["--env", f"POSTGRES_USER={user}", "--env", f"POSTGRES_PASSWORD={password}"]
    named += ["--env", f"POSTGRES_DB={database}", "--publish", f"{os.environ['POSTGRES_PORT']}:5432"]
    docker("run", "--detach", "--name", "postgres", "--pull", "never", "--shm-size", "256m", *named, IMAGE)
    end = time.monotonic() + PATIENCE
    # Over TCP: while the image sets itself up, its server listens to its own socket only.
    while docker("exec", "postgres", "pg_isready", "--host", "127.0.0.1", "--username", user, check=False):
        if time.monotonic() > end:
            docker("logs", "--tail", "20", "postgres", check=False)
            sys.exit(f"PostgreSQL is not ready after {PATIENCE} s")
        time.sleep(1)


def docker(*words, check=True):
    status = subprocess.run(["docker", *words], check=False, stdout=sys.stderr).returncode
    if status and check:
        sys.exit(f"docker {words[0]} ended with {status}")
    return status
