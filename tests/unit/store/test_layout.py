from __future__ import annotations

from itertools import combinations

import pytest

from benchrouter.store import layout
from benchrouter.store.jobid import JobId
from benchrouter.store.problems import StoreError
from benchrouter.store.workspace import Workspace

MODELS = [
    "gpt-4.1",
    "gpt-4-1",
    "openai/gpt-4o",
    "openai-gpt-4o",
    "a=b",
    "m" * 200,
    "m" * 201,
    "modèle",
    "with space",
    "A",
    "a",
    "..",
    "../../etc",
    "aggregates",
    ".hidden",
    "-rf",
    "",
]


def test_model_names_neither_collide_nor_escape(ws: Workspace) -> None:
    paths = [layout.task_dir(ws, JobId("b", "t", model)) for model in MODELS]
    for one, other in combinations(paths, 2):
        assert str(one).lower() != str(other).lower()
    for path in paths:
        assert path.parent.parent == ws.results / "b"
        assert ".." not in path.parts and len(path.parent.name.encode()) <= 100


def test_task_names_that_differ_in_separators_or_case_do_not_collide(ws: Workspace) -> None:
    names = ["a__b", "a-b", "a_b", "a.b", "A-B"]
    assert len({layout.task_dir(ws, JobId("b", name, "m")) for name in names}) == len(names)


@pytest.mark.parametrize("name", ["..", "a/b", ".hidden", "-rf", "failed", "aggregates", ""])
def test_unsafe_and_reserved_component_names_are_refused(ws: Workspace, name: str) -> None:
    with pytest.raises(StoreError, match="name"):
        layout.task_dir(ws, JobId("b", name, "m"))
    with pytest.raises(StoreError, match="name"):
        layout.model_dir(ws, name, "m")


def test_every_attempt_gets_a_fresh_directory(ws: Workspace) -> None:
    made = {layout.fresh_attempt(ws, "run") for _ in range(50)}
    assert len(made) == 50
    assert all(path.is_dir() and not list(path.iterdir()) for path in made)
