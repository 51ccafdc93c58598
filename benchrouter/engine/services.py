"""The containers of a Compose project: how they are, what they say, and their removal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchrouter.engine.client import Engine
from benchrouter.engine.errors import EngineError

PROJECT = "com.docker.compose.project"
SERVICE = "com.docker.compose.service"
_ROUNDS = 3  # a client that was killed may have asked for one more container


@dataclass(frozen=True)
class Service:
    """A container of a service as the engine sees it.

    `health` is None where nothing is checked, else `starting`, `healthy` or `unhealthy`; `declared` is the time in
    seconds after which the engine has made up its mind about it.
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

    @property
    def ended(self) -> bool:
        """Tell whether it has ended and will not be started again by its restart policy."""
        return self.status in ("exited", "dead")


class Project:
    """One Compose project in the engine, known by the label that Compose gives all its objects."""

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self._api: Any = engine.api
        self.name = name

    def services(self) -> list[Service]:
        """Inspect all containers of the project."""
        with self._engine.errors(f"looking at the sidecars of {self.name}"):
            return sorted((_service(self._api.inspect_container(id)) for id in self._ids()), key=_order)

    def _ids(self) -> list[str]:
        found = self._api.containers(all=True, filters={"label": [f"{PROJECT}={self.name}"]})
        return [str(each["Id"]) for each in found]

    def ended(self) -> list[Service]:
        """Inspect only those containers that have ended."""
        wanted = {"label": [f"{PROJECT}={self.name}"], "status": ["exited", "dead"]}
        with self._engine.errors(f"looking at the sidecars of {self.name}"):
            found = self._api.containers(all=True, filters=wanted)
            return [_service(self._api.inspect_container(str(each["Id"]))) for each in found]

    def log(self, service: Service) -> Iterator[bytes]:
        """Read what a container has printed so far, both streams in the order of arrival."""
        with self._engine.errors(f"reading the log of sidecar {service.name}"):
            yield from self._api.logs(service.container, stdout=True, stderr=True, stream=True, follow=False)

    def remove(self) -> list[str]:
        """Remove containers and volumes of the project; return what could not be removed."""
        left: list[str] = []
        for _ in range(_ROUNDS):
            left = []
            try:
                with self._engine.errors("listing sidecars to remove"):
                    ids = self._ids()
            except EngineError as error:
                return [str(error)]
            if not ids:
                break
            for id in ids:
                left += self._try(f"removing sidecar {id[:12]}", self._api.remove_container, id, v=True, force=True)
        return left + self._remove_volumes()

    def _remove_volumes(self) -> list[str]:
        try:
            with self._engine.errors("listing volumes to remove"):
                found = self._api.volumes(filters={"label": [f"{PROJECT}={self.name}"]}).get("Volumes") or ()
        except EngineError as error:
            return [str(error)]
        left = [
            self._try(f"removing volume {each['Name']}", self._api.remove_volume, each["Name"]) for each in found
        ]
        return [text for texts in left for text in texts]

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
    )


def _declared(check: dict[str, Any]) -> float:
    """Add up what a health check may take, with the engine's defaults; the engine counts in nanoseconds."""
    interval, timeout = (float(check.get(name) or 30e9) / 1e9 for name in ("Interval", "Timeout"))
    return float(check.get("StartPeriod") or 0) / 1e9 + (int(check.get("Retries") or 3) + 1) * (interval + timeout)
