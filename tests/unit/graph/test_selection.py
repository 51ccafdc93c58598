"""Words of `bench=` and `tasks=`: what they mean, and what is said of those that mean nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchrouter.graph.selection import Catalog, SelectionError, choose, filter_tasks

ROOTS = {name: Path("/w") / name for name in ("one", "two")}
OUTSIDE = Path("/elsewhere/three")


def catalog(**groups: tuple[str, ...]) -> Catalog:
    """Two benchmarks, some groups, one directory elsewhere."""
    return Catalog(ROOTS, groups, lambda word: OUTSIDE if word == "../three" else None)


def chosen(*words: str, **groups: tuple[str, ...]) -> dict[str, tuple[str, ...] | None]:
    """Map the names of chosen benchmarks to their tasks."""
    return {choice.root.name: choice.tasks for choice in choose(words, catalog(**groups))}


def test_words() -> None:
    """Names, tasks, paths, groups, groups of groups, `all`, and nothing."""
    assert chosen() == {"one": None, "two": None} == chosen("all")
    assert chosen(default=("two",)) == {"two": None}
    assert chosen("one/a", "one/b", "one/a") == {"one": ("a", "b")}
    assert chosen("one/a", "one") == {"one": None} == chosen("one", "one/a")
    assert chosen("../three") == {"three": None}
    assert chosen("g", g=("h", "two"), h=("one/a",)) == {"one": ("a",), "two": None}


@pytest.mark.parametrize(
    ("words", "groups", "said"),
    [
        (("ome",), {}, "did you mean `one`?"),
        (("x/y/z",), {}, "no benchmark, group or benchmark directory `x/y/z`"),
        (("g",), {"g": ("h",), "h": ("g",)}, "group `g` contains itself: g -> h -> g"),
        (("g",), {"g": ("onn",)}, r"\(in group `g` of benchrouter.yaml\)"),
    ],
)
def test_words_that_mean_nothing(words: tuple[str, ...], groups: dict[str, tuple[str, ...]], said: str) -> None:
    """An error, never an empty selection."""
    with pytest.raises(SelectionError, match=said):
        chosen(*words, **groups)


def test_all_bad_words_are_named_at_once() -> None:
    """One line each."""
    with pytest.raises(SelectionError) as error:
        chosen("nope", "neither")
    assert str(error.value).count("\n") == 1


DECLARED = {"one": ("a", "b"), "two": ("b", "c")}


def test_tasks() -> None:
    """A name matches wholly, in every benchmark or in the one named; benchmarks without a match drop out."""
    assert filter_tasks((), DECLARED, DECLARED) == DECLARED
    assert filter_tasks(("b",), DECLARED, DECLARED) == {"one": ("b",), "two": ("b",)}
    assert filter_tasks(("two/b", "a"), DECLARED, DECLARED) == {"one": ("a",), "two": ("b",)}


@pytest.mark.parametrize("word", ["d", "one/c", "*", "A", "aa"])
def test_a_task_that_matches_none_is_an_error(word: str) -> None:
    """Never exit 0 with nothing done."""
    with pytest.raises(SelectionError, match="no selected benchmark has a task"):
        filter_tasks((word,), DECLARED, DECLARED)


def test_a_chosen_task_that_is_not_declared() -> None:
    """From `bench=one/x` or a group."""
    with pytest.raises(SelectionError, match="benchmark `one` has no task `x`"):
        filter_tasks((), {"one": ("x",)}, DECLARED)
