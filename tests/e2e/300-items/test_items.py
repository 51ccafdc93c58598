"""Items from a task's script to the scores: asked of the demo model with tools, judged, counted, never a silent 0."""

from __future__ import annotations

import gzip
import json
import shutil
from hashlib import sha256
from pathlib import Path

import pytest
from odd_endpoint import KINDS, odd_endpoint
from offline import check_endpoints
from project import Done, Project
from scripted import scripted
from shipped import ship

BASE = "FROM python:3.12-slim\n"
IDS = [f"desk-{number}" for number in range(20)]
ORDER = sorted(IDS, key=lambda id: sha256(f"0:{id}".encode()).hexdigest())
SCRIPT = '''
import json
from benchrouter.sdk import complete, select, write_items

def talk(id):
    messages = [{"role": "system", "content": "You are the desk " + id}, {"role": "user", "content": "Next, please."}]
    tokens = {"prompt": 0, "completion": 0}
    while True:
        answer = complete(messages, tools=[{"type": "function", "function": {"name": "stamp"}}])
        for kind in tokens:
            tokens[kind] += answer["usage"][kind + "_tokens"]
        messages.append(answer["choices"][0]["message"])
        if not messages[-1].get("tool_calls"):
            return messages, tokens
        for call in messages[-1]["tool_calls"]:
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": "stamped"})

items = []
for id in select([f"desk-{number}" for number in range(20)]):
    if id == BROKEN:
        items.append({"id": id, "error": "the stamp is broken"})
        continue
    messages, tokens = talk(id)
    calls = [call for message in messages for call in message.get("tool_calls") or []]
    forms = [json.loads(call["function"]["arguments"]).get("form") for call in calls]
    score = int(forms == ["a", id] and messages[-1]["content"] == "Done.")
    items.append({"id": id, "score": score, "tokens": tokens, "calls": [call["id"] for call in calls]})
write_items(items)
'''


def answers() -> bytes:
    """Two forms are stamped, one after the other; a wrong answer forgets the second."""
    lines = []
    for id in ORDER:
        first = {"content": "One moment.", "tool_calls": [{"name": "stamp", "arguments": {"form": "a"}}]}
        second = {"tool_calls": [{"name": "stamp", "arguments": {"form": id}}]}
        entry = {"task": "stamps", "item": id, "question": "Next, please.", "system": f"the desk {id}"}
        lines.append(json.dumps({**entry, "answer": [first, second, "Done."], "wrong": [first, "Done."]}))
    return gzip.compress("\n".join(lines).encode(), mtime=0)


@pytest.fixture
def desk(project: Project) -> Path:
    """A benchmark of twenty dialogues with tools, of which one cannot be judged."""
    root = project.benchmark("desk", {"stamps": ""}, dockerfile=BASE)
    (root / "stamps/run.sh").unlink()
    project.write("benchmarks/desk/stamps/task.yaml", "name: stamps\ncommand: python run.py\nnetwork: bridge\n")
    project.write("benchmarks/desk/stamps/run.py", SCRIPT.replace("BROKEN", repr(ORDER[2])))
    (root / "answers.jsonl.gz").write_bytes(answers())
    return root


def ask(project: Project, *words: str, status: int = 0) -> Done:
    done = project.doit("run", "model=demo", *words)
    assert done.status == status, done.text
    return done


def aggregate_file(project: Project) -> Path:
    return project.root / "results/desk/demo/aggregate.json"


@pytest.mark.usefixtures("desk")
def test_items_reach_the_scores_and_are_the_same_read_again(project: Project) -> None:
    """Of 20 items 4 are wrong, and one right one has no score: 15 of 19."""
    done = ask(project)
    (artifact,) = project.artifacts(model="demo")
    result = json.loads((artifact / "result.json").read_text())
    items = result["raw_metrics"]["items"]
    assert [item["id"] for item in items] == ORDER
    wrong = {1, 10, 15, 20}
    expected = [None if n == 3 else int(n not in wrong) for n in range(1, 21)]
    assert [item.get("score") for item in items] == expected
    assert result["overall"] == 15 / 19
    assert items[1]["calls"] == ["call_0", "call_1"] and items[1]["tokens"]["completion"] > 0
    shown = f"overall {15 / 19:.4f} · coverage 1/1 · COMPLETED · items 19/20, 1 not judged"
    warning = f"1 of 20 items could not be judged; {ORDER[2]}: the stamp is broken"
    assert shown in done.out and f"warning: {warning}" in done.out and "on 19/20 items" in done.out
    written = aggregate_file(project).read_bytes()
    assert json.loads(written)["items"] == {"judged": 19, "selected": 20}
    assert json.loads(written)["jobs"][0]["items"] == {"judged": 19, "selected": 20}
    for cache in (True, False):
        if not cache:
            shutil.rmtree(project.root / "cache")
        aggregate_file(project).unlink(missing_ok=True)
        again = ask(project)
        assert project.ran(again) == [] and shown in again.out and warning in again.out
        assert aggregate_file(project).read_bytes() == written


