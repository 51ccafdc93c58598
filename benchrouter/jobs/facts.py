"""What may differ between two identical attempts, for provenance.json; pure."""

from __future__ import annotations

import json
from typing import Any

from benchrouter.engine.client import EngineInfo
from benchrouter.engine.container_spec import ContainerSpec
from benchrouter.engine.containers import Exit
from benchrouter.engine.images import Image
from benchrouter.engine.labels import IMAGE_BASES
from benchrouter.jobs.request import JobRequest


def facts_of(
    info: EngineInfo, request: JobRequest, spec: ContainerSpec, image: Image, exit: Exit
) -> dict[str, Any]:
    """Describe the container and the engine of one attempt; times in seconds since the epoch."""
    return {
        "endpoint": request.endpoint,
        "container": {
            "name": spec.name,
            "image_id": exit.image_id or image.id,
            "image_digests": list(image.repo_digests),
            "status": exit.code,
            "oom_killed": exit.oom_killed,
            "started_at": exit.started_at,
            "finished_at": exit.finished_at,
            "memory": spec.limits.memory,
            "cpus": spec.limits.cpus,
            "not_removed": exit.leftover,
        },
        "bases": _bases(image),
        "engine": {
            "version": info.version,
            "storage_driver": info.storage_driver,
            "operating_system": info.operating_system,
            "architecture": info.architecture,
        },
    }


def _bases(image: Image) -> Any:
    """Tell what the image was really built on, as its label says; it may have been built long ago."""
    try:
        return json.loads(image.labels.get(IMAGE_BASES, "{}"))
    except ValueError:
        return {}
