"""Shipped benchmarks whose upstreams cannot be had here, with stand-ins in their place, in a workspace of a test."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from project import REPOSITORY, Done, Project, docker

LONG = 900.0
ONCE = {"site": {"limits": {"retries": 0}}}
OPENAI = "FROM python:3.12-slim\nRUN pip install --no-cache-dir openai==2.8.1 pydantic==2.12.4\n"


def take(project: Project, name: str, dockerfile: str, supplied: Mapping[str, Path]) -> Path:
    """Copy a shipped benchmark, replace its environment's Dockerfile, and supply trees under the names it wants."""
    root = project.root / "benchmarks" / name
    shutil.copytree(REPOSITORY / "benchmarks" / name, root, symlinks=True)
    environment = root / "environments" / name
    (environment / "Dockerfile").write_text(dockerfile)
    for supply, tree in supplied.items():
        shutil.copytree(tree, environment / supply)
    return root


def bind(project: Project, name: str, place: Path, identity: str) -> None:
    """Bind the one data volume of a workspace."""
    binding = {"path": str(place), "identity": identity}
    (project.root / "benchrouter.yaml").write_text(yaml.safe_dump({"data": {name: binding}, **ONCE}))


def base(project: Project, ref: str) -> str:
    """Give the image that stands in for a base here, or the base itself."""
    local = project.root / "benchrouter.local.yaml"
    site = (yaml.safe_load(local.read_text()) or {}).get("site", {}) if local.exists() else {}
    return str(site.get("image_aliases", {}).get(ref, ref))


def hand_around(project: Project, context: Path, ref: str) -> None:
    """Build an image on the stand-in for python:3.12-slim, and import it as a file without a name under a name."""
    dockerfile, tar = context / "Dockerfile", context.with_suffix(".tar")
    here = base(project, "python:3.12-slim")
    dockerfile.write_text(dockerfile.read_text().replace("python:3.12-slim", here))
    words = ["docker", "build", "--quiet", str(context)]
    made = subprocess.run(words, check=True, capture_output=True, text=True, timeout=300).stdout.strip()
    docker("save", "--output", str(tar), made)
    docker("rmi", made)
    done = project.doit("image", "import", str(tar), ref)
    assert done.status == 0, done.text


def result(project: Project, benchmark: str, task: str, model: str) -> dict[str, Any]:
    """Read the one result of a task for a model."""
    (artifact,) = project.artifacts(benchmark, task, model)
    return dict(json.loads((artifact / "result.json").read_text()))


def last_log(project: Project, benchmark: str, task: str, model: str) -> str:
    """Read what the newest failed attempt said on standard error."""
    newest = max(project.failures(benchmark, task, model), key=lambda path: int(path.name))
    return (newest / "logs" / "stderr.log").read_text()


def run(project: Project, benchmark: str, model: str, *words: str, env: dict[str, str], status: int = 0) -> Done:
    """Run a benchmark against the endpoint that `env` names; what fails is not tried again."""
    if not (project.root / "benchrouter.yaml").exists():
        (project.root / "benchrouter.yaml").write_text(yaml.safe_dump(ONCE))
    done = project.doit("run", f"model={model}", f"bench={benchmark}", *words, env=env, deadline=LONG)
    assert done.status == status, f"exit {done.status}, expected {status}\n{done.text}"
    return done
