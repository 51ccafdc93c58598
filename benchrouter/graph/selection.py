"""From the words of `bench=` and `tasks=` to benchmarks and tasks; pure but for what `Catalog` looks up."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchrouter.graph.groups import ALL, EVERY
from benchrouter.spec.names import did_you_mean


@dataclass(frozen=True)
class Catalog:
    """What a word can name: benchmarks of the workspace by name, groups, directories anywhere.

    `directory` says which benchmark directory a path means, or None; `no_benchmark` why what a word names, and is
    there, is none.
    """

    benchmarks: Mapping[str, Path]
    groups: Mapping[str, tuple[str, ...]]
    directory: Callable[[str], Path | None]
    no_benchmark: Callable[[str], str] = lambda _: ""

    def words(self) -> list[str]:
        """List every name that can be typed."""
        return [*self.benchmarks, *self.groups, ALL]


@dataclass(frozen=True)
class Choice:
    """One chosen benchmark directory; `tasks` None means all of them. `word` is what was typed.

    `named` are the tasks that were typed one by one, also where all of them are chosen; members of groups are not.
    """

    root: Path
    tasks: tuple[str, ...] | None
    word: str
    named: tuple[str, ...] = ()


def words_or_default(words: Iterable[str], catalog: Catalog) -> tuple[str, ...]:
    """Give the words of `bench=`; without any the group `default`, or all benchmarks where there is no such group."""
    return tuple(words) or (("default",) if "default" in catalog.groups else (ALL,))


def choose(words: Iterable[str], catalog: Catalog, faults: list[str]) -> tuple[Choice, ...]:
    """Resolve the words of `bench=`; those that mean nothing are added to `faults`, one line each.

    Members of groups that mean nothing are left out here: `graph.groups` finds them, with their place.
    """
    chosen: dict[Path, Choice] = {}
    for word in words:
        found = list(_expand(word, catalog, ()))
        if not found and word not in catalog.groups and word not in (ALL, EVERY):
            faults.append(_nothing(word, catalog))
        for root, task in found:
            before = chosen.get(root, Choice(root, (), word))
            named = before.named if task is None or word in catalog.groups else _with(before.named, task)
            tasks = None if task is None or before.tasks is None else _with(before.tasks, task)
            chosen[root] = Choice(root, tasks, word, named)
    return tuple(chosen.values())


def _with(tasks: tuple[str, ...], task: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*tasks, task)))


def _expand(word: str, catalog: Catalog, within: tuple[str, ...]) -> Iterator[tuple[Path, str | None]]:
    """Give the benchmarks, with a task or whole, that a word means; only outside groups it may be a path."""
    name, _, task = word.partition("/")
    if word == EVERY:
        yield from ((root, None) for root in catalog.benchmarks.values())
    elif word in catalog.groups:
        for member in catalog.groups[word] if word not in within else ():
            yield from _expand(member, catalog, (*within, word))
    elif word == ALL:
        yield from ((root, None) for root in catalog.benchmarks.values())
    elif word in catalog.benchmarks:
        yield catalog.benchmarks[word], None
    elif name in catalog.benchmarks and task and "/" not in task:
        yield catalog.benchmarks[name], task
    elif not within and (root := catalog.directory(word)) is not None:
        yield root, None


def _nothing(word: str, catalog: Catalog) -> str:
    if told := catalog.no_benchmark(word):
        return told
    meant = did_you_mean(word, catalog.words()) or did_you_mean(word.partition("/")[0], catalog.benchmarks)
    return f"no benchmark, group or benchmark directory `{word}`{meant}{_known(catalog)}"


def _known(catalog: Catalog) -> str:
    names = catalog.words()
    return f"; known: {', '.join(names)}" if len(names) <= 12 else ""


def filter_tasks(
    words: tuple[str, ...],
    chosen: Mapping[str, tuple[str, ...]],
    declared: Mapping[str, tuple[str, ...]],
    faults: list[str],
    unsure: Collection[str] = (),
    named: Mapping[str, tuple[str, ...]] | None = None,
) -> dict[str, tuple[str, ...]]:
    """Apply `tasks=` (names, or benchmark/task) to the chosen tasks of each benchmark; every word must match.

    `chosen` and `declared` map a benchmark's name to its tasks; benchmarks that keep no task drop out. Words that mean
    nothing are added to `faults`, one line each, and nothing is left out then. Of `unsure` benchmarks not all tasks are
    known: what is not found may be theirs. Tasks that were `named` have to be declared, by default all that are chosen.
    """
    asked = (chosen if named is None else named).items()
    found = [
        *_undeclared({name: tasks for name, tasks in asked if name not in unsure}, declared),
        *([] if unsure else _unmatched(words, chosen)),
    ]
    faults += found
    sound = {name: tuple(task for task in tasks if task in declared[name]) for name, tasks in chosen.items()}
    if not words or found or unsure:
        return sound
    kept: dict[str, tuple[str, ...]] = {}
    for name, tasks in sound.items():
        own = tuple(task for task in tasks if {task, f"{name}/{task}"} & set(words))
        if own:
            kept[name] = own
    return kept


def _unmatched(words: Iterable[str], chosen: Mapping[str, tuple[str, ...]]) -> list[str]:
    known = [task for tasks in chosen.values() for task in tasks]
    matched = {*known, *(f"{name}/{task}" for name, tasks in chosen.items() for task in tasks)}
    return [f"no selected benchmark has a task `{w}`{did_you_mean(w, known)}" for w in words if w not in matched]


def _undeclared(chosen: Mapping[str, tuple[str, ...]], declared: Mapping[str, tuple[str, ...]]) -> list[str]:
    return [
        f"benchmark `{name}` has no task `{task}`{did_you_mean(task, declared[name])}"
        for name, tasks in chosen.items()
        for task in tasks
        if task not in declared[name]
    ]
