"""The bridge to xbench-evals, in its container, against a stand-in with the real one's oddities."""

from __future__ import annotations

import base64
import csv
import re
from pathlib import Path
from typing import Any

import pytest
from project import Project
from scripted import last_user_text, scripted
from upstreams import OPENAI, last_log, result, run, take

HERE = Path(__file__).parent
DOCKERFILE = f"""{OPENAI}
COPY xbench-evals /opt/xbench-evals
ENV PYTHONPATH=/opt/xbench-evals
"""
SECRET = "只有我们知道的答案"
NUMBERS = range(1, 7)


@pytest.fixture(scope="module")
def xbench(lasting_project: Project) -> Project:
    root = take(lasting_project, "xbench", DOCKERFILE, {"xbench-evals": HERE / "xbench-evals"})
    data = root / "environments" / "xbench" / "xbench-evals" / "data"
    data.mkdir()
    with open(data / "ScienceQA.csv", "w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file)
        writer.writerow(("id", "prompt", "type", "answer", "canary"))
        for number in NUMBERS:
            texts = (encrypted(f"问题 {number}?"), "问答题", encrypted(f"{SECRET} {number}"))
            writer.writerow((f"q{number}", *texts, "xbench-canary"))
    return lasting_project


def encrypted(text: str) -> str:
    key = b"xbench-canary"
    return base64.b64encode(bytes(each ^ key[n % len(key)] for n, each in enumerate(text.encode()))).decode()


def number_in(text: str) -> int:
    return int(re.findall(r"问题 (\d+)", text)[0])


def is_judged(text: str) -> bool:
    return "[正确答案]" in text


def raw(project: Project, name: str) -> dict[str, Any]:
    """Give what the bridge wrote for a model."""
    return dict(result(project, "xbench", "scienceqa", name)["raw_metrics"])


def scores(project: Project, name: str) -> dict[str, Any]:
    """Give the score of each item, or its error."""
    return {item["id"]: item.get("score", item.get("error")) for item in raw(project, name)["items"]}


def test_scores_are_those_of_the_upstream_by_match_and_by_judge(xbench: Project) -> None:
    """Questions 1 and 2 match word for word, 3 in the judge's view (a slash in the model's name is no directory)."""

    def answer(body: dict[str, Any]) -> str:
        text = last_user_text(body)
        number = number_in(text)
        if is_judged(text):
            return f"最终答案: ...\n\n结论: {'正确' if number == 3 else '错误'}"
        return f"思路。\n最终答案: {SECRET} {number}" if number < 3 else f"是 {number}"

    with scripted(answer) as endpoint:
        run(xbench, "xbench", "openai/m", env=endpoint.environment())
    (artifact,) = xbench.artifacts("xbench", "scienceqa")
    expected = {f"q{n}": float(n <= 3) for n in NUMBERS}
    name = artifact.parent.parent.name
    assert scores(xbench, name) == expected
    assert raw(xbench, name)["overall"] == 0.5
    assert len([1 for _, body in endpoint.asked if not is_judged(last_user_text(body))]) == 5 * len(NUMBERS)
    assert {body["model"] for _, body in endpoint.asked} == {"openai/m"}
    for path in (xbench.root / "results").rglob("*"):  # the data set asks not to be published in plain text
        assert not path.is_file() or SECRET not in path.read_text(errors="replace"), path


def test_what_failed_is_an_error_and_no_zero(xbench: Project) -> None:
    """Question 1 is refused, the judge of 2 says nothing that can be read, of 3 uses a wide colon; 4 fails once."""
    asked: dict[int, int] = {}

    def answer(body: dict[str, Any]) -> str | int:
        number = number_in(last_user_text(body))
        asked[number] = asked.get(number, 0) + 1
        if number == 1 or (number == 4 and asked[number] == 1):
            return 400
        return f"最终答案: {SECRET} {number}" if number >= 4 else "不知道"

    def judge(body: dict[str, Any]) -> str:
        return "结论：正确" if number_in(last_user_text(body)) == 3 else "I do not know."

    with scripted(answer) as endpoint, scripted(judge) as other:
        words = ("XBENCH_N_REPEATS=2", f"XBENCH_JUDGE_ENDPOINT={other.url}", "XBENCH_JUDGE_MODEL=j")
        run(xbench, "xbench", "m", *words, env=endpoint.environment())
    unread = "the judge gave no verdict that xbench-evals can read"
    refused = "endpoint: the request for an answer failed"
    assert scores(xbench, "m") == {"q1": refused, "q2": unread, "q3": unread, "q4": 1.0, "q5": 1.0, "q6": 1.0}
    assert {item["id"]: item.get("repeats_judged") for item in raw(xbench, "m")["items"]}["q4"] == 1
    assert raw(xbench, "m")["overall"] == 1.0
    assert {(key, body["model"]) for key, body in other.asked} == {("Bearer EMPTY", "j")}


def test_few_are_the_first_of_all(xbench: Project) -> None:
    with scripted(lambda body: f"最终答案: {SECRET} {number_in(last_user_text(body))}") as endpoint:
        run(xbench, "xbench", "few", "XBENCH_LIMIT=2", "XBENCH_N_REPEATS=1", env=endpoint.environment())
        run(xbench, "xbench", "more", "BENCH_LIMIT=4", "XBENCH_N_REPEATS=1", env=endpoint.environment())
    assert list(scores(xbench, "few")) == list(scores(xbench, "more"))[:2]
    assert len(scores(xbench, "more")) == 4


def test_an_endpoint_that_fails_every_time_ends_the_job_soon(xbench: Project) -> None:
    with scripted(lambda _: 401) as endpoint:
        run(xbench, "xbench", "down", "preflight=0", env=endpoint.environment(), status=1)
    assert xbench.job_states() == {"xbench/scienceqa": "FAILED endpoint"}
    assert len(endpoint.asked) <= 5 * 3  # five in each of three attempts


def test_wrong_data_is_one_clear_line(xbench: Project) -> None:
    with scripted(lambda _: 401) as endpoint:
        run(xbench, "xbench", "torn", "XBENCH_DATASET=data/Nothing.csv", env=endpoint.environment(), status=1)
    (line,) = last_log(xbench, "xbench", "scienceqa", "torn").splitlines()
    assert line.startswith("/opt/xbench-evals/data/Nothing.csv: no data set of xbench (FileNotFoundError(")
