"""The bridge to lmms-eval with the real package, its real task mmmu_val, and six documents of our own."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from project import REPOSITORY, Project, docker
from scripted import last_user_text, scripted
from shipped import image_of
from upstreams import bind, last_log, result, run

HERE = Path(__file__).parent
COLOURS = ("red", "green", "blue", "yellow")
ASK = "\n\nAnswer with the option's letter from the given choices directly."
NUMBERS = range(1, 7)


@pytest.fixture(scope="module")
def lmms(lasting_project: Project) -> Project:
    """Take the benchmark as it is shipped, bind data that its own image has made, add answers of the demo model."""
    root = lasting_project.root / "benchmarks" / "lmms-eval"
    shutil.copytree(REPOSITORY / "benchmarks" / "lmms-eval", root, symlinks=True)
    image = image_of(lasting_project, "lmms-eval/lmms-eval")
    hub = lasting_project.root / "hub"
    hub.mkdir()
    mounts = ("--volume", f"{HERE / 'make_hub.py'}:/make_hub.py:ro", "--volume", f"{hub}:/hub")
    docker("run", "--rm", *mounts, image, "python", "/make_hub.py", "/hub")
    bind(lasting_project, "lmms-hub", hub, "six pictures")
    (root / "answers.jsonl").write_text("".join(json.dumps(answer(number)) + "\n" for number in in_order()))
    return lasting_project


def identity(number: int) -> str:
    return f"validation_Art_{number}"


def in_order() -> list[int]:
    """Give the documents in the order in which few of them are selected."""
    return sorted(NUMBERS, key=lambda number: hashlib.sha256(f"0:{identity(number)}".encode()).hexdigest())


def right(number: int) -> str:
    return "ABCD"[number % 4]


def answer(number: int) -> dict[str, str]:
    options = "\n".join(f"{letter}. {colour}" for letter, colour in zip("ABCD", COLOURS, strict=True))
    question = f"Which colour is picture {number}?\n{options}{ASK}"
    wrong = "ABCD"[(number + 1) % 4]
    made = {"task": "mmmu-val", "item": identity(number), "question": question}
    return {**made, "answer": right(number), "wrong": wrong}


def raw(project: Project, name: str) -> dict[str, Any]:
    """Give what the bridge wrote for a model."""
    return dict(result(project, "lmms-eval", "mmmu-val", name)["raw_metrics"])


def test_the_demo_model_is_wrong_once(lmms: Project) -> None:
    run(lmms, "lmms-eval", "demo", env={})
    found = raw(lmms, "demo")
    assert found["overall"] == 5 / 6
    assert found["upstream"]["mmmu_acc,none"] == 0.83333
    assert [item["id"] for item in found["items"]] == [identity(number) for number in in_order()]
    assert [item["score"] for item in found["items"]] == [0.0, *[1.0] * 5]


def test_pictures_are_sent_and_few_are_the_first_of_all(lmms: Project) -> None:
    """A request that fails counts as a guess at lmms-eval; here it is an error, and the rest is scored."""

    def reply(body: dict[str, Any]) -> str | int:
        (content,) = (message["content"] for message in body["messages"])
        assert content[0]["image_url"]["url"].startswith("data:image/png;base64,")
        number = int(re.findall(r"picture (\d+)", last_user_text(body))[0])
        return 400 if number == in_order()[1] else right(number)

    with scripted(reply) as endpoint:
        run(lmms, "lmms-eval", "seeing", "BENCH_LIMIT=3", env=endpoint.environment())
    found = raw(lmms, "seeing")
    assert [item["id"] for item in found["items"]] == [identity(number) for number in in_order()[:3]]
    assert [item.get("score") for item in found["items"]] == [1.0, None, 1.0]
    assert found["items"][1]["error"].startswith("endpoint: Error code: 400")
    assert found["items"][0]["tokens"] == {"prompt": 7, "completion": 3}
    assert found["overall"] == 1.0


def test_an_endpoint_that_fails_is_no_score(lmms: Project) -> None:
    with scripted(lambda _: 401) as endpoint:
        run(lmms, "lmms-eval", "m", "BENCH_LIMIT=1", "preflight=0", env=endpoint.environment(), status=1)
    assert lmms.job_states() == {"lmms-eval/mmmu-val": "FAILED endpoint"}


def test_an_unknown_task_is_one_clear_line(lmms: Project) -> None:
    run(lmms, "lmms-eval", "demo", "LMMS_EVAL_TASK=mmmu_vall", env={}, status=1)
    said = last_log(lmms, "lmms-eval", "mmmu-val", "demo").splitlines()[-1]
    assert said == "LMMS_EVAL_TASK=mmmu_vall: lmms-eval has no single task of that name"
