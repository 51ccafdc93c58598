"""Everything that a command reads before it can think: settings, benchmarks, environments, epochs, templates."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path

from benchrouter.graph.build import Ask, Environment, EnvironmentId, Selected
from benchrouter.graph.selection import Catalog, Choice, choose, filter_tasks
from benchrouter.keys.cache import StatCache
from benchrouter.keys.canonical import JSON
from benchrouter.keys.environment import environment_facts
from benchrouter.keys.facts import EnvironmentFacts
from benchrouter.keys.scan import ScannedBenchmark, scan_benchmark
from benchrouter.keys.settings import scan_settings
from benchrouter.make.lockfile import new_epoch, read_epochs
from benchrouter.make.variables import UsageError, Variables
from benchrouter.models.model import Model, resolve
from benchrouter.spec.benchmark import FILE, Benchmark, environment_directory, missing_environment
from benchrouter.spec.names import did_you_mean
from benchrouter.spec.problems import Problem, SpecError
from benchrouter.spec.settings import Settings
from benchrouter.store import layout
from benchrouter.store.workspace import Workspace


@dataclass(frozen=True)
class Sources:
    """What files and variables say, read once per command; `caches` are saved by commands that may write."""

    settings: Settings
    selected: tuple[Selected, ...]
    environments: Mapping[EnvironmentId, Environment]
    ask: Ask
    warnings: tuple[Problem, ...]
    caches: tuple[StatCache, ...]

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
) -> Sources:
    """Read everything that the variables ask for; raise SpecError or UsageError with all that is wrong.

    Without `bench=`, node names (`named`) mean the benchmarks in them, and `whole` all there are, whatever the
    default group holds.
    """
    reading = _Reading(ws, [])
    settings, warnings = scan_settings(ws.root, reading.cache(ws.root), environ)
    reading.problems += warnings
    models = tuple(resolve(name, settings, environ) for name in variables.models)
    catalog = _catalog(ws, settings, cwd)
    chosen = choose(variables.bench or _meant(named, catalog, whole=whole), catalog)
    scanned = reading.benchmarks(chosen)
    reading.refuse_names_of_others(scanned, catalog)
    selected = _select(scanned, chosen, variables.tasks)
    environments = reading.environments(selected)
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
        refresh=_refresh(variables.refresh, environments),
    )
    return Sources(
        settings, selected, environments, ask, tuple(reading.problems), tuple(reading.caches.values())
    )


def _catalog(ws: Workspace, settings: Settings, cwd: Path) -> Catalog:
    try:
        found = sorted(path for path in ws.benchmarks.iterdir() if (path / FILE).is_file())
    except OSError:
        found = []

    def directory(word: str) -> Path | None:
        path = (cwd / Path(word).expanduser()).resolve()
        return path if (path / FILE).is_file() else None

    return Catalog({path.name: path for path in found}, settings.groups, directory)


def _meant(named: Sequence[str], catalog: Catalog, *, whole: bool) -> tuple[str, ...]:
    """Find the benchmarks that node names mean: `job:hello/*` means hello; a name without one means all."""
    if not named:
        return ("all",) if whole else ()
    parts = [re.split("[/@]", word.partition(":")[2])[0] for word in named]
    if all(parts) and not any(word.startswith("base:") for word in named):
        found = [name for name in catalog.benchmarks if any(fnmatchcase(name, part) for part in parts)]
        if found:
            return tuple(found)
    return ("all",)


def _select(
    scanned: Mapping[Path, ScannedBenchmark], chosen: tuple[Choice, ...], words: tuple[str, ...]
) -> tuple[Selected, ...]:
    by_name = {scan.benchmark.name: scan for scan in scanned.values()}
    declared = {name: tuple(scan.tasks) for name, scan in by_name.items()}
    picked = {
        scanned[choice.root].benchmark.name: choice.tasks or tuple(scanned[choice.root].tasks)
        for choice in chosen
        if choice.root in scanned
    }
    kept = filter_tasks(words, picked, declared)
    return tuple(Selected(by_name[name], tasks) for name, tasks in kept.items())


def _refresh(words: tuple[str, ...], environments: Mapping[EnvironmentId, Environment]) -> dict[str, str]:
    known = ["/".join(ident) for ident in environments]
    unknown = [
        f"refresh={w}: no such environment in this run{did_you_mean(w, known)}"
        for w in words
        if w not in known
    ]
    if unknown:
        raise UsageError("\n".join(unknown))
    return {word: new_epoch() for word in words}


def _identities(
    models: tuple[Model, ...], selected: tuple[Selected, ...], reading: _Reading
) -> dict[tuple[str, str], JSON]:
    from benchrouter.models.answers import demo_identity

    return {
        (model.name, benchmark.name): (
            demo_identity(benchmark.root, reading.cache(benchmark.root)) if model.embedded else dict(model.identity)
        )
        for model in models
        for benchmark in (choice.scanned.benchmark for choice in selected)
    }


@dataclass
class _Reading:
    """Reads benchmarks and environments, and collects every problem before any of them is raised."""

    ws: Workspace
    problems: list[Problem]
    caches: dict[Path, StatCache] = field(default_factory=dict)

    def cache(self, root: Path) -> StatCache:
        """Open the stat cache of a benchmark directory once."""
        if root not in self.caches:
            self.caches[root] = StatCache.load(layout.hashes_dir(self.ws), root)
        return self.caches[root]

    def benchmarks(self, chosen: tuple[Choice, ...]) -> dict[Path, ScannedBenchmark]:
        scanned: dict[Path, ScannedBenchmark] = {}
        names: dict[str, Path] = {}
        for choice in chosen:
            try:
                scan = scan_benchmark(choice.root, self.cache(choice.root))
            except SpecError as error:
                self.problems += error.problems
                continue
            self.problems += (*scan.warnings, *scan.problems)
            other = names.setdefault(scan.benchmark.name, choice.root)
            if other != choice.root:
                text = f"two selected benchmarks are named `{scan.benchmark.name}`; the other one is {other}"
                self.problems.append(Problem(str(choice.root / FILE), None, text))
            scanned[choice.root] = scan
        self.refuse()
        return scanned

    def templates(self) -> dict[str, str]:
        """Digest the workspace's own templates, and try them."""
        if not self.ws.templates.is_dir():
            return {}
        from benchrouter.jobs.render import overridden_templates

        overridden = overridden_templates(self.ws)
        if overridden:
            from benchrouter.jobs.template_check import template_problems

            self.problems += template_problems(self.ws, overridden)
        return overridden

    def environments(self, selected: tuple[Selected, ...]) -> dict[EnvironmentId, Environment]:
        found: dict[EnvironmentId, Environment | None] = {}
        for choice in selected:
            benchmark = choice.scanned.benchmark
            tasks = [choice.scanned.tasks[task] for task in choice.tasks]
            names = [name for facts in tasks for name in (facts.environment, *facts.needs_environments)]
            for name in dict.fromkeys(names):
                self._environment(benchmark, name, found)
            for ref in dict.fromkeys(ref for facts in tasks for ref in facts.needs_images):
                self._named(benchmark, ref, found)
        return {ident: environment for ident, environment in found.items() if environment is not None}

    def _environment(
        self, benchmark: Benchmark, name: str, found: dict[EnvironmentId, Environment | None]
    ) -> None:
        """Read an environment and what it builds on, unless that is done or under way."""
        if (benchmark.name, name) in found:
            return
        found[benchmark.name, name] = None
        directory = environment_directory(benchmark, name, self.ws.root)
        if directory is None:
            self.problems.append(missing_environment(benchmark, name, self.ws.root))
            return
        try:
            facts = environment_facts(directory, benchmark.options(name), self.cache(benchmark.root))
        except SpecError as error:
            self.problems += error.problems
            return
        meant = {ref: self._sibling(benchmark, ref, facts) for ref in facts.sibling_refs}
        siblings = {ref: sibling for ref, sibling in meant.items() if sibling is not None}
        found[benchmark.name, name] = Environment(
            facts, {ref: (owner.name, environment) for ref, (owner, environment) in siblings.items()}
        )
        for owner, environment in siblings.values():
            self._environment(owner, environment, found)

    def _named(
        self, benchmark: Benchmark, ref: str, found: dict[EnvironmentId, Environment | None]
    ) -> None:
        """Read the environment that an image of a task means; one that means none is looked for outside."""
        meant = self._meant(benchmark, ref)
        if meant is not None:
            self._environment(*meant, found)

    def _meant(self, benchmark: Benchmark, ref: str) -> tuple[Benchmark, str] | None:
        from benchrouter.spec.dockerfile import siblings

        for name, environment in siblings(ref):
            owner = benchmark if name in (None, benchmark.name) else self._other(name or "")
            if owner and environment_directory(owner, environment, self.ws.root):
                return owner, environment
        return None

    def _sibling(
        self, benchmark: Benchmark, ref: str, facts: EnvironmentFacts
    ) -> tuple[Benchmark, str] | None:
        """Find the environment that a sibling reference means, or add what is wrong with it."""
        meant = self._meant(benchmark, ref)
        if meant is not None:
            return meant
        text = f"`{ref}`: no such environment, neither of this benchmark nor of another in the workspace"
        self.problems.append(Problem(str(facts.dockerfile), None, text))
        return None

    def _other(self, name: str) -> Benchmark | None:
        root = self.ws.benchmarks / name
        if not (root / FILE).is_file():
            return None
        return scan_benchmark(root, self.cache(root), frozenset()).benchmark

    def refuse_names_of_others(self, scanned: Mapping[Path, ScannedBenchmark], catalog: Catalog) -> None:
        """Refuse a benchmark from elsewhere that is named like one of the workspace: results would mix."""
        for root, scan in scanned.items():
            own = catalog.benchmarks.get(scan.benchmark.name)
            if own is not None and own.resolve() != root.resolve():
                text = f"is named `{scan.benchmark.name}` like {own}, and their results would mix; rename one of them"
                self.problems.append(Problem(str(root / FILE), None, text))

    def refuse(self) -> None:
        """Raise SpecError if anything found so far is an error."""
        if any(not problem.warning for problem in self.problems):
            raise SpecError(self.problems)


def without_models(variables: Variables) -> Variables:
    """Drop the models: for commands that concern images alone."""
    return replace(variables, models=())
