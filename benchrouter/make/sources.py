"""Everything that a command reads before it can think: settings, benchmarks, environments, epochs, templates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from benchrouter.graph.build import Ask, Environment, EnvironmentId, Selected
from benchrouter.graph.groups import ALL, EVERY, doubtful_groups
from benchrouter.graph.selection import Catalog, Choice, choose, words_or_default
from benchrouter.keys.cache import StatCache
from benchrouter.keys.canonical import JSON
from benchrouter.make.environments import read_environments
from benchrouter.make.leniency import LeftOut, readable
from benchrouter.make.lockfile import new_epoch, read_epochs
from benchrouter.make.obtaining import stray_hints
from benchrouter.make.reading import Reading
from benchrouter.make.variables import Variables
from benchrouter.make.volumes import Volume, read_volumes
from benchrouter.models.model import DEMO, Model
from benchrouter.spec.benchmark import FILE, environment_directory
from benchrouter.spec.inputs import is_there
from benchrouter.spec.instead import near_miss, no_benchmark
from benchrouter.spec.names import did_you_mean
from benchrouter.spec.problems import Problem, in_order
from benchrouter.spec.settings import Settings
from benchrouter.store.workspace import Workspace


@dataclass(frozen=True)
class Sources:
    """What files and variables say, read once per command; `caches` are saved by commands that may write.

    `nothing` says why nothing is selected where that is so, "" elsewhere; `left_out` are benchmarks that a lenient
    command could do without.
    """

    settings: Settings
    selected: tuple[Selected, ...]
    environments: Mapping[EnvironmentId, Environment]
    ask: Ask
    volumes: Mapping[str, Volume]
    warnings: tuple[Problem, ...]
    nothing: str
    caches: tuple[StatCache, ...]
    left_out: tuple[LeftOut, ...] = ()

    def save_caches(self) -> None:
        """Write the stat caches that learnt something; a cache that cannot be written is only slower next time."""
        for cache in self.caches:
            try:
                cache.save()
            except OSError:
                return


def load(
    ws: Workspace,
    variables: Variables,
    environ: Mapping[str, str],
    cwd: Path,
    named: Sequence[str] = (),
    *,
    whole: bool = False,
    lenient: bool = False,
) -> Sources:
    """Read everything that the variables ask for; raise SpecError or UsageError with all that is wrong.

    Without `bench=`, node names (`named`) mean the benchmarks in them, and `whole` all there are, whatever the
    default group holds. `lenient` leaves out benchmarks that nobody named and that cannot be read.
    """
    reading = Reading(ws)
    settings = reading.settings(environ)
    models = reading.models(variables.models, settings, environ)
    catalog = _catalog(ws, settings, cwd)
    words = _words(variables.bench or _meant(named, catalog, whole=whole), catalog, settings)
    reading.groups(words, catalog, settings)
    chosen, left_out = _chosen(reading, words, catalog, settings, named=bool(variables.bench), lenient=lenient)
    scanned = reading.benchmarks(chosen, catalog)
    reading.tasks_of_groups(words, scanned, catalog, settings)
    unsure = doubtful_groups(words, catalog.groups, catalog.benchmarks) if settings.groups_known else ["groups"]
    selected = reading.selected(scanned, chosen, variables.tasks, unsure)
    environments = read_environments(reading, selected)
    volumes = read_volumes(reading, settings, selected)
    reading.problems += stray_hints(selected, environments)
    refresh = _refresh(variables.refresh, environments, selected, reading)
    templates = reading.templates()
    reading.refuse()
    ask = Ask(
        models=models,
        identities=_identities(models, selected, reading),
        variables=variables.environment,
        templates=templates,
        repeat=variables.repeat,
        seed=variables.seed,
        epochs=read_epochs(ws.root),
        refresh=refresh,
        data={name: volume.identity for name, volume in volumes.items()},
    )
    warnings, caches = in_order(reading.problems), tuple(reading.caches.values())
    nothing = "" if selected else _nothing(ws, catalog, words)
    return Sources(settings, selected, environments, ask, volumes, warnings, nothing, caches, left_out)


def _chosen(
    reading: Reading, words: Sequence[str], catalog: Catalog, settings: Settings, *, named: bool, lenient: bool
) -> tuple[tuple[Choice, ...], tuple[LeftOut, ...]]:
    """Choose what the words mean, and what of it is left out; `named` tells that they were typed."""
    chosen = choose(words, catalog, reading.mistakes if settings.groups_known else [])
    if reading.broken and not chosen and not named and settings.groups_known:
        # What the default was meant to be is not known: every benchmark's faults show with those of the settings.
        chosen = choose([ALL], catalog, [])
    return readable(reading, chosen, catalog, settings) if lenient and not named else (chosen, ())


def _nothing(ws: Workspace, catalog: Catalog, words: Iterable[str]) -> str:
    if catalog.benchmarks:
        return f"nothing to do: {', '.join(words)} names no benchmark"
    none = f"no benchmarks in {ws.benchmarks}; one is a directory there with a {FILE}, or named by path (bench=PATH)"
    return "\n".join([*(str(problem) for problem in nearly_benchmarks(ws)), none])


def nearly_benchmarks(ws: Workspace) -> list[Problem]:
    """Find directories beside the benchmarks whose file has a name that is not quite the one it should have."""
    there = sorted(ws.benchmarks.glob("[!.]*/")) if ws.benchmarks.is_dir() else []
    misses = ((path, near_miss(path, FILE)) for path in there if not is_there(path / FILE))
    text = f"is not read; the file of a benchmark is named `{FILE}`"
    return [Problem(str(path / miss), None, text, warning=True) for path, miss in misses if miss]


def _words(given: tuple[str, ...], catalog: Catalog, settings: Settings) -> tuple[str, ...]:
    """Say what is meant; nothing where that stands in settings that cannot be read."""
    if not settings.groups_known and not given and "default" not in catalog.groups:
        return ()
    return words_or_default(given, catalog)


def _catalog(ws: Workspace, settings: Settings, cwd: Path) -> Catalog:
    def directory(word: str) -> Path | None:
        path = (cwd / Path(word).expanduser()).resolve()
        return path if is_there(path / FILE) else None

    def none(word: str) -> str:
        return no_benchmark(ws.benchmarks / word, FILE) or no_benchmark(cwd / Path(word).expanduser(), FILE)

    return Catalog(benchmarks_of(ws), settings.groups, directory, none)


def benchmarks_of(ws: Workspace) -> dict[str, Path]:
    """List the benchmarks of the workspace by their directories' names; a hidden one is none."""
    try:
        there = sorted(path for path in ws.benchmarks.iterdir() if not path.name.startswith("."))
    except OSError:
        return {}
    return {path.name: path for path in there if is_there(path / FILE)}


