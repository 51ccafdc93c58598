"""`doit perf`: the claims of speed, as ratios within one run; `doit perf seed DIR` leaves a workspace to time."""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchrouter.make.commands.guard import NOT_ALL_COMPLETED, OK
from benchrouter.make.commands.plain import PlainCommand
from benchrouter.make.variables import UsageError

_PARTS = ("containers", "uptodate", "hashing", "compose", "archive", "dind")


class Perf(PlainCommand):
    """Measures, and ends with 1 when a goal is missed; no test calls it, because machines are shared."""

    doc_purpose = "measure speed as ratios (parts: containers uptodate hashing compose archive dind), or: perf seed DIR"
    doc_usage = "[containers] [uptodate] [hashing] [compose] [archive] [dind] | seed DIR"

    def answer(self, options: Any, args: list[str]) -> int:
        """Measure the named parts, all by default."""
        if args and args[0] == "seed":
            return _seed(args[1:])
        odd = [word for word in args if word not in _PARTS]
        if odd:
            raise UsageError(f"perf {odd[0]}: expected some of {', '.join(_PARTS)}, or seed DIR")
        _require_bases(args or _PARTS)
        goals = Goals()
        for part in args or _PARTS:
            with tempfile.TemporaryDirectory(prefix="benchrouter-perf-") as scratch:
                _MEASURES[part](Path(scratch) / "w", goals)
        return NOT_ALL_COMPLETED if goals.missed else OK


@dataclass
class Goals:
    """Tells what was measured, and remembers what did not reach its goal."""

    missed: list[str] = field(default_factory=list)

    def report(
        self, what: str, against: str, pairs: Sequence[tuple[float, float]], ceiling: float, unit: str = "s"
    ) -> None:
        """Print the medians of both sides and of their ratio; `unit` is that of both."""
        ratio = statistics.median(ours / theirs for ours, theirs in pairs)
        ours, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
        values = f"{what}: {ours:.2f} {unit}, {against}: {theirs:.2f} {unit}"
        if ratio > ceiling:
            self.missed.append(what)
        verdict = ": missed" if ratio > ceiling else ""
        print(f"{values}, ratio {ratio:.2f} (goal: at most {ceiling}{verdict})", flush=True)


def _require_bases(parts: Sequence[str]) -> None:
    from benchrouter.make.perf.bases import require_bases

    require_bases(parts)


def _seed(args: list[str]) -> int:
    from benchrouter.make.perf import seed

    if len(args) != 1 or Path(args[0]).exists():
        raise UsageError("perf seed DIR: name one directory that does not exist yet")
    root = Path(args[0]).resolve()
    seed.write_workspace(root, 100, 100)
    print(f"{seed.finish_all_jobs(root)} finished jobs in {root}; try: cd {root} && doit run model={seed.MODEL}")
    return OK


def _containers(root: Path, goals: Goals) -> None:
    from benchrouter.make.perf import containers

    containers.write_workspace(root, Path("benchrouter.local.yaml").resolve())
    containers.ours(root, 0)
    image = containers.image_of(root)
    containers.by_hand(root, image)
    pairs = [(containers.ours(root, n), containers.by_hand(root, image)) for n in range(1, containers.ROUNDS + 1)]
    goals.report(f"{containers.JOBS} trivial jobs at -n {containers.SLOTS}", "xargs docker run", pairs, 1.35)
    _remove(root)


def _compose(root: Path, goals: Goals) -> None:
    from benchrouter.make.perf import compose
    from benchrouter.make.perf.containers import image_of

    compose.write_workspace(root, Path("benchrouter.local.yaml").resolve())
    compose.ours(root, 0)
    image = image_of(root)
    compose.by_hand(root, image)
    pairs = [(compose.ours(root, n), compose.by_hand(root, image)) for n in range(1, compose.ROUNDS + 1)]
    goals.report(f"{compose.JOBS} jobs with a healthy sidecar each", "docker compose by hand in parallel", pairs, 1.3)
    _remove(root)


