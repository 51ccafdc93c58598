"""The environment images that one workspace built, by name."""

from __future__ import annotations

from benchrouter.engine.client import Engine
from benchrouter.engine.labels import IMAGE_WORKSPACE

PREFIX = "benchrouter/"


def workspace_images(engine: Engine, workspace_id: str) -> list[str]:
    """List the names (`benchrouter/…:<key>`) of images that carry the workspace's label, sorted."""
    with engine.errors("listing the images of this workspace"):
        found = engine.api.images(filters={"label": [f"{IMAGE_WORKSPACE}={workspace_id}"]})
    names = {str(name) for image in found for name in image.get("RepoTags") or ()}
    return sorted(name for name in names if name.startswith(PREFIX))
