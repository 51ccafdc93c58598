"""Logs of jobs, running and ended: where the newest attempt's are, their ends, and following them as they grow."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from benchrouter.graph.words import for_people, meant
from benchrouter.jobs.logs import LogReader
from benchrouter.make.variables import UsageError
from benchrouter.spec.names import did_you_mean, encode
from benchrouter.store import attempts, documents, layout
from benchrouter.store.journal import living
from benchrouter.store.workspace import Workspace

_FIRST = ("stdout.log", "stderr.log")
_TICK = 0.3


@dataclass(frozen=True)
class Attempt:
    """One attempt at a job, by the job's label; `when` it began (running) or was written; `model` as it is called."""

    label: str
    directory: Path
    state: str
    when: float
    run_id: str = ""
    model: str = ""

    @property
    def shown(self) -> str:
        """Name the job for people."""
        return for_people(f"job:{self.label}", (self.model,)).removeprefix("job:")

    @property
    def logs(self) -> Path:
        """Where its logs lie."""
        return self.directory / layout.LOGS

    def files(self) -> list[Path]:
        """List its logs, the task's own first."""
        try:
            there = [path for path in self.logs.iterdir() if path.suffix == ".log" and path.is_file()]
        except OSError:
            return []
        return sorted(there, key=lambda path: (path.name not in _FIRST, path.name != _FIRST[0], path.name))


def newest(ws: Workspace, word: str) -> tuple[Attempt, int]:
    """Find the newest attempt at a job, a running one before all others, and how many jobs the word means.

    A word is a node's name, with a model as it is called too, BENCHMARK/TASK for any model, or a pattern; a repeat
    stands before or after the model. Raise UsageError when no attempt is known.
    """
    meant = [attempt for attempt in (*_running(ws), *_ended(ws, word)) if means(word, attempt.label, attempt.model)]
    if not meant:
        known = {f"{benchmark}/{task}" for benchmark, _, task in _tasks(ws)}
        raise UsageError(f"no attempt at a job `{word}`{did_you_mean(word.removeprefix('job:'), known)}")
    chosen = max(meant, key=lambda attempt: (attempt.state == "RUNNING", attempt.when))
    return chosen, len({attempt.label for attempt in meant})


def means(word: str, label: str, model: str) -> bool:
    """Tell whether a word means the job of this label, whose model is called so."""
    return bool(meant(f"job:{word.removeprefix('job:')}", [f"job:{label}"], (model,)))


def _running(ws: Workspace) -> Iterator[Attempt]:
    for each in attempts.running(ws):
        repeat = f"#{each.id.repeat}" if each.id.repeat else ""
        label = f"{each.id.benchmark}/{each.id.task}@{encode(each.id.model)}{repeat}"
        yield Attempt(label, each.directory / "staging", "RUNNING", each.since, each.run_id, each.id.model)


def _tasks(ws: Workspace) -> Iterator[tuple[str, str, str]]:
    """List what has results, as names of directories: benchmark, model, task."""
    for path in sorted(ws.results.glob("*/*/*")):
        if path.is_dir() and path.name != "aggregates":
            benchmark, model, task = path.relative_to(ws.results).parts
            yield benchmark, model, task


def _ended(ws: Workspace, word: str) -> Iterator[Attempt]:
    """Read the attempts at jobs that the word may mean: not all of ten thousand."""
    job = word.removeprefix("job:").partition("@")[0].partition("#")[0]
    for benchmark, model, task in _tasks(ws):
        if fnmatchcase(f"{benchmark}/{task}", job) or any(char in word for char in "*?["):
            yield from _attempts(ws.results / benchmark / model / task, f"{benchmark}/{task}@{model}")


def _attempts(directory: Path, label: str) -> Iterator[Attempt]:
    for path in [*directory.glob(f"*/{layout.JOB}"), *directory.glob(f"failed/*/{layout.JOB}")]:
        facts = documents.read(path)
        if facts is None:
            continue
        repeat = f"#{facts['repeat']}" if facts.get("repeat") else ""
        try:
            model = str(facts.get("model") or "")
            yield Attempt(label + repeat, path.parent, str(facts["state"]), path.stat().st_mtime, model=model)
        except (OSError, KeyError):
            continue


def ends(text: str, lines: int | None) -> str:
    """Give the last lines of a log, all of it for None."""
    return text if lines is None else "".join(text.splitlines(keepends=True)[-lines:] if lines else [])


def texts(attempt: Attempt, lines: int | None) -> Iterator[tuple[str, str]]:
    """Give the ends of an attempt's logs as they are now, as (file, text)."""
    for path in attempt.files():
        reader = LogReader(path)
        try:
            yield path.name, ends("".join(reader.read()), lines)
        finally:
            reader.close()


def follow(ws: Workspace, attempt: Attempt, lines: int | None) -> Iterator[tuple[str, str]]:
    """Give the ends of a running attempt's logs, then what is added to them, as (file, text), until it has ended.

    Files are held open, so that what is written last is read though the directory has been moved by then.
    """
    opened: dict[str, LogReader] = {}
    try:
        for path in attempt.files():
            opened[path.name] = LogReader(path)
            yield path.name, ends("".join(opened[path.name].read()), lines)
        going = True
        while going:
            going = attempt.directory.exists() and any(owner.run_id == attempt.run_id for owner in living(ws))
            for path in attempt.files():
                if path.name not in opened:
                    opened[path.name] = LogReader(path)
            for name, reader in opened.items():
                yield from ((name, text) for text in reader.read())
            if going:
                time.sleep(_TICK)
    finally:
        for reader in opened.values():
            reader.close()
