"""Seeds for the jobs of a run: found or made once, held while the run lives."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchrouter.engine.container_spec import Device
from benchrouter.engine.dind.holding import Holder
from benchrouter.engine.dind.making import Workshop, make_seed, size_of
from benchrouter.engine.dind.preload import Preload
from benchrouter.engine.dind.shelf import Seed, Shelf
from benchrouter.engine.errors import Cancelled, EngineError
from benchrouter.keys.canonical import digest
from benchrouter.store.locks import lock
from benchrouter.store.workspace import Workspace


@dataclass(frozen=True)
class Wish:
    """What a job would begin from: images, loaded by the daemon of its environment's image.

    `environment` is that image's id. `widened` adds what other jobs of the run may want of the same seed. `script` is
    an entrypoint, `source` opens the archive of images, `scratch` is a directory that can be made for the container
    that makes the seed.
    """

    environment: str
    preload: Preload
    widened: Callable[[], Preload]
    script: bytes
    source: Callable[[Preload], Iterator[bytes]]
    scratch: Path


@dataclass(frozen=True)
class Planted:
    """The device of a seed and what the engine's image ids are in it; or why there is none.

    Without one the images are loaded into each daemon.
    """

    device: Device | None = None
    inside: Mapping[str, str] = field(default_factory=dict)
    why_not: str = ""


class Seeds:
    """Shared by all threads of a run; `close` lets go of what it holds."""

    def __init__(self, workspace: Workspace, limit: int) -> None:
        self._workspace = workspace
        self._shelf = Shelf(workspace.cache / "seeds", limit)
        self._lock = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._held: dict[Path, tuple[Seed, Device]] = {}
        self._holders: list[Holder] = []
        self._refused: dict[frozenset[str], str] = {}

    def plant(self, shop: Workshop, wish: Wish, cancelled: threading.Event) -> Planted:
        """Give the device of a seed, made now if there is none; raises Cancelled only."""
        with self._lock:
            own = self._locks.setdefault(wish.environment, threading.Lock())
        wanted = frozenset(wish.preload.ids.values())
        with own:
            if wanted in self._refused:
                return Planted(why_not=self._refused[wanted])
            try:
                seed, device = self._attached(shop, self._seed(shop, wish, wanted, cancelled))
            except (EngineError, OSError) as error:
                self._refused[wanted] = str(error)
                return Planted(why_not=str(error))
            return Planted(device, seed.inside)

    def _seed(self, shop: Workshop, wish: Wish, wanted: frozenset[str], cancelled: threading.Event) -> Seed:
        held = lock(self._workspace, f"seed-{digest(wish.environment)}", cancelled=cancelled)
        if held is None:
            raise Cancelled("interrupted while another run made a seed")
        with held:
            found = self._shelf.find(wish.environment, wanted)
            if found is not None:
                return found
            self._shelf.clear_unfinished(wish.environment)
            wide = wish.widened()
            try:
                return self._made(shop, wish, wide, cancelled)
            except EngineError:
                if wide is wish.preload:
                    raise
            return self._made(shop, wish, wish.preload, cancelled)

    def _made(self, shop: Workshop, wish: Wish, preload: Preload, cancelled: threading.Event) -> Seed:
        making = self._shelf.fresh(wish.environment, size_of(preload))
        control = wish.scratch / making.stem
        control.parent.mkdir(exist_ok=True)
        try:
            inside = make_seed(
                shop, making, preload, control, wish.script, lambda: wish.source(preload), cancelled
            )
            return self._shelf.adopt(making, wish.environment, inside)
        finally:
            self._shelf.abandon(making)

    def _attached(self, shop: Workshop, seed: Seed) -> tuple[Seed, Device]:
        if seed.image not in self._held:
            holder = Holder(shop, seed.image)
            device = holder.start()
            with self._lock:
                self._holders.append(holder)
                self._held[seed.image] = (seed, device)
        return self._held[seed.image]

    def close(self) -> None:
        """Let go of the seeds."""
        with self._lock:
            holders, self._holders = self._holders, []
        for holder in holders:
            holder.close()
