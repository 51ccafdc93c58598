"""What of our own a container needs, put where the engine sees it; and whether it sees that at all."""

from __future__ import annotations

import secrets
import threading
from pathlib import Path

from benchrouter.engine.client import Engine
from benchrouter.engine.probe import check_paths
from benchrouter.jobs.contract import OUTPUT_DIR
from benchrouter.store.atomic import write_atomic
from benchrouter.store.workspace import Workspace

SDK = Path(__file__).parent.parent / "sdk"
PROBE = ".benchrouter-probe"


def install_sdk(workspace: Workspace) -> Path:
    """Copy the SDK into the workspace: an engine may see that, but not where BenchRouter is installed."""
    target = workspace.cache / "sdk"
    target.mkdir(parents=True, exist_ok=True)
    for source in SDK.glob("*.py"):
        own = target / source.name
        if not own.is_file() or own.read_bytes() != source.read_bytes():
            write_atomic(own, source.read_bytes(), durable=False)
    return target


class Sight:
    """Checks once, in the first container that is created, that the engine mounts our files, not its own."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._seen = False

    def explained(self, failure: str) -> str:
        """Add to the engine's words what they mean when it does not find a directory that is there."""
        if "bind source path does not exist" not in failure:
            return failure
        return (
            f"the engine at {self._engine.address.url} does not see the files of this machine ({failure}); "
            "use an engine of this machine, or put workspace and benchmarks where it sees them"
        )

    def check(self, container: str, output: Path) -> None:
        """Raise EngineError when the engine does not see `output`, which the container mounts."""
        with self._lock:
            if self._seen:
                return
            probe = output / PROBE
            content = secrets.token_bytes(16)
            probe.write_bytes(content)
            try:
                check_paths(self._engine, container, f"{OUTPUT_DIR}/{PROBE}", content, str(output))
            finally:
                probe.unlink()
            self._seen = True
