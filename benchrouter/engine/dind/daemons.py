"""What the daemons of a run share: which rights they run with, and the seeds that they begin from."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from secrets import token_hex

from benchrouter.engine import deadlines
from benchrouter.engine.client import Engine, EngineInfo
from benchrouter.engine.container_spec import ContainerSpec
from benchrouter.engine.containers import run_container
from benchrouter.engine.dind.capabilities import read_host
from benchrouter.engine.dind.making import Workshop
from benchrouter.engine.dind.planting import Planted, Seeds, Wish
from benchrouter.engine.dind.runtime import Choice, Runtime, choose, refuses_privileges
from benchrouter.engine.errors import EngineError
from benchrouter.store.workspace import Workspace


def planned_choice(info: EngineInfo) -> Choice:
    """Choose the rights as far as they are known before anything is started."""
    return choose(info.runtimes, _host(info))


def _host(info: EngineInfo) -> tuple[frozenset[str], frozenset[str]] | None:
    return read_host() if info.local and not info.rootless else None


class Daemons:
    """Shared by all threads of a run; `close` lets go of what it holds."""

    def __init__(self, engine: Engine, workspace: Workspace, seed_bytes: int) -> None:
        self._engine = engine
        self._seeds = Seeds(workspace, seed_bytes)
        self._lock = threading.Lock()
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

    def seed(self, image: str, labels: Mapping[str, str], wish: Wish, cancelled: threading.Event) -> Planted:
        """Give a job of the environment `image` the seed that it wishes for; raises EngineError or Cancelled."""
        choice = self.choice(image, labels, cancelled)
        if choice.runtime is Runtime.SYSBOX:
            return Planted(why_not="Sysbox cannot mount a file system image")
        shop = Workshop(self._engine, image, choice.privileges, labels)
        return self._seeds.plant(shop, wish, cancelled)

    def close(self) -> None:
        """Let go of the seeds."""
        self._seeds.close()
