"""Sweeping up after a run whose owner died: by both labels of ours, never by name, never by a prune."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchrouter.engine import deadlines
from benchrouter.engine.builders import end_builders
from benchrouter.engine.client import Engine
from benchrouter.engine.errors import EngineError
from benchrouter.engine.fence import sweep_rules
from benchrouter.engine.images import remove_unfinished, remove_unnamed
from benchrouter.engine.labels import bootstrap_filter, image_filter, object_filter, owned

_ON_ITS_WAY = ("no such", "not found", "already in progress")  # gone, or another start is removing it
_PATIENCE = 5.0  # an engine lets go of a builder's last image a moment after its client
_TICK = 0.2


@dataclass(frozen=True)
class Swept:
    """How much a sweep removed, and one line for each thing that it could not."""

    containers: int = 0
    networks: int = 0
    volumes: int = 0
    images: int = 0
    builders: int = 0
    left: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self != Swept()


def sweep(engine: Engine, workspace_id: str, run_id: str, deadline: float = deadlines.SWEEP) -> Swept:
    """Remove what one run of one workspace left behind; the caller knows that its owner is dead.

    Never raises: what could not be removed, or not even be asked for, stands in `left`.
    """
    if not workspace_id or not run_id:
        return Swept()
    hurried = engine.hurried(max(1.0, deadline / 3))
    sweeping = _Sweeping(hurried, workspace_id, run_id, time.monotonic() + deadline)
    sweep_rules(run_id)
    try:
        return Swept(
            builders=end_builders(run_id),
            containers=sweeping.containers(),
            networks=sweeping.networks(),
            volumes=sweeping.volumes(),
            images=sweeping.images() + sweeping.stand_ins(),
            left=tuple(sweeping.left),
        )
    finally:
        hurried.close()


class _Sweeping:
    def __init__(self, engine: Engine, workspace_id: str, run_id: str, ends_at: float) -> None:
        self.left: list[str] = []
        self._engine = engine
        self._api: Any = engine.api
        self._workspace = workspace_id
        self._run = run_id
        self._filter = object_filter(workspace_id, run_id)
        self._ends_at = ends_at

    def containers(self) -> int:
        found = self._list("containers", lambda: self._api.containers(all=True, filters=self._filter))
        remove = partial(self._api.remove_container, v=True, force=True)
        return self._remove_all("container", found, "Id", remove) + self._builders_containers()

    def networks(self) -> int:
        found = self._list("networks", lambda: self._api.networks(filters=self._filter))
        return self._remove_all("network", found, "Id", self._api.remove_network)

    def volumes(self) -> int:
        found = self._list("volumes", lambda: self._api.volumes(filters=self._filter).get("Volumes"))
        return self._remove_all("volume", found, "Name", self._api.remove_volume)

    def images(self) -> int:
        """Remove unnamed images; each may uncover another, and an engine may still be letting go of one."""
        wanted = {"dangling": True, **image_filter(self._workspace, self._run)}
        removed = 0
        patience_ends = time.monotonic() + _PATIENCE
        while True:
            found = [str(image["Id"]) for image in self._list("images", lambda: self._api.images(filters=wanted))]
            gone = sum(remove_unnamed(self._engine, image, self._workspace, self._run) for image in found)
            removed += gone
            if not found or self._late() or (not gone and time.monotonic() > patience_ends):
                break
            time.sleep(0.0 if gone else _TICK)
        self.left += [f"image {image[:19]}: the engine does not let go of it" for image in found]
        return removed

    def stand_ins(self) -> int:
        """Remove base images that were being made, and have no name yet."""
        wanted = {"dangling": True, **bootstrap_filter(self._workspace, self._run)}
        found = [str(image["Id"]) for image in self._list("stand-ins", lambda: self._api.images(filters=wanted))]
        gone: list[bool] = []

        def remove(image: str) -> None:
            gone.append(remove_unfinished(self._engine, image, self._workspace, self._run))

        for image in found:
            self._remove(f"image {image[:19]}", partial(remove, image))
        return sum(gone)

    def _builders_containers(self) -> int:
        """Remove what the classic builder ran in when its engine died: its image has our labels and no name."""
        wanted = image_filter(self._workspace, self._run)
        found = self._list("containers", lambda: self._api.containers(all=True, filters=wanted))
        unnamed = [str(each["Id"]) for each in found if str(each.get("Image", "")).startswith("sha256:")]
        remove = partial(self._api.remove_container, v=True, force=True)
        return sum(self._remove(f"container {each[:19]}", partial(remove, each)) for each in unnamed)

    def _late(self) -> bool:
        return time.monotonic() > self._ends_at

    def _list(self, what: str, ask: Callable[[], Iterable[dict[str, Any]] | None]) -> list[dict[str, Any]]:
        if self._late():
            self.left.append(f"{what}: no time left to look")
            return []
        try:
            with self._engine.errors(f"looking for {what} of a dead run"):
                return list(ask() or ())
        except EngineError as error:
            self.left.append(str(error))
            return []

    def _remove_all(
        self, kind: str, found: list[dict[str, Any]], name: str, remove: Callable[[str], Any]
    ) -> int:
        ours = [str(each[name]) for each in found if owned(each.get("Labels"), self._workspace, self._run)]
        return sum(self._remove(f"{kind} {each[:19]}", partial(remove, each)) for each in ours)

    def _remove(self, what: str, remove: Callable[[], Any]) -> int:
        if self._late():
            self.left.append(f"{what}: no time left to remove it")
            return 0
        try:
            with self._engine.errors(f"removing {what}"):
                remove()
        except EngineError as error:
            if any(sign in str(error).lower() for sign in _ON_ITS_WAY):
                return 0
            self.left.append(str(error))
            return 0
        return 1
