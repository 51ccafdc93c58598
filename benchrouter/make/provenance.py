"""Where a job's result came from, as far as the graph knows: versions, base images really used, git state."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchrouter import __version__
from benchrouter.graph.nodes import JobNode

if TYPE_CHECKING:
    from benchrouter.make.run import Run

_GIT_SECONDS = 10.0


class Provenance:
    """Collects facts for provenance.json; git is asked once per benchmark."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._git: dict[Path, dict[str, Any]] = {}
        self._lock = threading.Lock()

    def of(self, job: JobNode) -> dict[str, Any]:
        """List the facts about one job that its executor cannot know."""
        image = self._run.session.graph.images[job.image]
        return {
            "benchrouter": __version__,
            "python": sys.version.split()[0],
            "image_key": image.key,
            **self._run.endpoints.facts(job),
            "git": self.git(job.facts.root.parent),
            **self._data(job),
        }

    def _data(self, job: JobNode) -> dict[str, Any]:
        volumes = [self._run.session.sources.volumes[name] for name in job.facts.data]
        found = {each.name: {"path": str(each.path or ""), "identity": each.identity} for each in volumes}
        return {"data": found} if found else {}

    def git(self, directory: Path) -> dict[str, Any]:
        """Give commit and dirtiness of a benchmark's directory; empty outside a repository or without git."""
        with self._lock:
            if directory not in self._git:
                self._git[directory] = _ask_git(directory)
            return self._git[directory]


def _ask_git(directory: Path) -> dict[str, Any]:
    commit = _output(directory, "rev-parse", "HEAD")
    if commit is None:
        return {}
    changes = _output(directory, "status", "--porcelain", "--", ".")
    return {"commit": commit.strip(), "dirty": bool(changes)}


def _output(directory: Path, *words: str) -> str | None:
    command = ["git", "--no-optional-locks", "-C", str(directory), *words]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_GIT_SECONDS, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None
