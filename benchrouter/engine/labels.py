"""The labels by which we know our own: nothing that lacks them is ever touched."""

from __future__ import annotations

WORKSPACE = "benchrouter.workspace"
RUN = "benchrouter.run"
JOB = "benchrouter.job"
OWNER = "benchrouter.owner"
KEY = "benchrouter.key"
BOOTSTRAPPED = "benchrouter.bootstrapped"


def object_labels(
    workspace_id: str, run_id: str, *, owner: str = "", job: str = "", key: str = ""
) -> dict[str, str]:
    """Label one object; `owner` is pid, start time, boot id and pid namespace as one text."""
    optional = {OWNER: owner, JOB: job, KEY: key}
    return {WORKSPACE: workspace_id, RUN: run_id} | {name: text for name, text in optional.items() if text}


def ownership_filter(workspace_id: str, run_id: str) -> dict[str, list[str]]:
    """Build the engine's filter that matches exactly what one run of one workspace made."""
    return {"label": [f"{WORKSPACE}={workspace_id}", f"{RUN}={run_id}"]}


def owned(labels: dict[str, str] | None, workspace_id: str, run_id: str) -> bool:
    """Check the labels that the engine reports, because a filter alone is not trusted with a removal."""
    found = labels or {}
    return bool(workspace_id and run_id) and (found.get(WORKSPACE), found.get(RUN)) == (workspace_id, run_id)
