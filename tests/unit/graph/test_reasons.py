"""Each changed input is one cause, in words that name it."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from benchrouter.graph.inputs import job_inputs
from benchrouter.graph.reasons import Cause, count_roots, differences, image_differences

from .small import ASK, benchmark, graph

WHERE = {"task": "T", "b/b": "E", "b/under": "U"}
UNDER = {"environment": "b/under", "key": "1", "files": {"Dockerfile": "d1"}, "siblings": {}}
BASE: dict[str, Any] = {
    "contract": "1",
    "files": {"run.sh": "d1", "link": "link to a", "dir": "directory"},
    "task": {"command": "a", "extra_env": {}},
    "image": {
        "environment": "b/b",
        "key": "1",
        "files": {"Dockerfile": "d1"},
        "build_args": {},
        "bases": {"debian": "k"},
        "siblings": {"benchrouter-env-under": UNDER},
        "epoch": 0,
    },
    "model": {"name": "m"},
    "variables": {},
    "templates": {},
    "repeat": 0,
    "seed": None,
}


def changed(path: str, value: object) -> dict[str, Any]:
    """Copy the inputs with one value replaced, added, or removed (None)."""
    made = copy.deepcopy(BASE)
    *parents, last = path.split("|")
    place = made
    for name in parents:
        place = place[name]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return made


def texts(causes: tuple[Cause, ...]) -> list[str]:
    """Flatten causes, depth first."""
    return [text for cause in causes for text in (cause.text, *texts(cause.because))]


@pytest.mark.parametrize(
    ("path", "value", "text"),
    [
        ("files|run.sh", "d2", "file T/run.sh changed"),
        ("files|run.sh", "d1 executable", "file T/run.sh: exec bit set"),
        ("files|run.sh", "link to x", "T/run.sh changed from a file to a link"),
        ("files|link", "link to b", "link T/link changed: a -> b"),
        ("files|dir", None, "directory T/dir removed"),
        ("files|new", "d", "file T/new added"),
        ("task|command", "b", "T/task.yaml: command changed: a -> b"),
        ("task|extra_env", {"A": "1"}, "T/task.yaml: extra_env.A added"),
        ("variables|V", "1", "variable V added"),
        ("templates|run.sh.j2", "digest", "template templates/run.sh.j2 added"),
        ("data", {"hub": "1"}, "data volume hub added"),
        ("model|revision", "2", "model revision added"),
        ("seed", 3, "seed changed: None -> 3"),
        ("contract", "2", "contract changed: 1 -> 2"),
    ],
)
def test_one_change_is_one_cause(path: str, value: object, text: str) -> None:
    """Named by what it is, with its place and its values."""
    assert texts(differences(BASE, changed(path, value), WHERE)) == [text]
    assert len(texts(differences(changed(path, value), BASE, WHERE))) == 1


def test_an_image_is_a_chain_to_the_root_cause() -> None:
    """The image changed because the one under it changed because a file changed."""
    new = changed("image|key", "2")
    under = new["image"]["siblings"]["benchrouter-env-under"]
    under |= {"key": "2", "files": {"Dockerfile": "d2"}}
    found = differences(BASE, new, WHERE)
    chain = ["image b/b changed", "image b/under changed", "file U/Dockerfile changed"]
    assert texts(found) == chain and count_roots(found) == 1
    assert texts(image_differences(BASE, new, "b/under", WHERE)) == chain[2:]
    assert texts(image_differences(BASE, new, "b/b", WHERE)) == chain[1:]
    assert image_differences(BASE, new, "b/other", WHERE) == ()


@pytest.mark.parametrize(
    ("path", "value", "text"),
    [
        ("files|Dockerfile", "d2", "file E/Dockerfile changed"),
        ("build_args|A", "1", "build argument A added"),
        ("bases|debian", None, "base image debian removed"),
        ("epoch", "e1", "environment refreshed (epoch e1)"),
        ("files", None, "files of E changed"),
    ],
)
def test_what_an_image_is_made_of(path: str, value: object, text: str) -> None:
    """The root cause stands below the image."""
    new = changed(f"image|{path}", value)
    new["image"]["key"] = "2"
    assert texts(differences(BASE, new, WHERE)) == ["image b/b changed", text]


def test_equal_image_keys_hide_nothing_and_invent_nothing() -> None:
    """A record without a file list, made while the context was edited, is no cause by itself."""
    assert differences(BASE, changed("image|files", None), WHERE) == ()
    assert differences(BASE, BASE, WHERE) == ()


def test_another_environment_is_said_as_such() -> None:
    """Not file by file."""
    new = changed("image|environment", "b/c")
    assert texts(differences(BASE, new, WHERE)) == ["environment changed: b/b -> b/c"]


def test_long_values_are_shown_where_they_differ() -> None:
    """A command of many lines stays on one line, and the difference is in it."""
    old, new = changed("task|command", "x" * 200 + "\nold"), changed("task|command", "x" * 200 + "\nnew")
    (text,) = texts(differences(old, new, WHERE))
    assert "old" in text and "new" in text and "\n" not in text and len(text) < 200


def test_the_inputs_of_a_job_have_no_place_and_no_secret_in_them(tmp_path: Path) -> None:
    """They go into job.json, which is the same in every workspace."""
    one, two = (graph(benchmark(tmp_path / name)) for name in ("one", "two"))
    inputs = [job_inputs(ASK, made, made.jobs[0]) for made in (one, two)]
    assert inputs[0] == inputs[1] and str(tmp_path) not in str(inputs)
    assert set(inputs[0]) == set(BASE)
    (tmp_path / "one" / "t" / "run.sh").write_text("edited since\n")
    assert "files" not in job_inputs(ASK, one, one.jobs[0])


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        (0, 0.0, "0 -> 0.0"),
        (1, True, "1 -> true"),
        (False, 0, "false -> 0"),
        (0.0, -0.0, "0.0 -> -0.0"),
        (1, "1", '1 -> "1"'),
        ([1], [1.0], "[1] -> [1.0]"),
        ([{"a": 1}], [{"a": True}], "[{'a': 1}] -> [{'a': True}]"),
    ],
)
def test_a_parameter_that_changed_its_type_alone_is_the_cause(old: Any, new: Any, shown: str) -> None:
    """The key changed, Python's `==` saw nothing, and the cause was that an earlier result had been removed."""
    before, after = changed("model|temperature", old), changed("model|temperature", new)
    assert texts(differences(before, after, WHERE)) == [f"model temperature changed: {shown}"]
    assert differences(before, copy.deepcopy(before), WHERE) == ()
