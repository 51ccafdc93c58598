"""Why a node is not up to date, as data; its wording is in wording.py, its layout elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from benchrouter.graph.inputs import flatten
from benchrouter.graph.wording import Change, say
from benchrouter.keys.canonical import same


@dataclass(frozen=True)
class Cause:
    """One reason; `because` is the chain towards the root cause.

    `file` is the file that it is about, if any: the label of its directory in `where`, and its path there.
    """

    text: str
    because: tuple[Cause, ...] = ()
    file: tuple[str, str] | None = None


def count_roots(causes: Iterable[Cause]) -> int:
    """Count root causes: those that no other cause explains."""
    return sum(count_roots(cause.because) if cause.because else 1 for cause in causes)


def differences(
    old: Mapping[str, object], new: Mapping[str, object], where: Mapping[str, str]
) -> tuple[Cause, ...]:
    """Compare what made an earlier key with what makes this one; one cause per changed input.

    `where` gives the directory to name files from: `task` for the task tree, and one per environment label.
    """
    causes = _leaves(old, new, where, "", skip={"image", "images"})
    old_image, new_image = old.get("image"), new.get("image")
    if isinstance(old_image, Mapping) and isinstance(new_image, Mapping):
        causes += _image(old_image, new_image, where)
    before = _members(old, "images")
    for ref, image in _members(new, "images").items():
        causes += _image(before[ref], image, where) if ref in before else []
    return tuple(dict.fromkeys(causes))


def _members(inputs: Mapping[str, object], name: str) -> dict[str, Mapping[str, object]]:
    found = inputs.get(name)
    items = found.items() if isinstance(found, Mapping) else ()
    return {str(ref): image for ref, image in items if isinstance(image, Mapping)}


def image_differences(
    old: Mapping[str, object], new: Mapping[str, object], label: str, where: Mapping[str, str]
) -> tuple[Cause, ...]:
    """Compare one environment's image, wherever it stands in the inputs of a job; empty when it did not change."""
    before, after = _find_anywhere(old, label), _find_anywhere(new, label)
    if before is None or after is None:
        return ()
    return tuple(cause for changed in _image(before, after, where) for cause in changed.because)


def _find_anywhere(inputs: Mapping[str, object], label: str) -> Mapping[str, object] | None:
    images = (inputs.get("image"), *_members(inputs, "images").values())
    return next((found for image in images if (found := _find_image(image, label)) is not None), None)


def _find_image(image: object, label: str) -> Mapping[str, object] | None:
    if not isinstance(image, Mapping):
        return None
    if image.get("environment") == label:
        return image
    siblings = image.get("siblings")
    inner = siblings.values() if isinstance(siblings, Mapping) else ()
    return next((found for sibling in inner if (found := _find_image(sibling, label)) is not None), None)


def _image(old: Mapping[str, object], new: Mapping[str, object], where: Mapping[str, str]) -> list[Cause]:
    if old.get("key") == new.get("key") and old.get("environment") == new.get("environment"):
        return []
    label = str(new.get("environment"))
    if old.get("environment") != label:
        return [Cause(f"environment changed: {old.get('environment')} -> {label}")]
    inner = _leaves(old, new, where, label, skip={"key", "siblings", "environment"})
    old_siblings, new_siblings = old.get("siblings"), new.get("siblings")
    if isinstance(old_siblings, Mapping) and isinstance(new_siblings, Mapping):
        for ref, sibling in new_siblings.items():
            before = old_siblings.get(ref)
            inner += (
                _image(before, sibling, where)
                if isinstance(before, Mapping)
                else [Cause(f"now builds on {ref}")]
            )
    return [Cause(f"image {label} changed", tuple(inner))]


def _leaves(
    old: Mapping[str, object], new: Mapping[str, object], where: Mapping[str, str], label: str, skip: set[str]
) -> list[Cause]:
    unknown = "files" not in old or "files" not in new
    if unknown:
        skip = {*skip, "files"}
    before = {p: v for p, v in flatten(old).items() if p[0] not in skip}
    after = {p: v for p, v in flatten(new).items() if p[0] not in skip}
    causes = []
    for path in [*after, *(p for p in before if p not in after)]:
        if same(before.get(path), after.get(path)) and (path in before) == (path in after):
            continue
        if _is_empty_group(before, after, path):
            continue
        change = (
            Change.ADDED if path not in before else Change.REMOVED if path not in after else Change.CHANGED
        )
        file = (label or "task", ".".join(path[1:])) if path[0] == "files" else None
        causes.append(Cause(say(path, before.get(path), after.get(path), change, where, label), file=file))
    if unknown and not causes:
        place = where.get(label or "task", "")
        causes.append(Cause(f"files of {place} changed" if place else "files changed"))
    return causes


def _is_empty_group(
    before: Mapping[tuple[str, ...], object], after: Mapping[tuple[str, ...], object], path: tuple[str, ...]
) -> bool:
    # An empty mapping is a leaf of its own; it comes and goes with its first member, which is named already.
    return before.get(path) == {} or after.get(path) == {}
