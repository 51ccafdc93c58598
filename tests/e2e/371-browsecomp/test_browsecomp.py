"""The bridge to simple-evals' BrowseComp, in its container, against a stand-in with the real one's oddities."""

from __future__ import annotations

import base64
import csv
import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from project import Project
from scripted import Answer, Scripted, last_user_text, scripted
from upstreams import OPENAI, bind, last_log, result, run, take

HERE = Path(__file__).parent
DOCKERFILE = f"""{OPENAI}
COPY simple-evals /opt/simple-evals/simple_evals
ENV PYTHONPATH=/opt/simple-evals
"""
SECRET = "the-answer-that-nobody-may-read"
NUMBERS = range(1, 7)


@pytest.fixture(scope="module")
def browsecomp(lasting_project: Project) -> Project:
    take(lasting_project, "browsecomp", DOCKERFILE, {"simple-evals": HERE / "simple-evals"})
    data = lasting_project.root / "data"
    data.mkdir()
    bind(lasting_project, "browsecomp", data, "content")
    with (data / "browse_comp_test_set.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ("problem", "answer", "problem_topic", "canary"))
        writer.writeheader()
        for number in NUMBERS:
            row = {"problem": encrypted(f"Riddle {number}?"), "answer": encrypted(f"{SECRET}-{number}")}
            writer.writerow({**row, "problem_topic": "Art", "canary": "canary"})
    return lasting_project


def encrypted(text: str) -> str:
    key = hashlib.sha256(b"canary").digest()
    return base64.b64encode(bytes(each ^ key[n % len(key)] for n, each in enumerate(text.encode()))).decode()


def identity(number: int) -> str:
    return hashlib.sha256(encrypted(f"Riddle {number}?").encode()).hexdigest()[:16]


def model(*right: int) -> Answer:
    """Answer the riddles of these numbers rightly, and grade as a grader that says what it sees."""

    def answer(body: dict[str, Any]) -> str:
        text = last_user_text(body)
        number = int(re.findall(r"Riddle (\d+)", text)[0])
        if "[correct_answer]" not in text:
            return f"Exact Answer: {f'{SECRET}-{number}' if number in right else 'no idea'}"
        same = f"Exact Answer: {SECRET}-{number}\n" in text
        return f"reasoning: so be it\n\ncorrect: {'yes' if same else 'no'}\n\nconfidence: 90"

    return answer


def plain_text_is_nowhere(project: Project, endpoint: Scripted) -> None:
    """The data set asks not to be published in plain text."""
    assert any(SECRET in last_user_text(body) for _, body in endpoint.asked)
    for path in (project.root / "results").rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path


def raw(project: Project, name: str) -> dict[str, Any]:
    """Give what the bridge wrote for a model."""
    return dict(result(project, "browsecomp", "default", name)["raw_metrics"])


def test_the_graders_bug_is_said_and_no_zero_is_published(browsecomp: Project) -> None:
    with scripted(model(*NUMBERS)) as endpoint:
        run(browsecomp, "browsecomp", "m", env=endpoint.environment(), status=1)
    assert browsecomp.job_states() == {"browsecomp/default": "FAILED exit_code"}
    said = last_log(browsecomp, "browsecomp", "default", "m")
    assert 'compares the whole match of its grader ("correct: yes") with "yes"' in said
    assert not browsecomp.artifacts("browsecomp")
    assert len(endpoint.asked) <= 6  # three questions and their verdicts show it
    plain_text_is_nowhere(browsecomp, endpoint)


def test_the_verdict_is_read_where_the_caller_asks_for_that(browsecomp: Project) -> None:
    with scripted(model(1, 2, 3, 4)) as endpoint:
        run(browsecomp, "browsecomp", "read", "BROWSECOMP_READ_VERDICT=1", env=endpoint.environment())
    found = raw(browsecomp, "read")
    assert (found["overall"], found["verdict_read_by"]) == (4 / 6, "bridge")
    assert {item["id"]: item["score"] for item in found["items"]} == {identity(n): int(n <= 4) for n in NUMBERS}
    assert all(item["tokens"] == {"prompt": 7, "completion": 3} for item in found["items"])
    first = endpoint.asked[0][1]
    assert (first["temperature"], first["max_tokens"], first["model"]) == (0.5, 2048, "read")
    assert first["messages"][0] == {"role": "system", "content": "You are a helpful assistant."}
    plain_text_is_nowhere(browsecomp, endpoint)


def test_a_mended_upstream_is_believed_and_few_are_a_part_of_many(browsecomp: Project) -> None:
    source = browsecomp.root / "benchmarks/browsecomp/environments/browsecomp/simple-evals/browsecomp_eval.py"
    text = source.read_text()
    source.write_text(text.replace("match.group(0)", "match.group(1)"))
    with scripted(model(1, 2, 3)) as endpoint:
        run(browsecomp, "browsecomp", "mended", env=endpoint.environment())
        run(browsecomp, "browsecomp", "few", "BROWSECOMP_LIMIT=4", env=endpoint.environment())
    source.write_text(text)
    found, few = raw(browsecomp, "mended"), raw(browsecomp, "few")
    assert (found["overall"], found["verdict_read_by"]) == (0.5, "simple-evals")
    assert few["items"] == found["items"][:4]


def test_a_grader_elsewhere_gets_no_key_of_the_model_and_judges_by_its_verdict_only(browsecomp: Project) -> None:
    def grade(body: dict[str, Any]) -> str:
        return "I would rather not say." if "Riddle 2" in last_user_text(body) else "correct: yes"

    with scripted(model()) as endpoint, scripted(grade) as grader:
        words = ("BROWSECOMP_READ_VERDICT=1", f"BROWSECOMP_GRADER_ENDPOINT={grader.url}", "BROWSECOMP_GRADER_MODEL=g")
        done = run(browsecomp, "browsecomp", "graded", *words, env=endpoint.environment())
    items = {item["id"]: item for item in raw(browsecomp, "graded")["items"]}
    assert items[identity(2)] == {"id": identity(2), "error": "the grader gave no verdict"}
    assert raw(browsecomp, "graded")["overall"] == 1.0
    assert {key for key, _ in grader.asked} == {"Bearer EMPTY"}
    assert {body["model"] for _, body in grader.asked} == {"g"}
    assert {key for key, _ in endpoint.asked} == {"Bearer sk-of-the-model"}
    assert "5/6" in done.out


def test_an_endpoint_that_does_not_answer_is_no_score(browsecomp: Project) -> None:
    answers: dict[str, int | bytes] = {"refused": 401, "nonsense": b"<html>a page</html>"}
    with scripted(lambda body: answers[body["model"]]) as endpoint:
        words = ("BROWSECOMP_READ_VERDICT=1", "preflight=0")
        run(browsecomp, "browsecomp", ",".join(answers), *words, env=endpoint.environment(), status=1)
    states = [(job["model"], job["state"], job["reason"]) for job in browsecomp.newest_run()["jobs"]]
    assert sorted(states) == [("nonsense", "FAILED", "endpoint"), ("refused", "FAILED", "endpoint")]
    assert len({str(body) for _, body in endpoint.asked}) == 6  # three questions each, and not all of them


def test_a_request_that_is_refused_is_no_wrong_answer(browsecomp: Project) -> None:
    """The upstream's sampler makes it the answer `No response (bad request).`, which is graded."""
    right = model(*NUMBERS)
    with scripted(lambda body: 400 if "Riddle 5" in last_user_text(body) else right(body)) as endpoint:
        run(browsecomp, "browsecomp", "odd", "BROWSECOMP_READ_VERDICT=1", env=endpoint.environment())
    (failed,) = (item for item in raw(browsecomp, "odd")["items"] if "error" in item)
    assert failed["id"] == identity(5) and failed["error"].startswith("endpoint: ")
    assert raw(browsecomp, "odd")["overall"] == 1.0


def test_wrong_data_is_one_clear_line(browsecomp: Project) -> None:
    data = browsecomp.root / "data" / "browse_comp_test_set.csv"
    text = data.read_text()
    data.write_text("question,answer\n1,2\n")
    with scripted(model()) as endpoint:
        run(browsecomp, "browsecomp", "torn", env=endpoint.environment(), status=1)
    data.write_text(text)
    assert last_log(browsecomp, "browsecomp", "default", "torn").splitlines() == [
        "/data/browsecomp/browse_comp_test_set.csv: no data set of BrowseComp (KeyError('problem'))"
    ]
