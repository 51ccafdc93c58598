"""What a plain `pip install` gives: the built wheel alone, far from any checkout, makes a workspace that runs."""

from __future__ import annotations

import os
import site
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest


def say(*words: str | Path, cwd: Path, python: Path | None = None, status: int = 0) -> str:
    """Run a command where nothing of the checkout is in sight; give what it prints."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("BENCHROUTER_", "PYTHON", "CI"))}
    path = f"{python.parent}{os.pathsep}" if python else ""
    env = {**kept, "PATH": path + kept.get("PATH", "")}
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == status, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel as a release does."""
    out = tmp_path_factory.mktemp("wheel")
    say(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", out, repository, cwd=out)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install it into an environment of its own, to which only the libraries are lent."""
    home = tmp_path_factory.mktemp("installed")
    say(sys.executable, "-m", "venv", "--without-pip", home / "venv", cwd=home)
    found = home / "venv" / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", found, "install", "--quiet", "--no-deps", "--no-index", wheel)
    say(*pip, cwd=home)
    (packages,) = (home / "venv" / "lib").glob("python*/site-packages")
    lent = "\n".join(site.getsitepackages())  # a .pth in there, as that of an editable installation, is not read
    (packages / "lent.pth").write_text(lent)
    where = say(found, "-c", "import benchrouter; print(benchrouter.__file__)", cwd=home)
    assert Path(where.strip()).is_relative_to(packages)
    return found


@pytest.fixture
def lab(python: Path, repository: Path, tmp_path: Path) -> Iterator[Path]:
    """Make a workspace with it."""
    say("benchrouter", "init", "lab", cwd=tmp_path, python=python)
    local = repository / "benchrouter.local.yaml"
    if local.exists():
        (tmp_path / "lab" / local.name).write_bytes(local.read_bytes())
    yield tmp_path / "lab"
    say("benchrouter", "clean", cwd=tmp_path / "lab", python=python)


def test_the_wheel_carries_every_file_of_the_package(wheel: Path, repository: Path) -> None:
    """Templates, schemas' shapes, styles, scripts that are mounted: whatever is kept in the repository."""
    kept = say("git", "-C", repository, "ls-files", "benchrouter", cwd=repository).splitlines()
    carried = set(zipfile.ZipFile(wheel).namelist())
    assert kept and set(kept) <= carried and "benchrouter/make/scaffold/dodo.py" in carried
    assert not [name for name in carried if name.startswith(("tests/", "docs/", "benchmarks/"))]


def test_a_new_workspace_runs_and_reports(lab: Path, python: Path) -> None:
    """With the templates, the SDK and the page that are in the wheel; doit finds the graph there, too."""
    told = say("benchrouter", "run", "--model", "demo", cwd=lab, python=python)
    assert "COMPLETED" in told and "coverage 1/1" in told
    assert say("benchrouter", "report", cwd=lab, python=python).strip() == f"{lab}/results/report.html"
    listed = say(python, "-m", "doit", "list", "--all", "model=demo", cwd=lab, python=python)
    assert "job:" in listed and "image:" in listed
    for kind in ("sidecar", "dind", "bridge"):
        say("benchrouter", "benchmark", "new", f"my-{kind}", f"--{kind}", cwd=lab, python=python)
    assert say("benchrouter", "benchmark", "validate", cwd=lab, python=python)
