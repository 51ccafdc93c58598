"""What BENCH means to the commands that read results: the words of `run`, of what has results."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path


def asked(words: Sequence[str], there: Collection[str]) -> dict[str, list[str]]:
    """Give the tasks by benchmark, none for all of them; words mean what they mean to `run`.

    Of a group, benchmarks beside `there` are left out; a word that means nothing is taken for a benchmark's name, which
    then is said to have no results. Raise ScoresError for a path that is no benchmark.
    """
    from benchrouter.graph.selection import Catalog, choose

    catalog = Catalog({name: Path(name) for name in sorted(there)}, _groups(), _named_in)
    faults: list[str] = []
    found: dict[str, list[str]] = {}
    for word in words:
        chosen = choose([word], catalog, faults)
        for choice in chosen:
            before = found.get(choice.root.name)
            more = None if choice.tasks is None or before == [] else [*(before or ()), *choice.tasks]
            found[choice.root.name] = list(dict.fromkeys(more or ()))
        if not chosen:
            name, task = _unknown(word, catalog.groups)
            found.setdefault(name, []).extend([task] if task else [])
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


def _unknown(word: str, groups: Mapping[str, tuple[str, ...]]) -> tuple[str, str]:
    from benchrouter.scores.problems import ScoresError
    from benchrouter.spec.benchmark import FILE

    if word in groups:
        raise ScoresError(f"group `{word}`: no benchmark of it has results")
    name, _, task = word.partition("/")
    if word.startswith(("/", ".", "~")) or "/" in task:
        raise ScoresError(f"{word}: no {FILE} there; expected a benchmark, BENCHMARK/TASK, a group, or a directory")
    return name, task


def _groups() -> dict[str, tuple[str, ...]]:
    """Read the groups of the workspace here; without one, as for a copy of results, there are none."""
    from benchrouter.spec.settings import load_plain_settings
    from benchrouter.store.problems import StoreError
    from benchrouter.store.workspace import Workspace

    try:
        plain, _ = load_plain_settings(Workspace.find(Path.cwd()).root)
    except StoreError:
        return {}
    return {name: tuple(members) for name, members in (plain.data.get("groups") or {}).items()}


def _named_in(word: str) -> Path | None:
    """Give the name of the benchmark in a directory, as a path of that one part."""
    from benchrouter.faces.place import typed_path
    from benchrouter.spec.benchmark import FILE
    from benchrouter.spec.yamlfile import read

    path = typed_path(word)
    return Path(read(path / FILE).text(("name",)) or path.resolve().name) if (path / FILE).is_file() else None
