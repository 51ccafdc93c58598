"""The bridge to WebArena, with a shop in the task's own daemon: a small image under the name of the real one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from own_daemons import HARNESS_DOCKERFILE
from project import Project
from scripted import last_user_text, scripted
from upstreams import hand_around, last_log, result, run, take

HERE = Path(__file__).parent
DOCKERFILE = f"""\
{HARNESS_DOCKERFILE}COPY webarena-src /opt/webarena-src
"""
INTENTS = ("right", "elsewhere", "wrong", "crash", "slow", "refused", "both")
SITES = {"elsewhere": ["gitlab"], "both": ["shopping_admin", "shopping"]}


@pytest.fixture(scope="module")
def shipped(lasting_project: Project) -> Project:
    """Import the shop, and supply a source tree with seven tasks, five of them in the shop's administration alone."""
    place = lasting_project.root / "images"
    shutil.copytree(HERE.parent / "374-mcpmark" / "images" / "shop", place / "shop")
    hand_around(lasting_project, place / "shop", "shopping_admin_final_0719")
    root = take(lasting_project, "webarena", DOCKERFILE, {"webarena-src": HERE / "webarena-src"})
    tasks = [
        {"task_id": number, "sites": SITES.get(intent, ["shopping_admin"]), "intent": intent}
        for number, intent in enumerate(INTENTS)
    ]
    raw = json.dumps([{**task, "start_url": "__SHOPPING_ADMIN__"} for task in tasks])
    (root / "environments" / "webarena" / "webarena-src" / "config_files").mkdir(exist_ok=True)
    (root / "environments" / "webarena" / "webarena-src" / "config_files" / "test.raw.json").write_text(raw)
    return lasting_project


def agent(body: dict[str, Any]) -> str | int:
    """Answer right where the shop was told its address, but for two tasks."""
    text = last_user_text(body)
    if text.startswith("refused"):
        return 500
    told = ("shop at /admin", "--base-url=http://localhost:7780;", "value='http://localhost:7780/'", "lifetime 0;")
    return "right" if text.startswith("right") and all(part in text for part in told) else f"wrong: {text}"


def test_only_a_verdict_is_a_score(shipped: Project) -> None:
    with scripted(agent) as endpoint:
        run(shipped, "webarena", "m", "WEBARENA_TASK_TIMEOUT=5", env=endpoint.environment())
        asked = [last_user_text(body).partition(":")[0] for _, body in endpoint.asked]
    assert asked == ["right", "wrong", "refused"]
    raw = result(shipped, "webarena", "webarena-shopping-admin", "m")["raw_metrics"]
    assert raw["overall"] == 0.5
    assert raw["items"] == [
        {"id": "0", "score": 1},
        {"id": "2", "score": 0},
        {
            "id": "3",
            "error": "no verdict: [Unhandled Error] RuntimeError('Target page, context or browser has been closed')]",
        },
        {"id": "4", "error": "no verdict within 5 s"},
        {"id": "5", "error": "endpoint: [OpenAI Error] OpenAIError('500 Internal Server Error')"},
    ]


def test_a_part_of_the_tasks_and_one_that_is_none(shipped: Project) -> None:
    with scripted(agent) as endpoint:
        run(shipped, "webarena", "few", "WEBARENA_TASK_IDS=2,0", "WEBARENA_TASK_LIMIT=1", env=endpoint.environment())
        run(shipped, "webarena", "none", "WEBARENA_TASK_IDS=1", env=endpoint.environment(), status=1)
    raw = result(shipped, "webarena", "webarena-shopping-admin", "few")["raw_metrics"]
    assert len(raw["items"]) == 1
    said = last_log(shipped, "webarena", "webarena-shopping-admin", "none")
    assert "1: tasks of the shop's administration are [0, 2, 3, 4, 5]" in said
