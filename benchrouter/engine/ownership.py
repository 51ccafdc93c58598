"""Files that a container left to another user: given back to us, or removed, by a container."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Mapping
from pathlib import Path
from secrets import token_hex

from benchrouter.engine import deadlines
from benchrouter.engine.client import Engine
from benchrouter.engine.container_spec import ContainerSpec, Mount
from benchrouter.engine.containers import run_container
from benchrouter.engine.errors import EngineError
from benchrouter.engine.labels import KEY, object_labels

_PLACE = "/benchrouter"
# Neither command follows a link on its way down, so a hostile tree reaches nothing outside itself.
_GIVE = 'chown -hR "$1:$2" "$3" && chmod -R u+rwX "$3"'
_REMOVE = 'rm -rf -- "$1"'


def give_back(
    engine: Engine, image: str, path: Path, uid: int, gid: int, labels: Mapping[str, str] | None = None
) -> None:
    """Make `uid:gid` the owner of everything below `path`, readable and removable by it.

    Does nothing when it is so already. Uses `image` for a container that runs as root. Raises EngineError.
    """
    if _is_ours(path, uid):
        return
    _as_root(engine, image, path, _GIVE, (str(uid), str(gid), _PLACE), labels)


def remove_tree(
    engine: Engine, path: Path, image: str | None = None, labels: Mapping[str, str] | None = None
) -> None:
    """Remove `path` and everything below it, through a container where our own rights do not suffice."""
    shutil.rmtree(path, ignore_errors=True)
    if not os.path.lexists(path):
        return
    chosen = image or _some_image(engine)
    _as_root(engine, chosen, path.parent, _REMOVE, (f"{_PLACE}/{path.name}",), labels)


def _is_ours(path: Path, uid: int) -> bool:
    """Tell whether all below is `uid`'s; what cannot be read is not."""
    try:
        if path.lstat().st_uid != uid:
            return False
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.stat(follow_symlinks=False).st_uid != uid:
                    return False
                if entry.is_dir(follow_symlinks=False) and not _is_ours(Path(entry.path), uid):
                    return False
    except OSError:
        return False
    return True


def _some_image(engine: Engine) -> str:
    with engine.errors("looking for an image to remove files with"):
        found = engine.api.images(filters={"label": [KEY]}) or engine.api.images()
    if not found:
        raise EngineError("files of another user are left and the engine has no image to remove them with")
    return str(found[0]["Id"])


def _as_root(
    engine: Engine,
    image: str,
    mounted: Path,
    script: str,
    arguments: tuple[str, ...],
    labels: Mapping[str, str] | None,
) -> None:
    said = bytearray()
    spec = ContainerSpec(
        name=f"benchrouter-files-{token_hex(6)}",
        image=image,
        entrypoint=("/bin/sh",),
        command=("-c", script, "sh", *arguments),
        workdir="/",
        environment={},
        mounts=(Mount(str(mounted), _PLACE, read_only=False),),
        network="none",
        labels=labels if labels is not None else object_labels("none", "none"),
        stop_grace=0.0,
        user="0:0",
    )
    ended = run_container(
        engine,
        spec,
        timeout=deadlines.GIVE_BACK,
        on_output=lambda _, data: said.extend(data[:1000]),
        cancelled=threading.Event(),
    )
    if ended.code != 0:
        text = said.decode(errors="replace").strip()[:300]
        raise EngineError(f"taking back the files in {mounted} ended with status {ended.code}: {text}")
