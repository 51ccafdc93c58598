"""Naming a built image when two workspaces may have built the same key at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

from benchrouter.engine import deadlines
from benchrouter.engine.client import Engine
from benchrouter.engine.errors import EngineError
from benchrouter.engine.images import image_id, tag_image

_TICK = 0.1


def name_image(
    engine: Engine,
    made: str,
    tag: str,
    *,
    labels: Mapping[str, str],
    drop: Callable[[str], object],
    replace: bool = False,
) -> str:
    """Name `made`, or drop it when the name has been given meanwhile; return the id that bears the name.

    With `replace` the new image takes the name over and the old one is dropped. `drop` removes an image only if
    it has no name and is ours; `labels` are those of the run's containers.
    """
    with _claim(engine, made, tag, labels):
        there = image_id(engine, tag)
        if there == made:
            return made
        if there is None or replace:
            tag_image(engine, made, tag)
            if there is not None:
                drop(there)
            return made
    drop(made)
    return there


@contextmanager
def _claim(engine: Engine, image: str, tag: str, labels: Mapping[str, str]) -> Iterator[None]:
    # Looking and naming are two requests. The engine is all that two workspaces share, so the lock is a
    # container that never starts: its name is given once. Its labels let a sweep take it away after a crash.
    name = f"benchrouter-claim-{sha256(tag.encode()).hexdigest()[:16]}"
    until = time.monotonic() + deadlines.CLAIM
    held = _try_claim(engine, image, name, labels)
    while held is None and time.monotonic() < until:
        time.sleep(_TICK)
        held = _try_claim(engine, image, name, labels)
    try:
        yield
    finally:
        if held is not None:
            _release(engine, held)


def _try_claim(engine: Engine, image: str, name: str, labels: Mapping[str, str]) -> str | None:
    config = {
        "Image": image,
        "Entrypoint": ["/benchrouter-claim"],
        "Labels": dict(labels),
        "HostConfig": {"NetworkMode": "none", "LogConfig": {"Type": "none"}},
    }
    try:
        with engine.errors("claiming an image's name"):
            api: Any = engine.api
            return str(api.create_container_from_config(config, name)["Id"])
    except EngineError as error:
        if "already in use" in str(error):
            return None
        raise


def _release(engine: Engine, container: str) -> None:
    try:
        with engine.errors("giving a claim back"):
            engine.api.remove_container(container, force=True)
    except EngineError:
        pass  # its labels let the sweep of a later start remove it
