"""One connection to a container engine: finding it, what it can do, deadlines on every call."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchrouter.engine import deadlines
from benchrouter.engine.address import Address, find_address
from benchrouter.engine.errors import EngineError, translated

if TYPE_CHECKING:
    import docker

POOL_SIZE = 64  # each running job holds two connections and needs a third now and then
_BUILDKIT_API = (1, 39)


@dataclass(frozen=True)
class EngineInfo:
    """What an engine is and can do; memory in bytes."""

    version: str
    api_version: str
    storage_driver: str
    operating_system: str
    architecture: str
    ncpu: int
    memory: int
    runtimes: tuple[str, ...]
    security: tuple[str, ...]
    root_dir: str
    buildkit: bool
    local: bool
    rootless: bool


class Engine:
    """A connected engine; shared by all threads of a run."""

    def __init__(self, api: docker.APIClient, slow: docker.APIClient, address: Address) -> None:
        self.api = api
        self.slow = slow
        self.address = address
        self._info: EngineInfo | None = None
        self._lock = threading.Lock()

    @classmethod
    def connect(cls, address: str | None = None, deadline: float = deadlines.CONNECT) -> Engine:
        """Connect to `address`, else DOCKER_HOST, else the current context, else the usual sockets.

        Raises EngineError, which says where we looked and what to do, when none answers within `deadline`.
        """
        where = find_address(address, os.environ)
        api = _client(where, deadline, timeout=deadlines.CALL)
        slow = _client(where, deadline, version=api.api_version, timeout=deadlines.STREAM)
        return cls(api, slow, where)

    def hurried(self, timeout: float) -> Engine:
        """Open connections of their own whose calls wait no longer than `timeout`."""
        version = self.api.api_version
        api, slow = (
            _client(self.address, timeout, version=version, timeout=timeout, ping=False) for _ in range(2)
        )
        return Engine(api, slow, self.address)

    def close(self) -> None:
        """Close the pooled connections."""
        self.api.close()
        self.slow.close()

    def errors(self, doing: str, secrets: Iterable[str] = ()) -> AbstractContextManager[None]:
        """Translate whatever the library raises within into our errors."""
        return translated(doing, secrets)

    def answers(self, deadline: float = deadlines.CONNECT) -> bool:
        """Ask over a fresh connection whether the engine is still there."""
        try:
            _client(self.address, deadline, version=self.api.api_version).close()
        except EngineError:
            return False
        return True

    @property
    def info(self) -> EngineInfo:
        """Describe the engine; asked once."""
        with self._lock:
            if self._info is None:
                with self.errors("asking the engine what it is"):
                    said = self.api.info()
                self._info = _info_of(said, str(self.api.api_version), self.address)
            return self._info


def _info_of(said: dict[str, Any], api_version: str, address: Address) -> EngineInfo:
    security = tuple(str(option) for option in said.get("SecurityOptions") or ())
    numbers = tuple(int(part) for part in api_version.split("."))
    return EngineInfo(
        version=str(said.get("ServerVersion", "")),
        api_version=api_version,
        storage_driver=str(said.get("Driver", "")),
        operating_system=str(said.get("OperatingSystem", "")),
        architecture=str(said.get("Architecture", "")),
        ncpu=int(said.get("NCPU") or os.cpu_count() or 1),
        memory=int(said.get("MemTotal") or 0),
        runtimes=tuple(sorted(said.get("Runtimes") or ())),
        security=security,
        root_dir=str(said.get("DockerRootDir", "")),
        buildkit=said.get("OSType", "linux") == "linux" and numbers >= _BUILDKIT_API,
        local=address.local,
        rootless=any("rootless" in option for option in security),
    )


def _client(
    where: Address,
    deadline: float,
    version: str | None = None,
    timeout: float | None = None,
    ping: bool = True,
) -> docker.APIClient:
    import docker
    import docker.errors
    import requests.exceptions

    try:
        client = docker.APIClient(
            base_url=where.url,
            version=version or "auto",
            timeout=round(deadline),
            tls=where.tls(),
            max_pool_size=POOL_SIZE,
        )
        if version is not None and ping:
            client.ping()
    except (
        docker.errors.DockerException,
        requests.exceptions.RequestException,
        OSError,
        ValueError,
    ) as error:
        raise EngineError(where.failure(error)) from None
    client.timeout = round(timeout or deadline)
    return client
