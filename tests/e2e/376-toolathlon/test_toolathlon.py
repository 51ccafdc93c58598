"""The bridge to Toolathlon, whose tasks run in containers of the environment's own image in the task's own daemon."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from own_daemons import HARNESS_DOCKERFILE
from project import Project
from scripted import last_user_text, scripted
from upstreams import last_log, result, run, take

HERE = Path(__file__).parent
TASKS = ("arrange-workspace", "find-alita-paper", "cooking-guidance", "imagenet", "paper-checker", "add-bibtex")
DOCKERFILE = f"""\
{HARNESS_DOCKERFILE}COPY Toolathlon /workspace
RUN mv /workspace/uv /usr/local/bin/ && mkdir /workspace/scripts
"""


@pytest.fixture(scope="module")
def shipped(lasting_project: Project) -> Project:
    """Supply a tree with some of the tasks, and a list of them instead of all."""
    root = take(lasting_project, "toolathlon-local", DOCKERFILE, {"Toolathlon": HERE / "Toolathlon"})
    for task in TASKS:
        place = root / "environments" / "toolathlon-local" / "Toolathlon" / "tasks" / "finalpool" / task
        place.mkdir(parents=True)
        (place / "task_config.json").write_text("{}")
    (root / "toolathlon-local" / "some.txt").write_text("# some\n" + "".join(f"{task}\n" for task in TASKS))
    return lasting_project


def agent(body: dict[str, Any]) -> str | int:
    task = last_user_text(body)
    return {"arrange-workspace": "right", "add-bibtex": 429}.get(task, "wrong")


def test_an_agent_that_failed_is_no_failure_of_the_model(shipped: Project) -> None:
    with scripted(agent) as endpoint:
        run(shipped, "toolathlon-local", "m", "TOOLATHLON_TASK_LIST=some.txt", env=endpoint.environment())
        assert {key for key, _ in endpoint.asked} == {"Bearer sk-of-the-model"}
    raw = result(shipped, "toolathlon-local", "toolathlon-local", "m")["raw_metrics"]
    items = {item["id"]: item for item in raw["items"]}
    assert {task: item.get("score") for task, item in items.items()} == {
        "arrange-workspace": 1,
        "find-alita-paper": 0,
        "cooking-guidance": 0,
        "imagenet": None,
        "paper-checker": None,
        "add-bibtex": None,
    }
    assert raw["overall"] == 1 / 3
    assert items["add-bibtex"]["error"] == "endpoint: RateLimitError in its log"
    assert items["imagenet"]["error"].endswith("its log ends with: McpError: Connection closed")
    assert items["paper-checker"]["error"].startswith("no verdict: run_parallel.py ended with 0")


def test_the_smoke_list_and_a_tree_that_lacks_tasks(shipped: Project) -> None:
    with scripted(agent) as endpoint:
        run(shipped, "toolathlon-local", "smoke", "TOOLATHLON_TASK_LIST=smoke.txt", env=endpoint.environment())
        run(shipped, "toolathlon-local", "full", env=endpoint.environment(), status=1)
    raw = result(shipped, "toolathlon-local", "toolathlon-local", "smoke")["raw_metrics"]
    assert raw["overall"] == 0.5
    assert "Toolathlon has no task " in last_log(shipped, "toolathlon-local", "toolathlon-local", "full")
