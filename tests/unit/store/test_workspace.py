from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from benchrouter.store.problems import StoreError
from benchrouter.store.workspace import Workspace


def make(root: Path, source: str = "benchmarks/") -> Path:
    root.mkdir(parents=True)
    (root / "dodo.py").touch()
    if source.endswith("/"):
        (root / source).mkdir()
    else:
        (root / source).touch()
    return root


@pytest.mark.parametrize("source", ["benchmarks/", "benchrouter.yaml"])
def test_finds_the_nearest_workspace_upwards(tmp_path: Path, source: str) -> None:
    make(tmp_path / "outer")
    inner = make(tmp_path / "outer" / "in ner", source)
    deep = inner / "a" / "b"
    deep.mkdir(parents=True)
    assert Workspace.find(deep).root == inner
    assert Workspace.find(tmp_path / "outer" / "not there").root == tmp_path / "outer"


def test_a_doit_project_of_somebody_else_is_no_workspace(tmp_path: Path) -> None:
    (tmp_path / "dodo.py").touch()
    with pytest.raises(StoreError, match=r"no workspace here or above: expected .*dodo\.py"):
        Workspace.find(tmp_path)


def test_reading_commands_write_nothing(tmp_path: Path) -> None:
    ws = Workspace(tmp_path)
    assert ws.peek_id() is None
    with pytest.raises(StoreError, match="no id yet"):
        _ = ws.id
    assert list(tmp_path.iterdir()) == []


def test_the_id_is_made_once_and_stays(tmp_path: Path) -> None:
    first = Workspace(tmp_path).ensure().id
    assert Workspace(tmp_path).ensure().id == first == Workspace(tmp_path).peek_id()
    assert Workspace(tmp_path / "other").ensure().id != first


def test_a_torn_id_is_made_again(tmp_path: Path) -> None:
    ws = Workspace(tmp_path).ensure()
    ws.id_file.write_text("")
    assert ws.peek_id() is None
    assert ws.ensure().id


def test_processes_that_start_at_once_agree_on_the_id(
    tmp_path: Path, fork: Callable[[Callable[[], None]], int]
) -> None:
    def body() -> None:
        ws = Workspace(tmp_path).ensure()
        (tmp_path / f"seen.{os.getpid()}").write_text(ws.id)

    for pid in [fork(body) for _ in range(8)]:
        assert os.waitpid(pid, 0)[1] == 0
    assert len({path.read_text() for path in tmp_path.glob("seen.*")}) == 1
    assert [path.name for path in (tmp_path / ".benchrouter").iterdir()] == ["id"]
