"""`benchrouter compare` and `gate`, outside of any workspace: a results directory is all they need."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import benchrouter as python
from benchrouter.scores.aggregate import JobScore, aggregate
from benchrouter.store.jobid import JobId
from benchrouter.store.states import JobState


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A directory that was called `results` elsewhere; nothing but scores is left of its jobs."""
    directory = tmp_path / "from ci" / "b" / "m"
    directory.mkdir(parents=True)
    job = JobScore(JobId("b", "x", "m"), "k", JobState.COMPLETED, 0.5)
    (directory / "aggregate.json").write_bytes(aggregate("b", "m", 1, [job]).to_bytes())
    return directory.parent.parent


def called(copy: Path, *words: str) -> subprocess.CompletedProcess[str]:
    code = "import sys; from benchrouter.faces.app import main; sys.argv[0] = 'benchrouter'; main()"
    command = [sys.executable, "-c", code, *words, "--results", str(copy)]
    return subprocess.run(command, capture_output=True, text=True, cwd="/", timeout=30, check=False)


def test_compare_prints_json_alone(copy: Path) -> None:
    done = called(copy, "compare", "b", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert (told["version"], told["kind"], told["benchmarks"][0]["models"][0]["overall"]) == (1, "comparison", 0.5)


def test_a_name_that_is_not_there_is_a_mistake(copy: Path) -> None:
    done = called(copy, "compare", "bb")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "benchrouter: no results of benchmark `bb` (did you mean `b`?)\n"


def test_benchmarks_are_named_as_for_a_run(copy: Path, tmp_path: Path) -> None:
    """By name, with a task, by directory; without any, those are shown that have the model."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "benchmark.yaml").write_text("name: b\n")
    for words in (["b"], ["b/x"], [str(tmp_path / "elsewhere")], ["--model", "m"], ["b", "--tasks", "x"]):
        done = called(copy, "compare", *words)
        assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith("b\n  model  overall")
    for words in (["b/y"], ["/nowhere/b"], ["--model", "mm"], ["b", "--tasks", "y"]):
        assert called(copy, "compare", *words).returncode == 2


def test_a_copy_could_be_compared_and_neither_exported_nor_reported(copy: Path) -> None:
    """Outside of any workspace; the page and the leaderboard lie in the copy."""
    (row,) = json.loads(called(copy, "export", "b", "--json").stdout)["rows"]
    assert (row["task"], row["overall"]) == ("x", 0.5)
    assert called(copy, "report").stdout == f"{copy}/report.html\n" and "b" in (copy / "report.html").read_text()
    assert called(copy, "report", "b/x").stdout == f"{copy}/report-b+x.html\n"
    assert "0.5000" in called(copy, "report", "--leaderboard").stdout and (copy / "leaderboard.json").is_file()
    assert python.results("b", results=copy)[0].overall == 0.5
    assert python.compare("b", results=copy).comparison.contenders[0].scored.overall == 0.5
    assert [each.reward for each in python.rewards("b", results=copy)] == [0.5]
    for ask in (python.results, python.compare, python.rewards):
        with pytest.raises(python.ScoresError, match="no such directory"):
            ask("b", results=copy / "nowhere")
    done = called(copy / "nowhere", "export")
    assert done.returncode == 2 and "no such directory" in done.stderr


@pytest.mark.parametrize(("minimum", "status"), [("0.5", 0), ("0.6", 1), ("60", 2)])
def test_the_status_of_a_gate_tells_the_truth(copy: Path, tmp_path: Path, minimum: str, status: int) -> None:
    policy = tmp_path / "gate.yaml"
    policy.write_text(f"gates:\n- benchmark: b\n  variables: {{}}\n  minimum: {minimum}\n")
    assert called(copy, "gate", str(policy)).returncode == status