@pytest.mark.usefixtures("desk")
def test_a_selection_is_another_job_and_the_first_of_all(project: Project) -> None:
    """Ten are asked, the first ten: two wrong, one without a score."""
    assert "items 9/10, 1 not judged" in ask(project, "BENCH_LIMIT=10").out
    (artifact,) = project.artifacts(model="demo")
    result = json.loads((artifact / "result.json").read_text())
    assert [item["id"] for item in result["raw_metrics"]["items"]] == ORDER[:10]
    assert result["overall"] == 7 / 9
    failed = ask(project, "BENCH_LIMIT=none", status=1)
    assert "BENCH_LIMIT=none: expected a whole number of at least 1" in failed.out
    assert project.job_states() == {"desk/stamps": "FAILED exit_code"}


def test_a_fault_in_the_answers_shows_before_anything_begins(project: Project, desk: Path) -> None:
    """Exit status 2 with file and line; a plan does not read answers, and a run without the demo model neither."""
    (desk / "answers.jsonl.gz").write_bytes(gzip.compress(gzip.decompress(answers()) + b'\n{"task": "stamps"}\n'))
    assert project.due(model="demo") == ["desk/stamps@demo"]
    done = ask(project, status=2)
    assert done.err == f"doit: {desk}/answers.jsonl.gz:21: `item` must be a text\n"
    assert "started" not in done.out and not project.artifacts() and not project.failures()
    assert not list((project.root / "runs").glob("*"))


def test_no_item_judged_is_a_failure_and_odd_items_are_a_warning(project: Project) -> None:
    """Written with no helper of ours: a zero over errors is no score, items of another form are left alone."""
    result = """echo '{"overall": 0, "items": %s}' >"$BENCHROUTER_OUTPUT_DIR/result.json" """
    errors = '[{"id": "a", "error": "no answer"}, {"id": "b", "error": "status 500"}]'
    project.benchmark("b", {"errors": result % errors, "odd": result % '["a", "b"]'})
    done = project.run(status=1)
    assert project.job_states() == {"b/errors": "FAILED invalid_result", "b/odd": "COMPLETED"}
    assert "result.json holds 0, but 2 of 2 items could not be judged; a: no answer" in done.out
    assert "warning: result.json: item 1 of `items` is a text; expected an object" in done.out
    assert project.aggregate("b")["items"] is None


def test_hello_has_no_score_at_an_endpoint_that_fails_and_quotes_its_status(project: Project) -> None:
    """Empty answers were 0.0000 COMPLETED, and the reason of a 401 was that the endpoint had failed."""
    ship(project, ["hello"])
    with odd_endpoint() as url:
        check_endpoints(project, url, "hello", "arithmetic", KINDS)
        shown = project.doit("run", "model=at-401,at-empty", "bench=hello", "tasks=arithmetic", "preflight=0").out
    assert "with: endpoint: status 401: {" in shown and "nothing is said in any of 8 answers" in shown, shown


def test_one_answer_that_is_no_text_does_not_cost_hello_its_task(project: Project) -> None:
    """Half of a surrogate pair, or a byte that is no UTF-8, made the whole task `invalid_result`."""
    ship(project, ["hello"])
    reply = b'{"choices": [{"message": {"content": "%b"}}]}'
    odd = iter([reply % br"a\ud800b", reply % b"caf\xe9"])
    with scripted(lambda _: next(odd, "nothing of the kind")) as endpoint:
        project.run("bench=hello", "tasks=capitals", "BENCH_LIMIT=4", env=endpoint.environment())
    (artifact,) = project.artifacts("hello", "capitals")
    answers = [item["answer"] for item in json.loads((artifact / "output/result.json").read_bytes())["items"]]
    assert answers == ["a\ufffdb", "caf\ufffd", "nothing of the kind", "nothing of the kind"]
