"""benchrouter.yaml and benchrouter.local.yaml: groups, models, and the facts of this site."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchrouter.spec.inputs import is_there
from benchrouter.spec.problems import Problem, refuse_errors

FILE = "benchrouter.yaml"
LOCAL_FILE = "benchrouter.local.yaml"
MIB, GIB = 1 << 20, 1 << 30


@dataclass(frozen=True)
class ModelSettings:
    """A declared model; `api_key_env` names the variable that holds its key."""

    name: str
    endpoint: str | None = None
    id: str | None = None
    api_key_env: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    revision: str | None = None
    max_concurrency: int | None = None


@dataclass(frozen=True)
class Credentials:
    """Names of the variables that hold a registry's user name and password (or token)."""

    username_env: str
    password_env: str


@dataclass(frozen=True)
class Proxies:
    """Proxies for builds, pulls and jobs; values may hold a password, so they are never shown."""

    http: str | None = field(default=None, repr=False)
    https: str | None = field(default=None, repr=False)
    no_proxy: str | None = None


@dataclass(frozen=True)
class SiteLimits:
    """Limits where a task sets none, in bytes, CPUs and counts, and what is kept."""

    memory: int = 16 * GIB
    dind_memory: int = 32 * GIB
    sidecar_reserve: int = 512 * MIB
    cpus: float = 4.0
    pids: int = 4096
    log_bytes: int = 10 * MIB
    output_bytes: int = 2 * GIB
    output_files: int = 100_000
    free_disk: int = 1 * GIB
    seed_bytes: int = 20 * GIB
    keep_failed: int = 5
    keep_runs: int = 1000
    retries: int = 2
    endpoint_failures: int = 5
    endpoint_patience: float = 600.0
    engine_patience: float = 120.0

    def memory_of(self, *, docker: bool) -> int:
        """Give the limit of a task that names none; one with its own Docker daemon holds what it starts there too."""
        return self.dind_memory if docker else self.memory


@dataclass(frozen=True)
class Site:
    """Facts of this machine or lab; part of no key."""

    engine: str | None = None
    registry_mirrors: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    registry_credentials: Mapping[str, Credentials] = field(default_factory=dict)
    image_aliases: Mapping[str, str] = field(default_factory=dict)
    ca_bundle: Path | None = None
    proxies: Proxies = Proxies()
    pip_index_url: str | None = field(default=None, repr=False)
    apt_mirror: str | None = field(default=None, repr=False)
    build_network: str | None = None
    networks: str = "10.231.0.0/16"
    build_parallel: int = 2
    build_timeout: float = 3600.0
    limits: SiteLimits = SiteLimits()


@dataclass(frozen=True)
class Binding:
    """Where a data volume is here, if anywhere, and what it holds: a text, or `content`; one of them may be None."""

    path: Path | None = None
    identity: str | None = None


@dataclass(frozen=True)
class CacheSettings:
    """The image archive: its size in bytes, and whether it holds every image (None: in CI only)."""

    max_size: int = 50 * GIB
    images: bool | None = None


@dataclass(frozen=True)
class Settings:
    """All settings of a workspace; groups hold `benchmark` or `benchmark/task`, data is by the names of volumes."""

    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    models: Mapping[str, ModelSettings] = field(default_factory=dict)
    pass_env: tuple[str, ...] = ()
    data: Mapping[str, Binding] = field(default_factory=dict)
    cache: CacheSettings = CacheSettings()
    site: Site = Site()
    places: Mapping[str, tuple[str, int]] = field(default_factory=dict, repr=False, compare=False)
    groups_known: bool = True

    def place(self, *path: str | int) -> tuple[str, int | None]:
        """Find the file and line of a value, or of the nearest parent that is known."""
        return place_of(self.places, "/".join(map(str, path)))


def place_of(places: Mapping[str, tuple[str, int]], path: str) -> tuple[str, int | None]:
    """Find the file and line of a value in `PlainSettings.places`, or of the nearest parent that is there."""
    while path and path not in places:
        path = path.rpartition("/")[0]
    return places.get(path, (FILE, None))


@dataclass(frozen=True)
class PlainSettings:
    """Checked settings as JSON, `${NAME}` not yet replaced; `places` maps `site/proxies/http` to file and line.

    `groups_known` is False where a file with errors may name more groups than could be told.
    """

    data: Mapping[str, Any]
    places: Mapping[str, tuple[str, int]]
    groups_known: bool = True


def settings_files(root: Path) -> list[Path]:
    """List the settings files that a workspace has, the one on top last."""
    return [root / name for name in (FILE, LOCAL_FILE) if is_there(root / name)]


def load_settings(
    root: Path, environ: Mapping[str, str] | None = None
) -> tuple[Settings, tuple[Problem, ...]]:
    """Read both files of a workspace, the local one on top: settings and warnings.

    `${NAME}` in proxies and mirrors comes from `environ` (the process's own by default).
    Raise SpecError with all problems of both files.
    """
    from benchrouter.spec.settings_make import make_settings

    plain, problems = load_plain_settings(root)
    settings, unset = make_settings(plain, root, os.environ if environ is None else environ)
    return settings, refuse_errors([*problems, *unset])


def load_plain_settings(root: Path) -> tuple[PlainSettings, list[Problem]]:
    """Read and check both files; with errors among the problems, only groups are given, as far as they are sound."""
    there = settings_files(root)
    if not there:
        return PlainSettings({}, {}), []
    from benchrouter.spec.settings_shape import read_settings

    return read_settings(there)
