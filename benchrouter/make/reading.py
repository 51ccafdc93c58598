"""Reading what a command needs of files: every fault is collected before any of them is raised."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchrouter.graph.build import Selected
from benchrouter.graph.groups import GroupFault, undeclared_tasks, unknown_members, used_groups
from benchrouter.graph.selection import Catalog, Choice, filter_tasks
from benchrouter.keys.cache import StatCache
from benchrouter.keys.scan import ScannedBenchmark, faults_of_tasks, scan_benchmark
from benchrouter.keys.settings import scan_settings
from benchrouter.make.namesakes import at_its_name, namesake
from benchrouter.make.variables import UsageError
from benchrouter.models.model import Model, ModelError, resolve
from benchrouter.spec.instead import near_miss
from benchrouter.spec.problems import Problem, SpecError, in_order
from benchrouter.spec.settings import FILE as SETTINGS_FILE
from benchrouter.spec.settings import Settings
from benchrouter.store import layout
from benchrouter.store.workspace import Workspace


@dataclass
class Reading:
    """What was found wrong so far: `problems` of files, `mistakes` of the command line."""

    ws: Workspace
    problems: list[Problem] = field(default_factory=list)
    mistakes: list[str] = field(default_factory=list)
    caches: dict[Path, StatCache] = field(default_factory=dict)

    @property
    def broken(self) -> bool:
        """Tell whether a file has an error: then what it should have said is not known."""
        return any(not problem.warning for problem in self.problems)

    def cache(self, root: Path) -> StatCache:
        """Open the stat cache of a benchmark directory once."""
        if root not in self.caches:
            self.caches[root] = StatCache.load(layout.hashes_dir(self.ws), root)
        return self.caches[root]

    def settings(self, environ: Mapping[str, str]) -> Settings:
        """Read the workspace's settings; of files with errors what is sound of the groups."""
        settings, problems = scan_settings(self.ws.root, self.cache(self.ws.root), environ)
        self.problems += problems
        if near := near_miss(self.ws.root, SETTINGS_FILE):
            text = f"is not read; settings stand in `{SETTINGS_FILE}`"
            self.problems.append(Problem(str(self.ws.root / near), None, text, warning=True))
        return settings

    def models(self, names: Iterable[str], settings: Settings, environ: Mapping[str, str]) -> tuple[Model, ...]:
        """Resolve the models that are asked for, unless what is declared of them is not known."""
        found = []
        for name in names if not self.broken else ():
            try:
                found.append(resolve(name, settings, environ))
            except ModelError as error:
                self.mistakes.append(str(error))
        return tuple(found)

    def groups(self, words: Iterable[str], catalog: Catalog, settings: Settings) -> None:
        """Check the members of all groups: an error in a group that is used, else one warning a group."""
        self._group_faults(unknown_members(catalog.groups, catalog.benchmarks, catalog.no_benchmark), words, settings)

    def tasks_of_groups(
        self, words: Iterable[str], scanned: Mapping[Path, ScannedBenchmark], catalog: Catalog, settings: Settings
    ) -> None:
        """Check the tasks that groups name, as far as their benchmarks were read."""
        roots = {root: name for name, root in catalog.benchmarks.items()}
        told = {root: scan for root, scan in scanned.items() if root in roots and scan.benchmark.complete}
        declared = {roots[root]: _declared(scan) for root, scan in told.items()}
        self._group_faults(undeclared_tasks(catalog.groups, declared), words, settings)

    def _group_faults(self, faults: Iterable[GroupFault], words: Iterable[str], settings: Settings) -> None:
        used = used_groups(words, settings.groups)
        unused: dict[str, list[GroupFault]] = {}
        for fault in faults:
            if fault.group in used:
                self.problems.append(_group_problem(settings, fault, fault.text))
            else:
                unused.setdefault(fault.group, []).append(fault)
        for first, *more in unused.values():
            others = f", and {len(more)} more like it" if more else ""
            self.problems.append(_group_problem(settings, first, first.text + others, warning=True))

    def benchmarks(self, chosen: tuple[Choice, ...], catalog: Catalog) -> dict[Path, ScannedBenchmark]:
        """Scan the chosen benchmarks."""
        scanned: dict[Path, ScannedBenchmark] = {}
        names: dict[str, Path] = {}
        for choice in chosen:
            try:
                scan = scan_benchmark(choice.root, self.cache(choice.root))
            except SpecError as error:
                self.problems += (*error.problems, *faults_of_tasks(choice.root))
                continue
            self.problems += (*scan.warnings, *scan.problems)
            if not scan.benchmark.complete:
                self.problems += faults_of_tasks(choice.root)
            scanned[choice.root] = scan
            other = names.setdefault(scan.benchmark.name, choice.root)
            if clash := namesake(scan.benchmark, catalog.benchmarks):
                self.problems.append(clash)
            elif other != choice.root and not namesake(scanned[other].benchmark, catalog.benchmarks):
                text = f"two selected benchmarks are named `{scan.benchmark.name}`; the other one is {other}"
                self.problems.append(at_its_name(choice.root, text))
        return scanned

    def selected(
        self,
        scanned: Mapping[Path, ScannedBenchmark],
        chosen: tuple[Choice, ...],
        words: tuple[str, ...],
        unsure: Iterable[str],
    ) -> tuple[Selected, ...]:
        """Keep the tasks that `bench=` and `tasks=` ask for; `unsure` are words that may mean more than was told."""
        by_name = {scan.benchmark.name: scan for scan in scanned.values()}
        declared = {name: _declared(scan) for name, scan in by_name.items()}
        picked = {
            scanned[choice.root].benchmark.name: choice.tasks or _declared(scanned[choice.root])
            for choice in chosen
            if choice.root in scanned
        }
        named = {scanned[c.root].benchmark.name: c.named for c in chosen if c.root in scanned}
        incomplete = {name for name, scan in by_name.items() if not scan.benchmark.complete}
        unread = {choice.word for choice in chosen if choice.root not in scanned}
        kept = filter_tasks(words, picked, declared, self.mistakes, {*unsure, *incomplete, *unread}, named)
        return tuple(Selected(by_name[name], tasks) for name, tasks in kept.items())

    def templates(self) -> dict[str, str]:
        """Digest the workspace's own templates, and try them."""
        if not self.ws.templates.is_dir():
            return {}
        from benchrouter.jobs.template_files import overridden_templates, replaced_templates

        replaced = replaced_templates(self.ws)
        if not replaced:
            return {}
        from benchrouter.jobs.template_check import template_problems

        self.problems += template_problems(self.ws, replaced)
        try:
            return overridden_templates(self.ws)
        except OSError as error:
            self.problems.append(Problem(str(error.filename), None, f"cannot be read: {error.strerror}"))
            return {}

    def refuse(self) -> None:
        """Raise SpecError or UsageError, with everything, if anything found so far is an error."""
        if self.broken and not self.mistakes:
            raise SpecError(self.problems)
        if self.mistakes:
            found = in_order(self.problems) if self.broken else ()
            raise UsageError("\n".join([*map(str, found), *self.mistakes]))


def _declared(scan: ScannedBenchmark) -> tuple[str, ...]:
    return tuple(entry.name for entry in scan.benchmark.tasks)


def _group_problem(settings: Settings, fault: GroupFault, text: str, *, warning: bool = False) -> Problem:
    path = ("groups", fault.group) if fault.index is None else ("groups", fault.group, fault.index)
    return Problem(*settings.place(*path), text, warning)
