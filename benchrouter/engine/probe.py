"""Does the engine see our files? A remote one, or one in another mount namespace, does not."""

from __future__ import annotations

import io
import tarfile

from benchrouter.engine.client import Engine
from benchrouter.engine.errors import EngineError

_LARGEST = 1 << 20


def read_mounted(engine: Engine, container: str, path: str) -> bytes:
    """Read one small file of a container that is created but need not run, through its mounts."""
    with engine.errors(f"reading {path} through the engine"):
        stream, _ = engine.api.get_archive(container, path)
        archive = bytearray()
        for chunk in stream:
            archive += chunk
            if len(archive) > _LARGEST:
                break
    with tarfile.open(fileobj=io.BytesIO(bytes(archive))) as tar:
        member = tar.next()
        content = tar.extractfile(member) if member is not None and member.isfile() else None
        return content.read() if content is not None else b""


def check_paths(engine: Engine, container: str, path: str, expected: bytes, host_path: str) -> None:
    """Raise EngineError unless the engine finds `expected` at `path` of a created container.

    `host_path` is the directory of ours that is mounted there, for the message.
    """
    try:
        seen = read_mounted(engine, container, path)
    except EngineError as error:
        if "no such" not in str(error).lower() and "could not find" not in str(error).lower():
            raise
        seen = b""
    if seen != expected:
        raise EngineError(
            f"the engine at {engine.address.url} does not see the files of this machine: what is mounted "
            f"from {host_path} is not there. Use an engine of this machine, or put the workspace where the "
            "engine sees it."
        )
