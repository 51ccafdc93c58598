"""Files that are not as we write them: a value of another kind anywhere is missing, and never breaks the rest."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from shelf import Shelf

from benchrouter.scores.export import forms
from benchrouter.scores.export.rows import COLUMNS, exported, rows_of
from benchrouter.scores.leaderboard import lines, write_leaderboard
from benchrouter.scores.report.gather import gather
from benchrouter.scores.report.page import render
from benchrouter.store import runs
from benchrouter.store.items import ItemCounts
from benchrouter.store.jobid import JobId
from benchrouter.store.runs import RunJob, RunNode, RunRecord, Span
from benchrouter.store.states import JobState, Reason
from benchrouter.store.workspace import Workspace

ODD: list[Any] = [
    None, True, 0, -1, 0.5, 1e308, 1e18, 10**30, "", "x", "\ud800\x00", [], [1], {}, {"a": []}, [{}], [[]]
]  # fmt: skip
PROVENANCE = {
    "run_id": "r", "seconds": 1.5, "benchrouter": "0", "python": "3", "engine": {"version": "1"},
    "bases": {"d": {"used": "x", "from": "alias", "id": "i", "digests": ["s"]}},
    "container": {"finished_at": 5.0, "image_id": "i", "image_digests": ["d"]},
    "git": {"commit": "c", "dirty": True}, "data": {"v": {"identity": "1"}},
}  # fmt: skip


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small workspace with everything in it."""
    ws = Workspace(tmp_path_factory.mktemp("sound")).ensure()
    shelf = Shelf(ws.results)
    for model in ("a", "b"):
        done = shelf.add(model, "x", {"p": 1, "q": None, "r": 0.5}, image={"key": "k", "environment": "b/e"})
        failed = shelf.add(model, "y", reason=Reason.OOM)
        for directory in (done, failed):
            (directory / "provenance.json").write_text(json.dumps(PROVENANCE))
    shelf.settle()
    spans = (Span(0, 1.0, 2.0),)
    job = RunJob(JobId("b", "x", "a"), "k", JobState.FAILED, Reason.OOM, items=ItemCounts(1, 2), spans=spans)
    nodes = (RunNode("image:b/e", spans),)
    runs.save(ws, RunRecord("r", ("run",), {"A": "1"}, ("a",), ("b",), 1.0, 2.0, jobs=(job,), slots=1, nodes=nodes))
    return ws.root


def spoil(document: Any, chance: random.Random) -> None:
    """Replace or drop a value somewhere."""
    places: list[tuple[Any, Any]] = []

    def walk(value: Any) -> None:
        for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
            places.append((value, key))
            walk(value[key])

    walk(document)
    holder, key = chance.choice(places)
    if isinstance(holder, dict) and chance.random() < 0.2:
        del holder[key]
    else:
        holder[key] = chance.choice(ODD)


@pytest.mark.parametrize("kind", ["r.json", "job.json", "result.json", "provenance.json", "aggregate.json", "1.json"])
def test_a_value_of_another_kind_breaks_nothing(sound: Path, tmp_path: Path, kind: str) -> None:
    for seed in range(12):
        chance = random.Random(f"{kind}{seed}")
        root = tmp_path / str(seed)
        shutil.copytree(sound, root)
        path = chance.choice(sorted(root.rglob(kind)))
        document = json.loads(path.read_text())
        spoil(document, chance)
        path.write_text(json.dumps(document))
        ws = Workspace(root)
        assert render(gather(ws.results, runs.history(ws)[0])).endswith(b"</html>")
        assert list(lines(write_leaderboard(ws.results)))
        found = exported(ws.results)
        assert forms.to_junit(found) and forms.to_markdown(found) is not None
        for rows, columns in COLUMNS.items():
            assert forms.to_csv(rows_of(rows, found), columns) and forms.to_jsonl(rows_of(rows, found)) is not None


@pytest.mark.parametrize(
    ("name", "value"),
    [("started", 1e308), ("started", -1), ("started", True), ("finished", "1"), ("argv", [1]), ("slots", 1.5)],
)
def test_a_record_with_such_a_value_is_torn(sound: Path, tmp_path: Path, name: str, value: object) -> None:
    ws = Workspace(shutil.copytree(sound, tmp_path / "w"))
    path = ws.runs / "r.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), name: value}))
    assert runs.history(ws) == ([], [path])
