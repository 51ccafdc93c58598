"""A run as a user other than root: what containers leave as root or as anybody belongs to it and can be deleted."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest
from conftest import fresh
from project import REPOSITORY, SCORE, Project, containers_of, wait_until

USER = 23457
SOCKET = Path("/var/run/docker.sock")
pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become another user"),
    pytest.mark.skipif(not SOCKET.is_socket(), reason="needs the engine's socket, for its group"),
]
ODD = """
umask 077
cd /app/results
echo secret >private; mkdir -p closed/inside sticky; echo x >closed/inside/file
cp /bin/sh setuid; chmod 4755 setuid; cp /bin/sh setgid; chmod 2755 setgid; chmod 1777 sticky
ln -s /etc/passwd link; mkfifo pipe; echo x >immutable; chmod 0 immutable
chmod 500 closed/inside; chmod 0 closed
"""
GIVEN_AWAY = "mkdir others; echo x >others/file; chown -R 4711:4711 others; chmod 700 others\n"
ROOT = "FROM debian:bookworm-slim\n"
OTHER = "FROM debian:bookworm-slim\nRUN useradd -u 4712 somebody\nUSER somebody\n"
TASKS = {
    "good": ODD + "{more}" + SCORE % 0.5 + "\n",
    "fails": ODD + "{more}exit 3\n",
    "closes": "{more}" + SCORE % 1 + "\nchmod 0 /app/results/result.json /app/results || :\n",
    "late": ODD + "{more}" + SCORE % 1 + "\nexec sleep 60\n",
}
STATES = {"good": "COMPLETED", "fails": "FAILED exit_code", "closes": "COMPLETED", "late": "FAILED timeout"}


@pytest.fixture
def theirs() -> Iterator[Project]:
    """A workspace of another user, who is in the group of the engine's socket, below a directory it can reach."""
    identity = {"user": USER, "group": USER, "extra_groups": [SOCKET.stat().st_gid]}
    python = reachable_python(identity)
    place = Path(tempfile.mkdtemp(prefix="benchrouter-of-a-user-", dir="/var/tmp"))
    place.chmod(0o755)
    environment = {"HOME": str(place), "PYTHONPATH": os.pathsep.join([str(REPOSITORY), *sys.path])}
    try:
        with fresh(place / "workspace") as made:
            yield replace(made, identity=identity, environment=environment, program=(python, "-m", "doit"))
    finally:
        shutil.rmtree(place, ignore_errors=True)


def reachable_python(identity: dict[str, Any]) -> str:
    """Find a Python like ours that the other user can run: ours may be made from one in root's home."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY), *sys.path])}
    for python in (sys.executable, f"/usr/bin/{version}", f"/usr/local/bin/{version}"):
        words = [python, "-c", "import doit, yaml, xxhash, docker, benchrouter"]
        try:
            done = subprocess.run(words, cwd="/", env=environment, capture_output=True, check=False, **identity)
        except OSError:
            continue
        if done.returncode == 0:
            return python
    pytest.skip("the other user can reach no Python like ours")


def test_everything_belongs_to_the_user_who_can_delete_it(theirs: Project) -> None:
    """Run tasks that leave odd files as root and as the image's user; look at owners and modes; delete it all."""
    fill(theirs)
    done = theirs.run("-n", "4", status=1)
    states = theirs.job_states()
    for name, state in STATES.items():
        assert states[f"as-root/{name}"] == states[f"as-other/{name}"] == state, done.text
    for benchmark in ("as-root", "as-other"):
        output = theirs.artifacts(benchmark, "good")[0] / "output"
        assert (output / "private").read_text() == "secret\n"
        assert (output / "closed" / "inside" / "file").read_text() == "x\n"
        assert theirs.failures(benchmark, "fails")[0].joinpath("output", "private").exists()
        assert theirs.failures(benchmark, "late")[0].joinpath("output", "private").exists()
    assert (theirs.artifacts("as-root", "good")[0] / "output" / "others" / "file").read_text() == "x\n"
    check_owner(theirs.root)
    assert theirs.doit("clean", "results=1", "model=m").status == 0
    check_owner(theirs.root)
    check_deletable(theirs)


