"""The page as text: what it shows, and that nothing in it is more than text."""

from __future__ import annotations

import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from shelf import Shelf

from benchrouter.scores.collected import ItemResult
from benchrouter.scores.report.embedded import Embedder, safe_json
from benchrouter.scores.report.gather import gather
from benchrouter.scores.report.page import render, write_report
from benchrouter.scores.report.view import Group, Page
from benchrouter.store import layout, runs
from benchrouter.store.runs import RunRecord
from benchrouter.store.states import Reason
from benchrouter.store.workspace import Workspace

HOSTILE = "</script><script>boom()</script><b>\"'&amp;\u202e\u2028\x00\x1b[0m--><!--"


class Tags(HTMLParser):
    """Collects start tags, and texts outside scripts and styles."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.links: list[str] = []
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember a tag and where it leads."""
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data: str) -> None:
        """Remember a text."""
        if self.tags and self.tags[-1] not in ("script", "style"):
            self.texts.append(data)

    @property
    def text(self) -> str:
        """All texts, one space between words."""
        return " ".join(" ".join(self.texts).split())


def names(groups: tuple[Group, ...]) -> list[tuple[tuple[str, ...], list[str]]]:
    """Give what each group asked for, and its models in order."""
    return [(group.asked, [row.model for row in group.rows]) for group in groups]


def test_models_of_the_same_work_stand_together_best_first(shelf: Shelf) -> None:
    shelf.add("weak", "x", [1, 0, 0])
    shelf.add("strong", "x", [1, 1, 0])
    shelf.settle()
    (group,) = gather(shelf.root).groups
    assert [(row.model, row.state.value, str(row.coverage), str(row.counts)) for row in group.rows] == [
        ("strong", "COMPLETED", "1/1", "3/3"),
        ("weak", "COMPLETED", "1/1", "3/3"),
    ]


def test_what_cannot_be_compared_never_stands_together(shelf: Shelf) -> None:
    """Other variables, a part of the tasks, and other content of a task are each a group of their own."""
    shelf.add("a", "x", [1, 0])
    shelf.settle()
    os.utime(shelf.root / "b" / "a" / "aggregate.json", (1, 1))
    shelf.add("b", "x", [1, 0], files={"run.py": "changed"})
    shelf.settle()
    shelf.add("a", "x", [1], variables={"BENCH_LIMIT": "1"}, files={"run.py": "changed"})
    shelf.settle(name="2", headline=False)
    shelf.add("c", "y", [1])
    shelf.settle(name="3", headline=False, declared=2)
    found = names(gather(shelf.root).groups)
    assert found == [
        ((), ["b"]),
        (("BENCH_LIMIT=1",), ["a"]),
        (("tasks y",), ["c"]),
        (("earlier: file run.py differs",), ["a"]),
    ]


def test_the_newest_of_a_model_is_shown_and_what_it_had_before_is_named(shelf: Shelf) -> None:
    """The same work under the same name twice: the model had another identity then."""
    for name, scores in (("1", [0, 0]), ("2", [1, 1])):
        shelf.add("a", "x", scores, revision=name)
        shelf.settle(name=name)
        os.utime(shelf.root / "b" / "a" / "aggregates" / f"{name}.json", (int(name), int(name)))
    page = gather(shelf.root)
    ((row,),) = [group.rows for group in page.groups]
    assert row.overall == 1.0 and [one.overall for one in row.earlier] == [0.0]
    assert "before: 1970-01-01 00:00 UTC 0.0000 1/1" in Tags(render(page)).text


def test_a_failed_job_shows_its_reason_its_detail_and_the_end_of_its_logs(shelf: Shelf) -> None:
    failed = shelf.add("m", "x", reason=Reason.TIMEOUT)
    (failed / "logs").mkdir()
    (failed / "logs" / "stderr.log").write_text("first line\n" + "x" * 10_000 + "\nlast line\n")
    os.mkfifo(failed / "logs" / "pipe.log")
    (failed / "logs" / "link.log").symlink_to("/etc/passwd")
    shelf.settle()
    page = gather(shelf.root)
    ((_, job),) = page.failures
    assert (job.reason, job.detail, job.link) == (Reason.TIMEOUT, "because", "b/m/x/failed/1/")
    assert job.seconds == 1.5
    (log,) = job.logs
    assert (log.name, log.link, log.text) == ("stderr.log", "b/m/x/failed/1/logs/stderr.log", "last line")
    text = Tags(render(page)).text
    assert "timeout b/x@m because" in text and "last line" in text and "first line" not in text


