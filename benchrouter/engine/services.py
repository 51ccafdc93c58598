"""The containers of a Compose project: how they are, what they say, and their removal."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchrouter.engine import deadlines
from benchrouter.engine.client import Engine
from benchrouter.engine.errors import EngineError
from benchrouter.engine.networks import remove_network

PROJECT = "com.docker.compose.project"
SERVICE = "com.docker.compose.service"
_TRIES = 3
_TICK = 0.1
_PROGRESS = re.compile(r"^\s*Container (\S+)\s+(\w+)")


@dataclass(frozen=True)
class Service:
    """A container of a service as the engine sees it.

    `health` is None where nothing is checked, else `starting`, `healthy` or `unhealthy`; `declared` is the time in
    seconds after which the engine has made up its mind about it. `restarts` counts those by its restart policy.
    """

    name: str
    container: str
    number: str
    image: str
    status: str
    exit_code: int
    oom_killed: bool
    health: str | None
    declared: float
    last_check: str
    restarts: int = 0

    @property
    def ended(self) -> bool:
        """Tell whether it has ended and will not be started again by its restart policy."""
        return self.status in ("exited", "dead")


class Project:
    """One Compose project in the engine, known by the label that Compose gives all its objects."""

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self._api: Any = engine.api
        self._asked_for: set[str] = set()  # containers that Compose has asked for, and not heard of yet
        self.name = name

    def heard(self, line: str) -> None:
        """Note what Compose says of its progress."""
        said = _PROGRESS.match(line)
        if said is not None and said[2] == "Creating":
            self._asked_for.add(said[1])
        elif said is not None:
            self._asked_for.discard(said[1])

    def services(self) -> list[Service]:
        """Inspect all containers of the project."""
        with self._engine.errors(f"looking at the sidecars of {self.name}"):
            return sorted((_service(self._api.inspect_container(id)) for id in self._ids()), key=_order)

    def _ids(self) -> list[str]:
        found = self._api.containers(all=True, filters=self._ours)
        return [str(each["Id"]) for each in found]

    def ended(self) -> list[Service]:
        """Inspect only those containers that have ended."""
        wanted = {**self._ours, "status": ["exited", "dead"]}
        with self._engine.errors(f"looking at the sidecars of {self.name}"):
            found = self._api.containers(all=True, filters=wanted)
            return [_service(self._api.inspect_container(str(each["Id"]))) for each in found]

    def log(self, service: Service) -> Iterator[bytes]:
        """Read what a container has printed so far, both streams in the order of arrival."""
        with self._engine.errors(f"reading the log of sidecar {service.name}"):
            yield from self._api.logs(service.container, stdout=True, stderr=True, stream=True, follow=False)

    def remove(self) -> list[str]:
        """Remove containers, volumes and networks of the project, once Compose has ended; return what is left.

        A Compose that was stopped may have asked for a container that the engine is only now about to make: such
        are waited for.
        """
        try:
            with self._engine.errors("listing what to remove of the sidecars"):
                return self._remove_containers() + self._remove_volumes() + self._remove_networks()
        except EngineError as error:
            return [str(error)]

    def _remove_containers(self) -> list[str]:
        ends_at = time.monotonic() + deadlines.LATE
        tries, left = 0, list[str]()
        while tries < _TRIES:
            found = self._api.containers(all=True, filters=self._ours)
            if not found:
                if not self._asked_for or time.monotonic() > ends_at:
                    return []
                time.sleep(_TICK)
                continue
            left = [text for each in found for text in self._remove_container(str(each["Id"]))]
            self._asked_for -= {name.removeprefix("/") for each in found for name in each.get("Names") or ()}
            tries += bool(left) or time.monotonic() > ends_at
        return left

    def _remove_container(self, id: str) -> list[str]:
        return self._try(f"removing sidecar {id[:12]}", self._api.remove_container, id, v=True, force=True)

    def _remove_volumes(self) -> list[str]:
        found = [str(each["Name"]) for each in self._api.volumes(filters=self._ours).get("Volumes") or ()]
        left = [self._try(f"removing volume {name}", self._api.remove_volume, name) for name in found]
        return [text for texts in left for text in texts]

    def _remove_networks(self) -> list[str]:
        found = [str(each["Id"]) for each in self._api.networks(filters=self._ours)]
        return [left for id in found if (left := remove_network(self._engine, id))]

    @property
    def _ours(self) -> dict[str, list[str]]:
        return {"label": [f"{PROJECT}={self.name}"]}

    def _try(self, doing: str, action: Any, *args: Any, **options: Any) -> list[str]:
        try:
            with self._engine.errors(doing):
                action(*args, **options)
        except EngineError as error:
            return [] if "no such" in str(error).lower() else [str(error)]
        return []


def _order(service: Service) -> tuple[str, str]:
    return service.name, service.number


def _service(said: dict[str, Any]) -> Service:
    state, config = said["State"], said["Config"]
    labels = config.get("Labels") or {}
    health = state.get("Health") or {}
    checks = health.get("Log") or ()
    status = str(health.get("Status") or "")
    return Service(
        name=str(labels.get(SERVICE, "")),
        container=str(said["Id"]),
        number=str(labels.get("com.docker.compose.container-number", "1")),
        image=str(said.get("Image", "")),
        status=str(state.get("Status", "")),
        exit_code=int(state.get("ExitCode") or 0),
        oom_killed=bool(state.get("OOMKilled")),
        health=status if status not in ("", "none") else None,
        declared=_declared(config.get("Healthcheck") or {}),
        last_check=str(checks[-1].get("Output", "")).strip() if checks else "",
        restarts=int(said.get("RestartCount") or 0),
    )


def _declared(check: dict[str, Any]) -> float:
    """Add up what a health check may take, with the engine's defaults; the engine counts in nanoseconds."""
    interval, timeout = (float(check.get(name) or 30e9) / 1e9 for name in ("Interval", "Timeout"))
    return float(check.get("StartPeriod") or 0) / 1e9 + (int(check.get("Retries") or 3) + 1) * (interval + timeout)
