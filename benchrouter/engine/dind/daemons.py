"""What the daemons of a run share: which rights they run with, and the seeds that they begin from."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

from benchrouter.engine import deadlines
from benchrouter.engine.client import Engine, EngineInfo
from benchrouter.engine.container_spec import ContainerSpec, Device
from benchrouter.engine.containers import run_container
from benchrouter.engine.dind.capabilities import read_host
from benchrouter.engine.dind.holding import Holder
from benchrouter.engine.dind.making import Workshop, make_seed, size_of
from benchrouter.engine.dind.preload import Preload, Source
from benchrouter.engine.dind.runtime import Choice, Runtime, choose, refuses_privileges
from benchrouter.engine.dind.shelf import Shelf
from benchrouter.engine.errors import Cancelled, EngineError
from benchrouter.store.locks import lock
from benchrouter.store.workspace import Workspace


@dataclass(frozen=True)
class Wish:
    """What a job would begin from: images, loaded by the daemon of its environment's image.

    `environment` is the id of `image`. `script` is an entrypoint, `source` opens the archive of the images,
    `scratch` is a directory that can be made for the container that makes the seed.
    """

    image: str
    environment: str
    preload: Preload
    labels: Mapping[str, str]
    script: bytes
    source: Source
    scratch: Path


@dataclass(frozen=True)
class Planted:
    """The device of a seed, or why there is none and the images are loaded into each daemon instead."""

    device: Device | None = None
    why_not: str = ""


def planned_choice(info: EngineInfo) -> Choice:
    """Choose the rights as far as they are known before anything is started."""
    return choose(info.runtimes, _host(info))


def _host(info: EngineInfo) -> tuple[frozenset[str], frozenset[str]] | None:
    return read_host() if info.local and not info.rootless else None


class Daemons:
    """Shared by all threads of a run; `close` lets go of what it holds."""

    def __init__(self, engine: Engine, workspace: Workspace, seed_bytes: int) -> None:
        self._engine = engine
        self._workspace = workspace
        self._shelf = Shelf(workspace.cache / "seeds", seed_bytes)
        self._lock = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._planted: dict[str, Planted] = {}
        self._holders: list[Holder] = []
        self._choice: Choice | None = None

    def choice(self, image: str, labels: Mapping[str, str], cancelled: threading.Event) -> Choice:
        """Choose the rights, once; where the host is not known, a container of `image` asks the engine."""
        with self._lock:
            if self._choice is None:
                self._choice = self._chosen(image, labels, cancelled)
            return self._choice

    def _chosen(self, image: str, labels: Mapping[str, str], cancelled: threading.Event) -> Choice:
        info, host = self._engine.info, _host(self._engine.info)
        choice = choose(info.runtimes, host)
        if choice.runtime is not Runtime.PRIVILEGED or host is not None:
            return choice
        refusal = self._refusal(image, labels, cancelled)
        return choose(info.runtimes, host, refusal)

    def _refusal(self, image: str, labels: Mapping[str, str], cancelled: threading.Event) -> str | None:
        spec = ContainerSpec(
            name=f"benchrouter-rights-{token_hex(6)}",
            image=image,
            entrypoint=("/bin/sh",),
            command=("-c", ":"),
            workdir="/",
            environment={},
            mounts=(),
            network="none",
            labels=labels,
            privileges=Choice(Runtime.PRIVILEGED).privileges,
        )
        try:
            run_container(
                self._engine, spec, timeout=deadlines.CALL, on_output=lambda *_: None, cancelled=cancelled
            )
        except EngineError as error:
            if refuses_privileges(str(error)):
                return str(error)
            raise
        return None

    def seed(self, wish: Wish, cancelled: threading.Event) -> Planted:
        """Give the device of a seed, made now if there is none; raises Cancelled only."""
        key = wish.preload.key(wish.environment)
        with self._lock:
            own = self._locks.setdefault(key, threading.Lock())
        with own:
            if key not in self._planted:
                self._planted[key] = self._plant(key, wish, cancelled)
            return self._planted[key]

    def _plant(self, key: str, wish: Wish, cancelled: threading.Event) -> Planted:
        try:
            choice = self.choice(wish.image, wish.labels, cancelled)
            if choice.runtime is Runtime.SYSBOX:
                return Planted(why_not="Sysbox cannot mount a file system image")
            shop = Workshop(self._engine, wish.image, choice.privileges, wish.labels)
            return Planted(self._held(shop, self._seed(shop, key, wish, cancelled)))
        except (EngineError, OSError) as error:
            return Planted(why_not=str(error))

    def _seed(self, shop: Workshop, key: str, wish: Wish, cancelled: threading.Event) -> Path:
        held = lock(self._workspace, f"seed-{key}", cancelled=cancelled)
        if held is None:
            raise Cancelled("interrupted while another run made the seed")
        with held:
            found = self._shelf.find(key)
            if found is not None:
                return found
            self._shelf.clear_unfinished(key)
            making = self._shelf.fresh(key, size_of(wish.preload))
            try:
                make_seed(shop, making, wish.preload, wish.scratch, wish.script, wish.source, cancelled)
                return self._shelf.adopt(key, making)
            finally:
                self._shelf.abandon(making)

    def _held(self, shop: Workshop, seed: Path) -> Device:
        holder = Holder(shop, seed)
        device = holder.start()
        with self._lock:
            self._holders.append(holder)
        return device

    def close(self) -> None:
        """Let go of the seeds."""
        with self._lock:
            holders, self._holders = self._holders, []
        for holder in holders:
            holder.close()
