"""A build as both builders take it: references resolved, labels and site facts decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchrouter.engine.site_build import Delivery


@dataclass(frozen=True)
class Prepared:
    """A rewritten Dockerfile, its context, and what goes with them.

    `files` are the secrets that the Dockerfile mounts, by name; `scratch` is an empty directory of ours.
    """

    dockerfile: str
    context: Path
    context_paths: tuple[str, ...] | None
    build_args: Mapping[str, str]
    platform: str | None
    no_cache: bool
    labels: Mapping[str, str]
    files: Mapping[str, bytes]
    delivery: Delivery
    network: str | None
    timeout: float
    run_id: str
    workspace_id: str
    scratch: Path