def _remove(root: Path) -> None:
    import subprocess

    subprocess.run([sys.executable, "-m", "doit", "clean"], cwd=root, capture_output=True, check=False)


def _uptodate(root: Path, goals: Goals) -> None:
    from benchrouter.make.perf import uptodate

    for benchmarks in (10, 100, 200):
        where = root.with_name(f"w{benchmarks}")
        uptodate.prepare(where, benchmarks, 100)
        runs = [(uptodate.ours(where), uptodate.plain(where)) for _ in range(3)]
        pairs = [(ours[0], plain[0]) for ours, plain in runs]
        memory = max(ours[1] for ours, _ in runs) >> 20
        goals.report(f"{benchmarks * 100} jobs, nothing to do ({memory} MiB)", "plain doit, two levels", pairs, 0.8)


def _hashing(root: Path, goals: Goals) -> None:
    from benchrouter.make.perf import hashing

    root.mkdir()
    hashing.write_tree(root, 1 << 30)
    pairs = []
    for _ in range(3):
        cold = hashing.forget_pages(root)
        read = hashing.read_all(root)
        hashing.forget_pages(root)
        pairs.append((hashing.hash_all(root), read))
    goals.report(f"hashing 1 GiB of mixed files ({'cold' if cold else 'warm'})", "reading it", pairs, 1.5)


def _archive(root: Path, goals: Goals) -> None:
    from benchrouter.engine.client import Engine
    from benchrouter.make.perf import archive, emptyengine
    from benchrouter.spec.settings import load_settings

    site = load_settings(Path.cwd())[0].site
    engine = Engine.connect(site.engine)
    trial = archive.Trial(root, engine, site)
    try:
        trial.make()
        pairs = [(trial.saving(), trial.loading()) for _ in range(archive.ROUNDS)]
        goals.report("saving into the archive", "docker save | zstd -1", [saving for saving, _ in pairs], 1.25)
        goals.report("loading from the archive", "zstd -d | docker load", [loading for _, loading in pairs], 1.25)
        ours, theirs = trial.sharing()
        goals.report(f"{archive.IMAGES} images on one base", "their layers", [(ours / 1e6, theirs / 1e6)], 1.1, "MB")
    finally:
        trial.remove()
        engine.close()
    if not emptyengine.CAN:
        print("an empty engine: not measured, needs root and dockerd")
        return
    where = root.with_name("e")
    emptyengine.write_workspace(where, Path("benchmarks"), Path("benchrouter.local.yaml"))
    building = emptyengine.built(where)
    with emptyengine.empty_engine() as address:
        loading = emptyengine.loaded(where, address)
    goals.report("an empty engine with a warm cache", "building the same images", [(loading, building)], 0.25)
    _remove(where)


def _dind(root: Path, goals: Goals) -> None:
    from benchrouter.make.perf import dind

    dind.write_workspace(root, Path("benchrouter.local.yaml").resolve())
    dind.ours(root, 0)
    by_hand = dind.ByHand(root, dind.images_of(root))
    pairs = [(dind.ours(root, n), by_hand.load()) for n in range(1, dind.ROUNDS + 1)]
    what, against = f"{dind.JOBS} jobs with a daemon and a large image", f"{dind.JOBS} times docker load"
    goals.report(what, against, [(ours[0], theirs[0]) for ours, theirs in pairs], 0.2)
    goals.report(f"written by {what}", against, [(ours[1], theirs[1]) for ours, theirs in pairs], 0.1, "MiB")
    dind.forget_seeds(root)
    cold = dind.ours(root, dind.ROUNDS + 1)[0]
    goals.report(f"{what}, no seed yet", against, [(cold, theirs[0]) for _, theirs in pairs], 0.5)
    _remove(root)


_MEASURES = {
    "containers": _containers,
    "uptodate": _uptodate,
    "hashing": _hashing,
    "compose": _compose,
    "archive": _archive,
    "dind": _dind,
}
