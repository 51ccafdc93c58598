"""The `benchrouter` command: its verbs over the graph, its JSON, its mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchrouter.make import voice
from benchrouter.store.atomic import write_atomic
from tests.unit.faces.workspaces import benchrouter, small_workspace


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace that all tests here share: they only look."""
    return small_workspace(tmp_path_factory.mktemp("faces") / "w")


def test_a_plan_as_json(workspace: Path) -> None:
    """What would run and why is data; stdout holds nothing else."""
    told = benchrouter(workspace / "benchmarks" / "b", "plan", "b", "--model", "demo", "--tasks", "one", "--json").json
    assert told["kind"] == "plan" and told["jobs"]["total"] == 1
    (job,) = told["jobs"]["due"]
    assert (job["node"], job["task"], job["model"]) == ("job:b/one@demo", "one", "demo")
    assert job["because"] == [{"text": "no result yet", "because": []}]
    assert told["images"] == [{"node": "image:b/b", "tag": told["images"][0]["tag"], "state": None, "to_get": None}]
    assert told["aggregates"] == ["aggregate:b@demo"]
    assert not (workspace / "runs").exists()


def test_an_explanation_and_a_graph_as_json(workspace: Path) -> None:
    """The other two that only look."""
    told = benchrouter(workspace, "explain", "job:b/*", "-m", "demo", "--env", "LIMIT=3", "--json").json
    assert [node["node"] for node in told["nodes"]] == ["job:b/one@demo", "job:b/two@demo"]
    assert "variable   LIMIT=3" in told["nodes"][0]["lines"] and told["nodes"][0]["up_to_date"] is False
    edges = benchrouter(workspace, "graph", "-m", "demo", "--json").json["edges"]
    assert {"from": "aggregate:b@demo", "to": "aggregate"} in edges


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["plan", "c", "-m", "demo"], "no benchmark, group or benchmark directory `c`"),
        (["plan", "b"], "benchrouter run --model demo"),
        (["plan", "b", "-m", "demo", "--repeat", "0"], "--repeat 0: expected a whole number"),
        (["plan", "b", "-m", "demo", "--env", "low=1"], "--env low=1: expected NAME=value"),
        (["plan", "--modl", "x"], "no such option: --modl"),
        (["plann"], "`benchrouter --help`"),
        (["run", "b", "-m", "demo", "--node", "jop:x"], "no node `jop:x`"),
        (["plan", "b", "-m", "demo", "-n", "x"], "expected a whole number"),
        (["plan", "model=demo"], "here it is `--model demo`"),
        (["plan", "b", "LIMIT=3"], "here it is `--env LIMIT=3`"),
        (["plan", "b", "-m", ","], "--model is empty"),
        (["plan", "-m", "demo", ","], "BENCH is empty"),
        (["explain"], "explain: missing argument"),
    ],
)
def test_a_mistake_is_one_message_and_status_2(workspace: Path, words: list[str], said: str) -> None:
    """No traceback, no word of doit, nothing on stdout; a program gets an error object."""
    called = benchrouter(workspace, *words)
    assert called.status == 2 and said in called.err and called.out == ""
    assert "doit " not in called.err and "doit:" not in called.err
    if words[0] != "plann":
        told = benchrouter(workspace, *words, "--json")
        assert told.status == 2 and told.json["kind"] == "error" and said in told.json["message"]


def test_no_workspace_says_how_to_make_one(tmp_path: Path) -> None:
    """A person who has only installed the package learns of `init`."""
    called = benchrouter(tmp_path, "plan", "-m", "demo")
    assert called.status == 2 and "benchrouter init" in called.err


def test_lines_in_json_speak_as_the_command_does(tmp_path: Path) -> None:
    """What the text says to type is what JSON says to type, however deep; data and what tasks printed stay."""
    jobs = [{"because": [{"text": "doit plan bench=b"}]}]
    fields = {"mend": "`doit run model=x`", "argv": ["doit run"], "jobs": jobs}
    before = voice.program()
    voice.speak(voice.Voice("benchrouter"))
    try:
        said = voice.told(fields)
    finally:
        voice.speak(voice.Voice(before))
    assert said["mend"] == "`benchrouter run --model x`" and said["argv"] == ["doit run"]
    assert said["jobs"] == [{"because": [{"text": "benchrouter plan b"}]}]
    nobody = benchrouter(small_workspace(tmp_path / "w"), "run", "b", "-m", "nobody", "--json")
    assert nobody.status == 2 and "--no-preflight" in nobody.json["message"] and "preflight=0" not in nobody.err


def test_bench_in_the_manner_of_doit_stands_alone(tmp_path: Path) -> None:
    """`bench=demo` was said to be `demo` here, which reads as if that were an option."""
    called = benchrouter(small_workspace(tmp_path / "w"), "run", "b", "bench=demo")
    assert called.status == 2
    assert "`bench` with a sign of equality is doit's manner; here benchmarks stand alone: `demo`" in called.err


def test_a_file_that_cannot_be_written_is_named_as_it_was_typed(tmp_path: Path) -> None:
    """No hidden temporary file, and not a word about runs."""
    with pytest.raises(OSError) as caught:
        write_atomic(tmp_path / "nowhere" / "x", b"")
    assert caught.value.filename == str(tmp_path / "nowhere" / "x")
    called = benchrouter(small_workspace(tmp_path / "w"), "image", "export", "a:1", "-o", tmp_path / "nowhere" / "x")
    assert called.status == 2 and "there is no directory" in called.err and ".part" not in called.err
