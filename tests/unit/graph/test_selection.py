"""Words of `bench=` and `tasks=`: what they mean, and what is said of those that mean nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchrouter.graph.selection import Catalog, choose, filter_tasks, words_or_default

ROOTS = {name: Path("/w") / name for name in ("one", "two")}
OUTSIDE = Path("/elsewhere/three")


def catalog(**groups: tuple[str, ...]) -> Catalog:
    """Two benchmarks, some groups, one directory elsewhere."""
    return Catalog(ROOTS, groups, lambda word: OUTSIDE if word == "../three" else None)


def resolved(*words: str, **groups: tuple[str, ...]) -> tuple[dict[str, tuple[str, ...] | None], list[str]]:
    """Map the names of chosen benchmarks to their tasks, and list the words that mean nothing."""
    faults: list[str] = []
    known = catalog(**groups)
    choices = choose(words_or_default(words, known), known, faults)
    return {choice.root.name: choice.tasks for choice in choices}, faults


def chosen(*words: str, **groups: tuple[str, ...]) -> dict[str, tuple[str, ...] | None]:
    """Map the names of chosen benchmarks to their tasks, where all words mean something."""
    found, faults = resolved(*words, **groups)
    assert not faults
    return found


def test_words() -> None:
    """Names, tasks, paths, groups, groups of groups, `all`, and nothing."""
    assert chosen() == {"one": None, "two": None} == chosen("all")
    assert chosen(default=("two",)) == {"two": None}
    assert chosen("one/a", "one/b", "one/a") == {"one": ("a", "b")}
    assert chosen("one/a", "one") == {"one": None} == chosen("one", "one/a")
    assert chosen("../three") == {"three": None}
    assert chosen("g", g=("h", "two"), h=("one/a",)) == {"one": ("a",), "two": None}


def test_words_that_mean_nothing() -> None:
    """Named, one line each, with the nearest name; the others count all the same."""
    found, faults = resolved("ome", "two", "x/y/z")
    assert found == {"two": None}
    assert [fault.partition(";")[0] for fault in faults] == [
        "no benchmark, group or benchmark directory `ome` (did you mean `one`?)",
        "no benchmark, group or benchmark directory `x/y/z`",
    ]


def test_members_of_groups_that_mean_nothing_are_left_out() -> None:
    """They are found where groups are checked; a circle ends; a path is none inside a group."""
    assert chosen("g", g=("h", "onn", "two"), h=("g", "one/a", "../three")) == {"one": ("a",), "two": None}


DECLARED = {"one": ("a", "b"), "two": ("b", "c")}


def filtered(*words: str, unsure: tuple[str, ...] = (), **picked: tuple[str, ...]) -> tuple[dict[str, Any], list[str]]:
    """Filter the declared tasks, or those that were picked; give what is kept and what is wrong."""
    faults: list[str] = []
    return filter_tasks(words, picked or DECLARED, DECLARED, faults, unsure), faults


def test_tasks() -> None:
    """A name matches wholly, in every benchmark or in the one named; benchmarks without a match drop out."""
    assert filtered() == (DECLARED, [])
    assert filtered("b") == ({"one": ("b",), "two": ("b",)}, [])
    assert filtered("two/b", "a") == ({"one": ("a",), "two": ("b",)}, [])


@pytest.mark.parametrize("word", ["d", "one/c", "*", "A", "aa"])
def test_a_task_that_matches_none_is_an_error(word: str) -> None:
    """Never exit 0 with nothing done; what was selected stays, so that its own faults show too."""
    kept, (fault,) = filtered(word)
    assert fault.startswith(f"no selected benchmark has a task `{word}`") and kept == DECLARED


def test_a_chosen_task_that_is_not_declared_is_said_with_the_others() -> None:
    """From `bench=one/x` or a group."""
    kept, faults = filtered("y", one=("x", "a"))
    assert kept == {"one": ("a",)}
    assert faults == ["benchmark `one` has no task `x`", "no selected benchmark has a task `y`"]


def test_of_a_benchmark_whose_tasks_are_not_all_known_none_is_missed() -> None:
    """It may declare the task where its file has errors; of the others that is known."""
    assert filtered("y", unsure=("one",), one=("x",), two=("z", "b")) == (
        {"one": (), "two": ("b",)},
        ["benchmark `two` has no task `z`"],
    )


def test_a_task_beside_its_whole_benchmark_was_dropped_unseen() -> None:
    """`bench=b/zz,b` ran b as if `b/zz` had not been typed; members of groups are said with their place instead."""
    known = catalog(g=("one/zz", "one/a"))
    for words, named in ((("one/zz", "one"), ("zz",)), (("one", "one/zz"), ("zz",)), (("g", "one"), ())):
        (choice,) = choose(words, known, [])
        assert (choice.tasks, choice.named) == (None, named)
    (choice,) = choose(("g", "one/b"), known, [])
    assert (choice.tasks, choice.named) == (("zz", "a", "b"), ("b",))
    faults: list[str] = []
    filter_tasks((), {"one": ("a", "task")}, {"one": ("a", "task")}, faults, named={"one": ("tsk",)})
    assert faults == ["benchmark `one` has no task `tsk` (did you mean `task`?)"]


def test_a_group_named_all_hid_benchmarks_from_what_lists_everything() -> None:
    """`all` is the person's when they say so; what cleans and lists asks by a word that no group can take."""
    assert chosen("all", all=("two",)) == {"two": None}
    assert chosen("*", all=("two",)) == {"one": None, "two": None}
