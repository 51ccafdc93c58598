"""A small benchmark on disk, scanned, and the graph that an ask makes of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from benchrouter.graph.build import Ask, Environment, Graph, Selected, build
from benchrouter.keys.cache import StatCache
from benchrouter.keys.environment import environment_facts
from benchrouter.keys.scan import ScannedBenchmark, scan_benchmark
from benchrouter.models.model import Model
from benchrouter.spec.dockerfile import siblings

MODEL = Model("m", "m", identity={"name": "m"})
ASK = Ask(models=(MODEL,), identities={("m", "b"): {"name": "m"}})


def write(root: Path, files: dict[str, str]) -> Path:
    """Write files below a directory."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def benchmark(root: Path, tasks: tuple[str, ...] = ("t", "u")) -> Path:
    """Write a benchmark `b` with some tasks on one environment."""
    listed = "".join(f"  - name: {task}\n" for task in tasks)
    files = {"benchmark.yaml": f"name: b\ntasks:\n{listed}", "environments/b/Dockerfile": "FROM debian\n"}
    for task in tasks:
        files |= {f"{task}/task.yaml": f"name: {task}\ncommand: sh run.sh\n", f"{task}/run.sh": "true\n"}
    return write(root, files)


def scan(root: Path) -> ScannedBenchmark:
    """Scan without a cache."""
    return scan_benchmark(root, StatCache(root / "none", root))


def graph(root: Path, tasks: tuple[str, ...] | None = None, **ask: Any) -> Graph:
    """Make the graph of a benchmark; `tasks` selects, `ask` overrides."""
    scanned = scan(root)
    cache = StatCache(root / "none", root)
    names = [path.name for path in sorted((root / "environments").iterdir())]
    options = scanned.benchmark.options
    facts = {name: environment_facts(root / "environments" / name, options(name), cache) for name in names}
    environments = {
        ("b", name): Environment(
            found, {ref: ("b", environment) for ref in found.sibling_refs for _, environment in siblings(ref)[:1]}
        )
        for name, found in facts.items()
    }
    return build(replace(ASK, **ask), [Selected(scanned, tasks or tuple(scanned.tasks))], environments)


def keys(made: Graph) -> dict[str, str]:
    """Map the nodes of jobs to their keys."""
    return {job.label: job.key for job in made.jobs}
