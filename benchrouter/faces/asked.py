"""What BENCH means to the commands that read results: the words of `run`, of what has results."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchrouter.faces.unrun import Unrun
    from benchrouter.scores.comparison.compared import Comparison
    from benchrouter.scores.scope import Scope


def scope_of(
    results: Path,
    words: Sequence[str] = (),
    models: Sequence[str] = (),
    tasks: Sequence[str] = (),
    *,
    here: Path | None = None,
    unrun: Unrun | None = None,
) -> Scope:
    """Give what the words of BENCH, --model and --tasks leave of all results.

    Names without results raise ScoresError, unless they stand in `unrun`. `here` is in the workspace, and where paths
    are typed.
    """
    from benchrouter.faces.unrun import Unrun
    from benchrouter.scores.comparison.choosing import benchmarks
    from benchrouter.scores.scope import Scope

    unrun = unrun or Unrun()
    if not words and not tasks:
        found = None
    else:
        there = {*benchmarks(results), *unrun.tasks}
        whole = asked(words, there, here=here) if words else {name: [] for name in sorted(there)}
        found = within(whole, tasks)
        if tasks:  # of several benchmarks, those that have the tasks are meant
            found = _that_have_them(results, found, unrun)
    scope = Scope(found, tuple(models))
    _require(results, scope, unrun)
    return scope


def results_at(path: Path) -> Path:
    """Give a results directory, or a copy of one, that was named; raise ScoresError where there is none."""
    from benchrouter.scores.problems import ScoresError

    if not path.is_dir():
        raise ScoresError(f"{path}: no such directory; `results` has to be a results directory or a copy of one")
    return path


def asked(words: Sequence[str], there: Collection[str], *, here: Path | None = None) -> dict[str, list[str]]:
    """Give the tasks by benchmark, none for all of them; words mean what they mean to `run`.

    Of a group, benchmarks beside `there` are left out; a word that means nothing is taken for a benchmark's name, which
    then is said to have no results. Raise ScoresError for a path that is no benchmark.
    """
    from benchrouter.graph.selection import Catalog, choose

    catalog = Catalog({name: Path(name) for name in sorted(there)}, _groups(here), lambda word: _named_in(word, here))
    faults: list[str] = []
    found: dict[str, list[str]] = {}
    for word in words:
        chosen = choose([word], catalog, faults)
        for choice in chosen:
            before = found.get(choice.root.name)
            more = None if choice.tasks is None or before == [] else [*(before or ()), *choice.tasks]
            found[choice.root.name] = list(dict.fromkeys(more or ()))
        if not chosen:
            name, task = _unknown(word, catalog.groups, here)
            found.setdefault(name, []).extend([task] if task else [])
    return found


def compared(
    root: Path,
    words: Sequence[str],
    models: Sequence[str],
    tasks: Sequence[str],
    *,
    variables: Mapping[str, str] | None,
    detail: bool,
    flips: bool,
    here: Path | None = None,
) -> list[Comparison]:
    """Compare the models of each benchmark that the words mean; raise ScoresError where there is nothing to compare."""
    from benchrouter.scores.comparison.choosing import benchmarks
    from benchrouter.scores.comparison.compared import compare_models
    from benchrouter.scores.problems import ScoresError

    known = benchmarks(root)
    wanted = asked(words, known, here=here) if words else {name: [] for name in known}
    text = f"no such task in {', '.join(wanted)}" if wanted else f"{root}: no results yet; `doit run` makes some"
    found, missing = [], ScoresError(text)
    for name, own in within(wanted, tasks).items():
        try:
            found.append(
                compare_models(root, name, models, tasks=own, variables=variables, detail=detail, flips=flips)
            )
        except ScoresError as error:
            if name not in known:
                raise
            missing = error  # of several benchmarks, those that have what was asked for are shown
    if not found:
        raise missing
    return found


def within(found: Mapping[str, list[str]], tasks: Sequence[str]) -> dict[str, list[str]]:
    """Look at some tasks only, as --tasks does: those of each benchmark, or of one as BENCHMARK/TASK."""
    if not tasks:
        return dict(found)
    kept = {}
    for name, own in found.items():
        mine = [task.removeprefix(f"{name}/") for task in tasks]
        kept[name] = [task for task in mine if "/" not in task and (task in own or not own)]
    return {name: own for name, own in kept.items() if own}


def _that_have_them(results: Path, found: Mapping[str, list[str]], unrun: Unrun) -> dict[str, list[str]]:
    from benchrouter.scores.problems import ScoresError
    from benchrouter.spec.names import did_you_mean

    known = _tasks(results, found, unrun)
    kept = {name: [task for task in own if task in known[name]] for name, own in found.items()}
    every = {task for own in known.values() for task in own}
    missing = {task for own in found.values() for task in own} - {task for own in kept.values() for task in own}
    if missing or not found:
        faults = [f"no result of task `{task}`{did_you_mean(task, every)}" for task in sorted(missing)]
        raise ScoresError("\n".join(faults or ["no result of these tasks"]))
    return {name: own for name, own in kept.items() if own}


def _require(results: Path, scope: Scope, unrun: Unrun) -> None:
    """Raise ScoresError for a name that has no result, with the nearest that has one."""
    from benchrouter.scores.collected import aggregates
    from benchrouter.scores.problems import ScoresError
    from benchrouter.spec.names import did_you_mean

    pairs = {(one.benchmark, one.model) for one in aggregates(results)}
    there = {
        "benchmark": {*unrun.tasks, *(pair[0] for pair in pairs)},
        "model": {*unrun.models, *(pair[1] for pair in pairs)},
    }
    faults = [
        f"no result of {kind} `{name}`{did_you_mean(name, there[kind])}"
        for kind, names in (("benchmark", scope.benchmarks or ()), ("model", scope.models))
        for name in names
        if name not in there[kind]
    ]
    named = {name: own for name, own in (scope.tasks or {}).items() if own and name in there["benchmark"]}
    known = _tasks(results, named, unrun)
    faults += [
        f"{name}: no result of task `{task}`{did_you_mean(task, known[name])}"
        for name, own in named.items()
        for task in own
        if task not in known[name]
    ]
    if faults:
        raise ScoresError("\n".join(faults))


def _tasks(results: Path, names: Collection[str], unrun: Unrun) -> dict[str, set[str]]:
    from benchrouter.scores.collected import aggregates

    run = {name: {task for one in aggregates(results, name) for task in one.tasks} for name in names}
    return {name: tasks | unrun.tasks.get(name, frozenset()) for name, tasks in run.items()}


def _unknown(word: str, groups: Mapping[str, tuple[str, ...]], here: Path | None) -> tuple[str, str]:
    from benchrouter.scores.problems import ScoresError
    from benchrouter.spec.benchmark import FILE
    from benchrouter.spec.instead import no_benchmark

    if word in groups:
        raise ScoresError(f"group `{word}`: no benchmark of it has results")
    name, _, task = word.partition("/")
    if word.startswith(("/", ".", "~")) or "/" in task:
        told = no_benchmark(_typed(word, here), FILE)
        raise ScoresError(
            told or f"{word}: no {FILE} there; expected a benchmark, BENCHMARK/TASK, a group, or a directory"
        )
    return name, task


def _groups(here: Path | None) -> dict[str, tuple[str, ...]]:
    """Read the groups of the workspace here; without one, as for a copy of results, there are none."""
    from benchrouter.spec.settings import load_plain_settings
    from benchrouter.store.problems import StoreError
    from benchrouter.store.workspace import Workspace

    try:
        plain, _ = load_plain_settings(Workspace.find(here or Path.cwd()).root)
    except StoreError:
        return {}
    return {name: tuple(members) for name, members in (plain.data.get("groups") or {}).items()}


def _named_in(word: str, here: Path | None) -> Path | None:
    """Give the name of the benchmark in a directory, as a path of that one part."""
    from benchrouter.spec.benchmark import FILE
    from benchrouter.spec.yamlfile import read

    path = _typed(word, here)
    return Path(read(path / FILE).text(("name",)) or path.resolve().name) if (path / FILE).is_file() else None


def _typed(word: str, here: Path | None) -> Path:
    from benchrouter.faces.place import typed_path

    return typed_path(word) if here is None else here / Path(word).expanduser()