@pytest.mark.parametrize("words", ["run preflight=0 tasks=closes", "clean results=1"])
def test_everything_can_be_deleted_after_a_kill_and_the_sweep(theirs: Project, words: str) -> None:
    """Kill a run whose containers have left files of root; the next start takes them away, and all can be deleted."""
    fill(theirs)
    process = theirs.start("run", "model=m", "preflight=0", "-n", "4", "tasks=late")
    wait_until(lambda: len(list((theirs.root / "cache" / "attempts").glob("*/*/output/result.json"))) == 2, 60)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert containers_of(theirs.id)
    done = theirs.doit(*words.split(), "model=m")
    assert done.status == 0, done.text
    assert "removed 2 containers" in done.err, done.text
    assert not list((theirs.root / "cache" / "attempts").glob("*/*"))
    check_owner(theirs.root)
    check_deletable(theirs)


def test_everything_can_be_deleted_after_ctrl_c(theirs: Project) -> None:
    """Interrupt a run whose containers have left files of root: it gives them back before it ends."""
    fill(theirs)
    process = theirs.start("run", "model=m", "preflight=0", "-n", "4", "tasks=late")
    wait_until(lambda: len(list((theirs.root / "cache" / "attempts").glob("*/*/output/result.json"))) == 2, 60)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, out + err
    check_owner(theirs.root)
    check_deletable(theirs)


def test_a_user_without_permission_for_the_engine_is_told_what_to_do(theirs: Project) -> None:
    """Run as a user who is not in the engine's group, in an environment that another user left."""
    fill(theirs)
    outside = replace(theirs, identity={**theirs.identity, "extra_groups": []})
    env = {"XDG_RUNTIME_DIR": "/root/run", "DOCKER_CONFIG": "/root/.docker"}
    done = outside.run("tasks=closes", status=1, env=env)
    assert "no permission for the engine's socket" in done.out, done.text
    assert "usermod -aG docker" in done.out
    assert set(outside.job_states().values()) == {"FAILED engine"}
    elsewhere = {**env, "DOCKER_HOST": "unix:///root/run/docker.sock"}
    assert "does not exist" in outside.run("tasks=closes", status=1, env=elsewhere).out


def fill(project: Project) -> None:
    """Write the two benchmarks, as the user's files."""
    for name, dockerfile, more in (("as-root", ROOT, GIVEN_AWAY), ("as-other", OTHER, "")):
        tasks = {task: script.replace("{more}", more if task != "closes" else "") for task, script in TASKS.items()}
        # Of its own content: the same image may be in use in another workspace, and then it is not ours to remove.
        project.benchmark(name, tasks, dockerfile=f"# {token_hex(8)}\n{dockerfile}")
        project.write(f"benchmarks/{name}/late/task.yaml", "name: late\ncommand: sh run.sh\ntimeout: 4\n")
    for path in (project.root.parent, project.root, *project.root.rglob("*")):
        os.lchown(path, USER, USER)


def check_owner(root: Path) -> None:
    """See that all below is the user's, is readable for it, and carries no bit that lends an identity."""
    for path in (root, *root.rglob("*")):
        facts = path.lstat()
        assert (facts.st_uid, facts.st_gid) == (USER, USER), path
        if not stat.S_ISLNK(facts.st_mode):
            assert facts.st_mode & stat.S_IRUSR, path
            assert not facts.st_mode & (stat.S_ISUID | stat.S_ISGID), path


def check_deletable(project: Project) -> None:
    """Delete the whole workspace as the user; keep its id, by which the test tidies up the engine."""
    kept = project.id
    words = ["sh", "-c", "rm -rf ./* ./.[!.]*"]
    done = subprocess.run(words, cwd=project.root, capture_output=True, text=True, check=False, **project.identity)
    assert (done.returncode, done.stderr, list(project.root.iterdir())) == (0, "", [])
    project.write(".benchrouter/id", kept)