def _meant(named: Sequence[str], catalog: Catalog, *, whole: bool) -> tuple[str, ...]:
    """Find the benchmarks that node names mean: `job:hello/*` means hello; a name without one means all."""
    if not named:
        return (EVERY,) if whole else ()
    parts = [re.split("[/@]", word.partition(":")[2])[0] for word in named]
    if all(parts) and not any(word.startswith("base:") for word in named):
        found = [name for name in catalog.benchmarks if any(fnmatchcase(name, part) for part in parts)]
        if found:
            return tuple(found)
    return ("all",)


def _refresh(
    words: tuple[str, ...],
    environments: Mapping[EnvironmentId, Environment],
    selected: tuple[Selected, ...],
    reading: Reading,
) -> dict[str, str]:
    known = ["/".join(ident) for ident in environments]
    benchmarks = {choice.scanned.benchmark.name: choice.scanned.benchmark for choice in selected}

    def may_be_there(word: str) -> bool:
        """Tell whether files with errors keep us from knowing the environment."""
        name, _, environment = word.partition("/")
        owner = benchmarks.get(name)
        there = owner is None or environment_directory(owner, environment, reading.ws.root) is not None
        return reading.broken and there

    reading.mistakes += [
        f"refresh={word}: no such environment in this run{did_you_mean(word, known)}"
        for word in words
        if word not in known and not may_be_there(word)
    ]
    return {word: new_epoch() for word in words}


def _identities(
    models: tuple[Model, ...], selected: tuple[Selected, ...], reading: Reading
) -> dict[tuple[str, str], JSON]:
    from benchrouter.models.answers import demo_identity

    return {
        (model.name, benchmark.name): (
            demo_identity(benchmark.root, reading.cache(benchmark.root)) if model.name == DEMO else dict(model.identity)
        )
        for model in models
        for benchmark in (choice.scanned.benchmark for choice in selected)
    }
