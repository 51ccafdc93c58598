"""Images that the engine has: looking them up, naming them, removing our own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchrouter.engine.client import Engine
from benchrouter.engine.errors import EngineError, ImageMissing
from benchrouter.engine.labels import BOOTSTRAP_RUN, BOOTSTRAP_WORKSPACE, IMAGE_RUN, IMAGE_WORKSPACE, KEY


@dataclass(frozen=True)
class Image:
    """What an image's own configuration says; `size` in bytes."""

    id: str
    tags: tuple[str, ...]
    repo_digests: tuple[str, ...]
    environment: Mapping[str, str]
    labels: Mapping[str, str]
    user: str
    platform: str
    size: int


def inspect_image(engine: Engine, ref: str) -> Image | None:
    """Look an image up by name or id; None when the engine does not have it."""
    try:
        with engine.errors(f"looking for image {ref}"):
            api: Any = engine.api
            return _image(api.inspect_image(ref))
    except ImageMissing:
        return None


def image_id(engine: Engine, ref: str) -> str | None:
    """Give the id of the image that `ref` names, None when there is none."""
    found = inspect_image(engine, ref)
    return found.id if found else None


def find_by_key(engine: Engine, key: str) -> str | None:
    """Find a named image that was built for `key`; unnamed ones may be on their way out."""
    with engine.errors(f"looking for an image of key {key}"):
        found = engine.api.images(filters={"label": [f"{KEY}={key}"], "dangling": False})
    return next((str(image["Id"]) for image in found if image.get("RepoTags")), None)


def tag_image(engine: Engine, image: str, name: str) -> None:
    """Give an image another name."""
    repository, _, tag = name.rpartition(":")
    with engine.errors(f"tagging image {name}"):
        engine.api.tag(image, repository, tag)


def remove_name(engine: Engine, name: str) -> bool:
    """Take a name away, and the image with its last one; False when it is in use or already gone.

    Only for names of ours (`benchrouter/…`) or names that we gave ourselves.
    """
    try:
        with engine.errors(f"removing image {name}"):
            engine.api.remove_image(name, force=False)
    except EngineError:
        return False
    return True


def remove_unnamed(engine: Engine, image: str, workspace_id: str, run_id: str) -> bool:
    """Remove one image if it has no name and carries both labels of this run; tell whether it is gone."""
    found = inspect_image(engine, image)
    if found is None:
        return True
    owner = (found.labels.get(IMAGE_WORKSPACE), found.labels.get(IMAGE_RUN))
    if found.tags or not run_id or owner != (workspace_id, run_id):
        return False
    return remove_name(engine, found.id)


def remove_unfinished(engine: Engine, image: str, workspace_id: str, run_id: str) -> bool:
    """Remove one stand-in that this run made and did not name; tell whether it is gone."""
    found = inspect_image(engine, image)
    if found is None:
        return True
    owner = (found.labels.get(BOOTSTRAP_WORKSPACE), found.labels.get(BOOTSTRAP_RUN))
    if found.tags or not run_id or owner != (workspace_id, run_id) or not _is_imported(engine, image):
        return False
    return remove_name(engine, found.id)


def _is_imported(engine: Engine, image: str) -> bool:
    """Tell an import from what somebody built on it, which has inherited its labels."""
    with engine.errors(f"looking how image {image} was made"):
        api: Any = engine.api
        return len(api.history(image)) == 1


def _image(said: dict[str, Any]) -> Image:
    config = said.get("Config") or {}
    pairs = (entry.partition("=") for entry in config.get("Env") or ())
    variant = f"/{said['Variant']}" if said.get("Variant") else ""
    return Image(
        id=str(said["Id"]),
        tags=tuple(tag for tag in said.get("RepoTags") or () if tag != "<none>:<none>"),
        repo_digests=tuple(said.get("RepoDigests") or ()),
        environment={name: value for name, _, value in pairs},
        labels=dict(config.get("Labels") or {}),
        user=str(config.get("User") or ""),
        platform=f"{said.get('Os', 'linux')}/{said.get('Architecture', '')}{variant}",
        size=int(said.get("Size") or 0),
    )
