"""The variant of mcpmark with sidecars: a benchmark that is whole by itself, and says what the shipped one says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from demo_scores import BENCHMARKS, ROOT

from benchrouter.spec.benchmark import load_benchmark
from benchrouter.spec.task import load_task

HERE, THERE = ROOT / "tests" / "e2e" / "374-mcpmark" / "mcpmark-sidecar", BENCHMARKS / "mcpmark"


def files(root: Path, *parts: str) -> dict[str, tuple[bytes, int]]:
    found = [path for part in parts for path in (root / part).rglob("*") if path.is_file() and path.suffix != ".pyc"]
    return {str(path.relative_to(root)): (path.read_bytes(), path.stat().st_mode & 0o111) for path in found}


def test_validate_of_the_fixture_found_neither_dockerfile_nor_bridge() -> None:
    command = [str(Path(sys.executable).with_name("benchrouter")), "benchmark", "validate", str(HERE)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"{HERE}: sound, 4 tasks\n"), done.stderr


def test_its_copies_are_those_of_the_shipped_benchmark() -> None:
    parts = ("code", "environments/mcpmark")
    assert files(HERE, *parts) == files(THERE, *parts)


def test_its_tasks_are_those_of_the_shipped_benchmark_with_services_beside_them() -> None:
    here, there = load_benchmark(HERE)[0], load_benchmark(THERE)[0]
    assert [task.name for task in here.tasks] == [task.name for task in there.tasks]
    assert [(name, hint.text) for name, hint in here.obtain.items()] == [(n, h.text) for n, h in there.obtain.items()]
    for task in here.tasks:
        links = {path.name: path.readlink() for path in (HERE / task.name).glob("*.py")}
        assert links == {path.name: path.readlink() for path in (THERE / task.name).glob("*.py")}
        one, other = (load_task(root / task.name / "task.yaml")[0] for root in (HERE, THERE))
        assert (one.command, one.timeout, one.docker) == (other.command, other.timeout, False)
        assert bool(one.sidecars) == other.docker
