"""Benchmarks of a workspace as things: what there is, what is wrong with one, how one comes and goes."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from benchrouter.graph.build import Selected
from benchrouter.graph.selection import Catalog, Choice
from benchrouter.keys.environment import environment_facts
from benchrouter.keys.scan import ScannedBenchmark, faults_of_tasks
from benchrouter.make.environments import read_environments
from benchrouter.make.namesakes import namesake
from benchrouter.make.obtaining import stray_hints
from benchrouter.make.reading import Reading
from benchrouter.make.scaffolding import refuse_name
from benchrouter.make.sources import benchmarks_of
from benchrouter.make.variables import UsageError
from benchrouter.models.answers import load_answers
from benchrouter.models.model import ModelError
from benchrouter.spec.benchmark import FILE, TASK_FILE
from benchrouter.spec.inputs import is_there
from benchrouter.spec.instead import instead, no_benchmark
from benchrouter.spec.names import did_you_mean
from benchrouter.spec.problems import Problem, SpecError, in_order
from benchrouter.store.atomic import publish_dir
from benchrouter.store.intake import forget, take_in, top_of
from benchrouter.store.workspace import Workspace


@dataclass(frozen=True)
class Validated:
    """A benchmark directory that was looked through: `scanned` None where its benchmark.yaml cannot be used."""

    root: Path
    scanned: ScannedBenchmark | None
    problems: tuple[Problem, ...]

    @property
    def sound(self) -> bool:
        """Tell whether nothing but warnings was found."""
        return all(problem.warning for problem in self.problems)


def validate(ws: Workspace, root: Path, *, beside: Mapping[str, Path] | None = None) -> Validated:
    """Find everything that is wrong with a benchmark directory, as a run would; write nothing.

    `beside` are the benchmarks that it may not be named like, those of the workspace by default.
    """
    reading = Reading(ws)
    if not is_there(root / FILE):
        text = f"the file does not exist{instead(root, FILE)}; a benchmark is a directory with one"
        return Validated(root, None, (Problem(str(root / FILE), None, text),))
    others = Catalog(benchmarks_of(ws) if beside is None else beside, {}, lambda _: None)
    scanned = reading.benchmarks((Choice(root, None, str(root)),), others).get(root)
    if scanned is not None:
        tasks = tuple(entry.name for entry in scanned.benchmark.tasks)
        selected = (Selected(scanned, tasks),)
        environments = read_environments(reading, selected)
        reading.problems += stray_hints(selected, environments)
        reading.problems += _unlisted(root, tasks) if scanned.benchmark.complete else _of_all_there_is(reading, scanned)
        reading.problems += _answers(root, scanned.benchmark.name)
    return Validated(root, scanned, in_order(reading.problems))


def _of_all_there_is(reading: Reading, scanned: ScannedBenchmark) -> Iterator[Problem]:
    """Check every task and environment of a directory whose benchmark.yaml does not tell which are meant."""
    benchmark = scanned.benchmark
    yield from faults_of_tasks(benchmark.root, every=True)
    for path in sorted(benchmark.root.glob("environments/*/Dockerfile")):
        try:
            environment_facts(path.parent, benchmark.options(path.parent.name), reading.cache(benchmark.root))
        except SpecError as error:
            yield from error.problems


def _unlisted(root: Path, tasks: tuple[str, ...]) -> Iterator[Problem]:
    for path in sorted(root.glob(f"*/{TASK_FILE}")):
        if path.parent.name not in tasks:
            text = f"`{path.parent.name}/{TASK_FILE}` is there, but no task of that name is listed"
            yield Problem(str(root / FILE), None, text, warning=True)


def _answers(root: Path, name: str) -> Iterator[Problem]:
    """Check the demo model's answers, whose error names file and line itself."""
    try:
        load_answers({name: root})
    except ModelError as error:
        where, _, text = str(error).partition(": ")
        file, _, line = where.rpartition(":")
        yield Problem(file, int(line), text) if line.isdecimal() else Problem(where, None, text)


def find(ws: Workspace, word: str, typed: Path) -> Path:
    """Find the benchmark that a word means: one of the workspace, or a directory; raise UsageError."""
    known = benchmarks_of(ws)
    if word in known:
        return known[word]
    if is_there(typed / FILE):
        return typed.resolve()
    if told := no_benchmark(ws.benchmarks / word, FILE) or no_benchmark(typed, FILE):
        raise UsageError(told)
    raise UsageError(f"no benchmark `{word}`, nor a directory of that name{did_you_mean(word, known)}")


def register(ws: Workspace, source: Path, *, replacing: bool = False) -> tuple[Path, tuple[Problem, ...]]:
    """Copy a benchmark into the workspace, a directory or a tar, once it is found sound; whole or not at all.

    Give its place, and warnings. Raise UsageError with all that is wrong with it, StoreError for an unsafe archive.
    """
    if not source.exists():
        raise UsageError(f"{source}: no such directory or archive")
    if source.is_dir() and not is_there(source / FILE):
        raise UsageError(no_benchmark(source, FILE))
    with _fresh(ws) as fresh:
        take_in(source, fresh)
        root = top_of(fresh, FILE)
        if not is_there(root / FILE):
            expected = "expected one benchmark: its files, or one directory of them"
            raise UsageError(f"{source}: no {FILE} at its top{instead(root, FILE)}; {expected}")
        found = validate(ws, root, beside={})
        problems = tuple(replace(p, where=p.where.replace(str(root), str(source))) for p in found.problems)
        if found.scanned is None or not found.sound:
            raise UsageError("\n".join([*map(str, problems), f"{source} was not registered"]))
        name = found.scanned.benchmark.name
        refuse_name(name)
        target = ws.benchmarks / name
        if os.path.lexists(target) and not replacing:
            raise UsageError(f"a benchmark `{name}` is there already: {target}; --replace puts this one in its place")
        if not os.path.lexists(target) and (clash := namesake(found.scanned.benchmark, benchmarks_of(ws))):
            raise UsageError(f"{clash}\n{source} was not registered".replace(str(root), str(source)))
        publish_dir(root, target, valid=lambda _: True, replace=replacing)
    return target, problems


def delete(ws: Workspace, name: str) -> Path:
    """Remove a benchmark of the workspace by one rename; its results stay. Raise UsageError where there is none."""
    refuse_name(name)
    target = ws.benchmarks / name
    if not os.path.lexists(target):
        raise UsageError(f"no benchmark `{name}` in {ws.benchmarks}{did_you_mean(name, benchmarks_of(ws))}")
    with _fresh(ws) as aside:
        target.rename(aside)
    return target


@contextmanager
def _fresh(ws: Workspace) -> Iterator[Path]:
    """Give a path in the workspace for a tree that is not (or no longer) one of its benchmarks; remove what is left."""
    beside = ws.id_file.parent
    beside.mkdir(exist_ok=True)
    fresh = beside / f"tree-{secrets.token_hex(6)}"
    try:
        yield fresh
    finally:
        if fresh.is_symlink():
            fresh.unlink()
        forget(fresh)
