"""Groups of benchrouter.yaml: members that mean nothing are found in all of them, used or not."""

from __future__ import annotations

from benchrouter.graph.groups import GroupFault, undeclared_tasks, unknown_members, used_groups

BENCHMARKS = ("hello", "humaneval")


def said(**groups: tuple[str, ...]) -> list[GroupFault]:
    """Check groups against two benchmarks."""
    return list(unknown_members(groups, BENCHMARKS))


def test_what_a_member_may_be() -> None:
    """A benchmark, a task of one, a group, all."""
    assert said(default=("hello", "humaneval/x", "more", "all"), more=("hello",)) == []


def test_an_unknown_member_is_found_with_its_place_and_the_nearest_name() -> None:
    """Of benchmarks, of groups, of the benchmark before a slash; a path is no member."""
    assert said(a=("hello", "helo"), b=("humanevl/x",), c=("b", "aa"), d=("a/b",), e=("zzz",)) == [
        GroupFault("a", 1, "group `a`: no benchmark or group `helo` (did you mean `hello`?)"),
        GroupFault("b", 0, "group `b`: no benchmark or group `humanevl/x` (did you mean `humaneval`?)"),
        GroupFault("c", 1, "group `c`: no benchmark or group `aa` (did you mean `a`?)"),
        GroupFault("d", 0, "group `d`: no benchmark or group `a/b`"),
        GroupFault("e", 0, "group `e`: no benchmark or group `zzz`"),
    ]


def test_a_group_that_contains_itself_and_one_that_is_empty() -> None:
    """Both would run something else than was meant, or nothing."""
    assert said(g=("h",), h=("g", "hello")) == [GroupFault("g", None, "group `g` contains itself: g -> h -> g")]
    assert said(hello=("hello",)) == [GroupFault("hello", None, "group `hello` contains itself: hello -> hello")]
    assert said(g=()) == [GroupFault("g", None, "group `g` is empty")]


def test_tasks_are_checked_where_the_benchmark_is_known() -> None:
    """Others were not read."""
    groups = {"g": ("hello/capitols", "hello/capitals", "humaneval/x", "hello")}
    assert list(undeclared_tasks(groups, {"hello": ("capitals",)})) == [
        GroupFault("g", 0, "group `g`: benchmark `hello` has no task `capitols` (did you mean `capitals`?)")
    ]


def test_groups_within_used_groups_are_used() -> None:
    """Circles end."""
    groups = {"a": ("b",), "b": ("c", "a"), "c": ("hello",), "d": ("a",)}
    assert used_groups(["a", "hello"], groups) == {"a", "b", "c"}
