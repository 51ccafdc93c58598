"""One short key for the images that a selection of tasks needs: what a CI cache of the archive is named by; pure."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping

from benchrouter.graph.build import Selected, used_images
from benchrouter.graph.nodes import ImageNode
from benchrouter.keys.canonical import digest

_FORM = 1
"""Counts the forms of the archive on disk."""


def cache_key(selected: Iterable[Selected], images: Mapping[str, ImageNode]) -> str:
    """Digest the keys of all environments and the references from outside; the same on every machine of a kind."""
    outside: set[str] = set()
    for choice in selected:
        for name in choice.tasks:
            used = used_images(choice.scanned.benchmark.name, choice.scanned.tasks[name], images)
            outside |= {ref for ref, node in used.items() if node not in images}
    keys = {image.label: image.key for image in images.values()}
    return digest([_FORM, platform.machine(), keys, sorted(outside)])[:16]
