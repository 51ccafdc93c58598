"""Benchmarks of one name: results lie under the name, so that theirs would mix."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from benchrouter.spec.benchmark import FILE, Benchmark
from benchrouter.spec.inputs import read_input
from benchrouter.spec.problems import Problem, SpecError


def namesake(benchmark: Benchmark, beside: Mapping[str, Path]) -> Problem | None:
    """Refuse a benchmark that is named like another one of those beside it, which are told by their directories.

    The one whose directory has the name is at home there; the others are at fault.
    """
    home = beside.get(benchmark.name)
    if home is not None and _same(home, benchmark.root):
        return None
    others = [home] if home else [path for path in beside.values() if _is_named(path, benchmark.name)]
    other = next((path for path in others if not _same(path, benchmark.root)), None)
    if other is None:
        return None
    text = f"is named `{benchmark.name}` like {other}, and their results would mix; rename one of them"
    return at_its_name(benchmark.root, text)


def at_its_name(root: Path, text: str) -> Problem:
    """Say what is wrong with the name of a benchmark, on its line."""
    return Problem(str(root / FILE), _line(root), text)


def _same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()


def _line(root: Path) -> int | None:
    from benchrouter.spec.yamlfile import read_with_faults

    try:
        return read_with_faults(root / FILE).line(("name",))
    except SpecError:
        return None


def _is_named(root: Path, name: str) -> bool:
    """Tell what a benchmark is named; a large file takes long to parse, and most do not hold the name at all."""
    from benchrouter.spec.yamlfile import read_with_faults

    try:
        holds = name.encode() in read_input(root / FILE)
        return holds and read_with_faults(root / FILE).text(("name",)) == name
    except (OSError, SpecError):
        return False
