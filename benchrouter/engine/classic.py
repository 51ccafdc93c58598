"""Building with the engine's classic builder, where engine or client know no BuildKit."""

from __future__ import annotations

import json
import tempfile
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from benchrouter.engine.build_context import DOCKERFILE, archive
from benchrouter.engine.client import Engine
from benchrouter.engine.errors import WHAT_FILLS_IT, DiskFull, EngineError, ImageBuildFailed, means_disk_full
from benchrouter.engine.feed import post
from benchrouter.engine.images import remove_unnamed
from benchrouter.engine.labels import KEY, image_filter
from benchrouter.engine.prepared import Prepared


def build(
    engine: Engine,
    prepared: Prepared,
    on_line: Callable[[str], None],
    tail: deque[str],
    cancelled: threading.Event,
) -> str:
    """Build and return the id of an image that has no name yet; `tail` is what `on_line` heard last."""
    made = ""
    with tempfile.TemporaryFile(dir=prepared.scratch) as context:
        archive(prepared.context, prepared.context_paths, prepared.dockerfile, context)
        context.seek(0)
        headers = {"Content-Type": "application/x-tar"}
        answer = post(engine, "/build", _params(prepared), cancelled, headers=headers, body=context)
        try:
            with engine.errors("building"):
                for said in answer:
                    if said.get("error"):
                        on_line(str(said["error"]))
                        raise _failure(str(said["error"]), tail)
                    made = str((said.get("aux") or {}).get("ID", made))
                    for line in str(said.get("stream", "")).splitlines():
                        if line.strip():
                            on_line(line)
        finally:
            _remove_stages(engine, prepared, made)
    if not made:
        raise EngineError("the engine ended a build without an image")
    return made


def _params(prepared: Prepared) -> dict[str, Any]:
    arguments = {**prepared.build_args, **prepared.delivery.proxies}
    params: dict[str, Any] = {
        "dockerfile": DOCKERFILE,
        "rm": 1,
        "forcerm": 1,
        "nocache": int(prepared.no_cache),
        "buildargs": json.dumps(arguments),
        "labels": json.dumps(dict(prepared.labels)),
    }
    if prepared.platform is not None:
        params["platform"] = prepared.platform
    if prepared.network is not None:
        params["networkmode"] = prepared.network
    return params


def _remove_stages(engine: Engine, prepared: Prepared, made: str) -> None:
    """Remove the unnamed images that the stages of this build left, and not the one it made."""
    run, workspace = prepared.run_id, prepared.workspace_id
    wanted = image_filter(workspace, run)["label"] + [f"{KEY}={prepared.labels[KEY]}"]
    try:
        with engine.errors("looking for images that a build left"):
            found = engine.api.images(filters={"label": wanted, "dangling": True})
    except EngineError:
        return
    for image in found:
        if image["Id"] != made:
            remove_unnamed(engine, str(image["Id"]), workspace, run)


def _failure(error: str, tail: deque[str]) -> Exception:
    if means_disk_full(error):
        return DiskFull(f"building: {error} ({WHAT_FILLS_IT})")
    return ImageBuildFailed(f"the build failed: {error}", "\n".join(tail))
