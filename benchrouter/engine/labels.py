"""The labels by which we know our own: nothing that lacks them is ever touched.

Images have names of their own, because a container inherits its image's labels: what a person starts by hand
from an image of ours must not look like a container of ours.
"""

from __future__ import annotations

from collections.abc import Mapping

WORKSPACE = "benchrouter.workspace"
RUN = "benchrouter.run"
JOB = "benchrouter.job"
OWNER = "benchrouter.owner"
KEY = "benchrouter.key"
IMAGE_WORKSPACE = "benchrouter.image.workspace"
IMAGE_RUN = "benchrouter.image.run"
IMAGE_OWNER = "benchrouter.image.owner"
IMAGE_BASES = "benchrouter.image.bases"
BOOTSTRAPPED = "benchrouter.bootstrapped"
BOOTSTRAP_WORKSPACE = "benchrouter.bootstrap.workspace"
BOOTSTRAP_RUN = "benchrouter.bootstrap.run"
BOOTSTRAP_OWNER = "benchrouter.bootstrap.owner"


def object_labels(workspace_id: str, run_id: str, *, owner: str = "", job: str = "") -> dict[str, str]:
    """Label a container, network or volume; `owner` tells the owning process in one text."""
    return _without_empty({WORKSPACE: workspace_id, RUN: run_id, OWNER: owner, JOB: job})


def image_labels(workspace_id: str, run_id: str, *, key: str, owner: str = "", bases: str = "") -> dict[str, str]:
    """Label an image that is built for `key`; `bases` tells as JSON what it was really built on."""
    labels = {KEY: key, IMAGE_WORKSPACE: workspace_id, IMAGE_RUN: run_id, IMAGE_OWNER: owner, IMAGE_BASES: bases}
    return _without_empty(labels)


def bootstrap_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """Label a stand-in that is being made, given the labels of its maker's containers.

    Names of their own once more: a stand-in belongs to all workspaces of the engine as soon as it has its name.
    """
    names = {WORKSPACE: BOOTSTRAP_WORKSPACE, RUN: BOOTSTRAP_RUN, OWNER: BOOTSTRAP_OWNER}
    return {own: labels[name] for name, own in names.items() if name in labels}


def bootstrap_filter(workspace_id: str, run_id: str) -> dict[str, list[str]]:
    """Build the engine's filter for stand-ins that one run of one workspace made."""
    return {"label": [f"{BOOTSTRAP_WORKSPACE}={workspace_id}", f"{BOOTSTRAP_RUN}={run_id}"]}


def object_filter(workspace_id: str, run_id: str) -> dict[str, list[str]]:
    """Build the engine's filter for containers, networks and volumes of one run of one workspace."""
    return {"label": [f"{WORKSPACE}={workspace_id}", f"{RUN}={run_id}"]}


def image_filter(workspace_id: str, run_id: str) -> dict[str, list[str]]:
    """Build the engine's filter for images that one run of one workspace built."""
    return {"label": [f"{IMAGE_WORKSPACE}={workspace_id}", f"{IMAGE_RUN}={run_id}"]}


def owned(labels: Mapping[str, str] | None, workspace_id: str, run_id: str) -> bool:
    """Check the labels that the engine reports, because a filter alone is not trusted with a removal."""
    found = labels or {}
    return bool(workspace_id and run_id) and (found.get(WORKSPACE), found.get(RUN)) == (workspace_id, run_id)


def _without_empty(labels: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in labels.items() if text}
