"""Whether two models were asked the same, and if not, what differs: told from the inputs in job.json."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from benchrouter.graph.inputs import flatten
from benchrouter.keys.canonical import same
from benchrouter.scores.collected import JobResult
from benchrouter.scores.comparison.contender import Contender

_NOT_COMPARED = frozenset({"model", "repeat"})
_MOST = 8
_LONG = 40
_ABSENT = object()
_Flat = Mapping[tuple[str, ...], object]


def differences(one: Contender, other: Contender) -> list[str]:
    """Say why two models are not comparable; nothing when they are. The values of `one` are named first."""
    return _short([*_of_the_ask(one, other), *_of_the_repeats(one, other), *_of_the_inputs(one, other)])


def content_differences(one: Contender, other: Contender) -> list[str]:
    """Say what differs in tasks that both were asked, whatever else either was asked and under which variables."""
    return _short([*_of_the_repeats(one, other), *_of_the_inputs(one, other, _NOT_COMPARED | {"variables"})])


def other_inputs(one: Contender, other: Contender) -> list[str]:
    """Say what differs in the content of tasks that both were asked, under whatever seed and variables."""
    return _short(_of_the_inputs(one, other, _NOT_COMPARED | {"variables", "seed"}))


def _short(reasons: list[str]) -> list[str]:
    return reasons if len(reasons) <= _MOST else [*reasons[:_MOST], f"and {len(reasons) - _MOST} more"]


def groups(contenders: Sequence[Contender]) -> list[list[Contender]]:
    """Put those together that are comparable, the largest group first, earlier ones before later ones."""
    found: list[list[Contender]] = []
    for contender in contenders:
        home = next((group for group in found if not differences(group[0], contender)), None)
        if home is None:
            found.append([contender])
        else:
            home.append(contender)
    return sorted(found, key=len, reverse=True)


def _of_the_ask(one: Contender, other: Contender) -> Iterator[str]:
    if one.rule != other.rule:
        yield f"aggregate: {one.rule}, against {other.rule}"
    for first, second in ((one, other), (other, one)):
        only = [task for task in first.tasks if task not in second.repeats]
        if only:
            yield f"only {first.model} was asked {listed('task', only)}"


def _of_the_repeats(one: Contender, other: Contender) -> Iterator[str]:
    both = [task for task in one.tasks if task in other.repeats]
    times: dict[tuple[int, int], list[str]] = {}
    for task in both:
        if one.repeats[task] != other.repeats[task]:
            times.setdefault((one.repeats[task], other.repeats[task]), []).append(task)
    for (first_times, second_times), tasks in times.items():
        yield f"repeats: {first_times}, against {second_times}{_of(tasks, both)}"


def _of_the_inputs(one: Contender, other: Contender, besides: Collection[str] = _NOT_COMPARED) -> list[str]:
    first, second = _by_task(one.jobs, besides), _by_task(other.jobs, besides)
    common = [task for task in first if task in second]
    seen: dict[str, list[str]] = {}
    for task in common:
        if not same(first[task], second[task]):
            for reason in _leaves(first[task], second[task]):
                seen.setdefault(reason, []).append(task)
    return [f"{reason}{_of(tasks, common)}" for reason, tasks in seen.items()]


def _by_task(jobs: Iterable[JobResult], besides: Collection[str]) -> dict[str, Mapping[str, Any]]:
    """Take the inputs of the first repeat whose job.json is there; any repeat of a task would say the same."""
    found: dict[str, Mapping[str, Any]] = {}
    for job in jobs:
        if job.inputs and job.id.task not in found:
            found[job.id.task] = {key: value for key, value in job.inputs.items() if key not in besides}
    return found


def _leaves(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    first, second = flatten(one), flatten(other)
    paths = [*first, *(path for path in second if path not in first)]
    differing = [path for path in paths if not _agree(first, second, path)]
    deeper = {path[:n] for path in differing for n in range(1, len(path))}
    for path in differing:
        # An empty group is a leaf of its own; and a key of an image only sums up what stands beside it.
        if path not in deeper and not (path[-1] == "key" and len(differing) > 1):
            yield _say(path, first.get(path, _ABSENT), second.get(path, _ABSENT))


def _say(path: tuple[str, ...], old: object, new: object) -> str:
    kind, name = path[0], ".".join(path[1:])
    if "files" in path:
        at = path.index("files")
        return f"file {_place(path[:at], '.'.join(path[at + 1 :]))} {_how(old, new)}"
    subject = {
        "variables": f"variable {name}",
        "templates": f"template {name}",
        "data": f"data volume {name}",
        "task": f"`{name}` in task.yaml",
        "contract": "version of the contract",
    }.get(kind, " ".join(path))
    if kind in ("image", "images"):
        subject = f"image: {' '.join(path[1:])}"
    before, after = _text(old), _text(new)
    if before == after and _ABSENT not in (old, new):  # a number, and the text that spells it
        before, after = json.dumps(old), json.dumps(new)
    return f"{subject}: {before}, against {after}"


def _agree(first: _Flat, second: _Flat, path: tuple[str, ...]) -> bool:
    return path in first and path in second and same(first[path], second[path])


def _place(path: tuple[str, ...], file: str) -> str:
    return f"{file} of the image" if path and path[0] in ("image", "images") else file


def _how(old: object, new: object) -> str:
    if old is _ABSENT or new is _ABSENT:
        return "is there for one of them only"
    return "differs"


def _text(value: object) -> str:
    if value is _ABSENT or value is None:
        return "none"
    if isinstance(value, bool):
        return json.dumps(value)
    text = value if isinstance(value, str) and value.isprintable() and value else repr(value)
    return text if len(text) <= _LONG else text[: _LONG - 1] + "…"


def _of(tasks: Sequence[str], every: Sequence[str]) -> str:
    return "" if len(tasks) == len(every) else f" (in {listed('task', tasks)})"


def listed(noun: str, names: Sequence[str]) -> str:
    """Name some of many things."""
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"{noun}{'s' if len(names) > 1 else ''} {shown}"