def test_whatever_a_task_wrote_is_text(shelf: Shelf) -> None:
    done = shelf.add(HOSTILE.replace("\x00", ""), "x", {HOSTILE: 1, "other": None})
    result = json.loads((done / "result.json").read_text())
    result["raw_metrics"]["items"][0][HOSTILE] = HOSTILE
    (done / "result.json").write_text(json.dumps(result))
    failed = shelf.add("m", "y", reason=Reason.EXIT_CODE, variables={"A": HOSTILE})
    job = json.loads((failed / "job.json").read_text())
    (failed / "job.json").write_text(json.dumps({**job, "detail": HOSTILE}))
    (failed / "logs").mkdir()
    (failed / "logs" / "stdout.log").write_bytes(HOSTILE.encode() + b"\xff\n")
    (failed / "provenance.json").write_text(json.dumps({"bases": {HOSTILE: {"used": HOSTILE, "id": HOSTILE}}}))
    shelf.settle()
    record = RunRecord("r", ("run", HOSTILE), {}, (HOSTILE,), ("b",), 1.0, 2.0)
    data = render(gather(shelf.root, [record], [HOSTILE]))
    tags = Tags(data)
    assert tags.tags.count("script") == 2  # one block of items and ours
    text = data.decode()
    assert "img" not in tags.tags and "<script>boom" not in text
    assert text.count("&lt;script&gt;boom") > 5 and "\\u003cscript\\u003eboom" in text
    assert not set("\u202e\u2028\x00\x1b") & set(text)
    assert not [link for link in tags.links if not re.match(r"#|b/|data:,$", link)]


def test_embedded_items_read_back_and_close_no_script() -> None:
    embedder = Embedder()
    items = [ItemResult("a", 1.0, tokens=(3, None)), ItemResult("</script>", None, "<!--"), ItemResult("\ud800", 0.5)]
    assert embedder.add(items) == 0 and embedder.add(()) is None
    (block,) = embedder.blocks
    assert block.isascii() and not set("<>&") & set(block)
    read = json.loads(block)
    assert read["ids"][:2] == ["a", "</script>"] and read["scores"] == [1.0, None, 0.5]
    assert read["tokens"] == [[3, None], None, None] and read["errors"] == {"1": "<!--"}
    assert json.loads(safe_json({"x": "</script>&\u2028"})) == {"x": "</script>&\u2028"}


def test_a_page_is_bounded_whatever_the_items_say() -> None:
    embedder = Embedder(budget=10_000)
    wordy = [ItemResult(f"i{n}", 1.0, more={"answer": "y" * 5000}) for n in range(100)]
    assert embedder.add(wordy) == 0
    assert json.loads(embedder.blocks[0])["more"] == {} and "result.json" in json.loads(embedder.blocks[0])["note"]
    assert embedder.add([ItemResult("x" * 200 + str(n), 1.0) for n in range(100)]) is None
    assert sum(map(len, embedder.blocks)) <= 10_000


def test_the_same_data_gives_the_same_bytes_and_no_path_of_this_machine(shelf: Shelf) -> None:
    shelf.add("m", "x", [1, 0])
    shelf.settle()
    page = gather(shelf.root)
    assert render(page) == render(page)
    assert str(shelf.root) not in render(page).decode()


def test_without_results_the_page_says_what_to_type() -> None:
    text = Tags(render(Page((), (), (), 0.0, "1"))).text
    assert "No results yet. doit run model=demo makes some." in text and "No run is recorded" in text


def test_a_torn_record_is_named_and_the_rest_is_shown(tmp_path: Path) -> None:
    ws = Workspace(tmp_path).ensure()
    runs.save(ws, RunRecord("20260101t000000-aa", ("run", "model=m"), {}, ("m",), ("b",), 1.0, 2.0))
    (ws.runs / "20260102t000000-bb.json").write_text("{")
    assert write_report(ws) == layout.report_file(ws)
    text = Tags(layout.report_file(ws).read_bytes()).text
    assert "runs/20260102t000000-bb.json is torn" in text and "run model=m" in text


@pytest.mark.parametrize("name", ["report.html.j2", "report.css", "report.js"])
def test_the_page_needs_no_network(name: str) -> None:
    text = (Path(render.__code__.co_filename).parent / name).read_text()
    assert not re.search(r"https?:|//[a-z]|@import|fetch\(|XMLHttp|url\(", text)


def test_a_failure_counts_once_and_only_while_it_is_present(shelf: Shelf) -> None:
    """The headline counted each aggregate that a failed job is part of, and failures of earlier content."""
    earlier = shelf.add("m", "x", reason=Reason.TIMEOUT, files={"run.py": "old"})
    earlier.rename(earlier.with_name("2"))
    shelf.settle(name="1")
    shelf.add("m", "x", reason=Reason.TIMEOUT)
    job = shelf.jobs["b", "m"][0]
    shelf.settle(name="2")
    shelf.jobs["b", "m"] = [job]
    shelf.add("m", "y", [1])
    shelf.settle(name="3", headline=False)
    for path in shelf.root.glob("b/m/aggregates/*.json"):
        os.utime(path, (int(path.stem), int(path.stem)))
    page = gather(shelf.root)
    assert [(failed.key, row.benchmark) for row, failed in page.failures] == [(job.key, "b")]


def test_items_are_sorted_by_id(shelf: Shelf) -> None:
    shelf.add("m", "x", {"i10": 1, "i9": 0, "i1": 1})
    shelf.settle()
    (block,) = gather(shelf.root).blocks
    assert json.loads(block)["ids"] == ["i1", "i9", "i10"]
