"""Groups of benchrouter.yaml: which of them are used, and members that mean nothing; pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from benchrouter.graph.circles import circles
from benchrouter.spec.names import did_you_mean

ALL = "all"
"""What means every benchmark, unless the person has a group of that name."""
EVERY = "*"
"""What means every benchmark, whatever groups there are."""
Groups = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class GroupFault:
    """What is wrong with a group; `index` is the member's place in its list, None for the group as a whole."""

    group: str
    index: int | None
    text: str


def used_groups(words: Iterable[str], groups: Groups) -> frozenset[str]:
    """Find the groups that words mean, and those within them."""
    used: set[str] = set()
    waiting = [word for word in words if word in groups]
    while waiting:
        name = waiting.pop()
        if name not in used:
            used.add(name)
            waiting += [member for member in groups[name] if member in groups]
    return frozenset(used)


def unknown_members(
    groups: Groups, benchmarks: Iterable[str], no_benchmark: Callable[[str], str] = lambda _: ""
) -> Iterator[GroupFault]:
    """Find members that are neither a benchmark, a task of one, nor a group; and groups that contain themselves.

    "" stands for what is no word at all, and was found before; `no_benchmark` is that of `Catalog`.
    """
    known = [*benchmarks]
    words = {*known, *groups, ALL, ""}
    for group, members in groups.items():
        if not members:
            yield GroupFault(group, None, f"group `{group}` is empty")
        for index, member in enumerate(members):
            name = member.partition("/")[0]
            if member not in words and not ("/" in member and name in known):
                meant = did_you_mean(member, words - {group, ""}) or did_you_mean(name, known)
                text = (name == member and no_benchmark(name)) or f"no benchmark or group `{member}`{meant}"
                yield GroupFault(group, index, f"group `{group}`: {text}")
    for circle in circles(groups, lambda group: (member for member in groups[group] if member in groups)):
        text = f"group `{circle[0]}` contains itself: {' -> '.join(circle)}"
        yield GroupFault(circle[0], None, text)


def doubtful_groups(words: Iterable[str], groups: Groups, benchmarks: Iterable[str]) -> frozenset[str]:
    """Find the groups among those that words mean of which some member is not known."""
    doubtful = {fault.group for fault in unknown_members(groups, benchmarks)}
    doubtful |= {group for group, members in groups.items() if "" in members}
    return used_groups(words, groups) & doubtful


def undeclared_tasks(groups: Groups, declared: Mapping[str, Iterable[str]]) -> Iterator[GroupFault]:
    """Find members that name a task which its benchmark, as far as it is known, does not declare."""
    for group, members in groups.items():
        for index, member in enumerate(members):
            name, slash, task = member.partition("/")
            if slash and name in declared and task not in declared[name]:
                meant = did_you_mean(task, declared[name])
                yield GroupFault(group, index, f"group `{group}`: benchmark `{name}` has no task `{task}`{meant}")
