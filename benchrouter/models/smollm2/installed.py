"""Where the model lies in a workspace, and whether what lies there is what this version means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any

from benchrouter.models.model import ModelError
from benchrouter.models.smollm2.needs import build_for, find_node
from benchrouter.models.smollm2.pins import CONTEXT, NAME, WEIGHTS, WEIGHTS_SHA256, platform_name, runtime
from benchrouter.models.smollm2.worker import Launch, threads_for
from benchrouter.store import documents, layout
from benchrouter.store.workspace import Workspace

STAMP = "installed.json"
COMMAND = f"doit models install {NAME}"
_KEEP_LOGS = 20


@dataclass(frozen=True)
class Installation:
    """What lies in the workspace: `there` when it is complete and of this version, `other` when of another one."""

    directory: Path
    there: bool
    other: bool
    size: int = 0

    @property
    def state(self) -> str:
        """Say in a few words how it stands."""
        if self.there:
            return f"installed ({self.size >> 20} MiB)"
        return f"installed in another version: {COMMAND}" if self.other else f"not installed: {COMMAND}"


def stamp_facts() -> dict[str, Any]:
    """Say what an installation of this version is made of."""
    return {"gguf": WEIGHTS_SHA256, "runtime": runtime(platform_name())}


def look(ws: Workspace) -> Installation:
    """Look at the workspace; the weights themselves are read only when the model is started."""
    directory = layout.models_dir(ws) / NAME
    stamp = documents.read(directory / STAMP)
    there = stamp is not None and {key: stamp.get(key) for key in stamp_facts()} == stamp_facts()
    size = stamp.get("bytes") if stamp else 0
    return Installation(directory, there, stamp is not None and not there, size if isinstance(size, int) else 0)


def check(ws: Workspace, environ: Mapping[str, str]) -> None:
    """Raise ModelError, with what to do, when the model could not be started here."""
    build_for()
    installation = look(ws)
    if not installation.there:
        raise ModelError(f"{NAME} is {installation.state}")
    find_node(environ)


def launch(ws: Workspace, environ: Mapping[str, str], run_id: str, mark: Mapping[str, str]) -> Launch:
    """Describe how the model is started; raise ModelError when it cannot be, or its weights are damaged."""
    check(ws, environ)
    logs = layout.models_dir(ws) / "logs"
    _drop_old(logs)
    return launch_from(look(ws).directory, environ, logs / f"{run_id}-{NAME}.log", mark)


def launch_from(directory: Path, environ: Mapping[str, str], log: Path, mark: Mapping[str, str]) -> Launch:
    """Describe how a model in a directory is started; raise ModelError when its weights are not the pinned ones."""
    weights = directory / WEIGHTS
    found = digest_of(weights)
    if found != WEIGHTS_SHA256:
        raise ModelError(f"{weights} is damaged (sha256 {found[:12]}, expected {WEIGHTS_SHA256[:12]}): {COMMAND}")
    gpu = "metal" if build_for().endswith("-metal") else None
    return Launch(find_node(environ).path, directory, weights, gpu, threads_for(), CONTEXT, log, mark)


def digest_of(path: Path) -> str:
    """Digest a file by SHA-256; raise ModelError when it cannot be read."""
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror}): {COMMAND}") from None


def _drop_old(logs: Path) -> None:
    for path in sorted(logs.glob("*.log"))[: -_KEEP_LOGS + 1 or None]:
        path.unlink(missing_ok=True)
