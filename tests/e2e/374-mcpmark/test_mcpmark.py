"""The bridge to MCPMark: real daemons and real sidecars, with small images under the names of the real ones."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from project import Project, docker
from scripted import last_user_text, scripted
from upstreams import hand_around, last_log, result, run, take

from benchrouter.spec.names import encode

HERE = Path(__file__).parent
PIPELINE, DATABASE, SHOP = (
    "evalsysorg/mcpmark:latest",
    "pgvector/pgvector:0.8.0-pg17-bookworm",
    "shopping_admin_final_0719",
)
KINDS = ("fs", "pg", "pw", "pw-webarena")
NAMES = {"mcpmark": PIPELINE, "pgvector": DATABASE, "shop": SHOP}
FILES = ("right", "wrong", "no_server", "too_slow", "slow_start", "too_long", "no_json", "vanishes", "unreachable")
TASKS = {
    "filesystem/easy/file_property": FILES,
    "filesystem/standard/desktop": ("right_too",),
    "postgres/easy/chinook": ("right", "wrong", "lost"),
    "playwright/easy/eval_web": ("right", "browser"),
    "playwright_webarena/easy/shopping_admin": ("right",),
    "playwright_webarena/easy/reddit": ("no_image",),
}
VERIFY = "import os, sys\nsys.exit('right' not in open(os.environ['MCP_MESSAGES']).read())\n"
LOST = "raise SystemExit('psycopg2.OperationalError: the server closed the connection')\n"
MODEL = "some-lab/m.1"
ENCODED = encode(MODEL)


@pytest.fixture(scope="module")
def imported(lasting_project: Project) -> Iterator[Project]:
    """Make the images, hand them around as files without a name, and import them under the names that are wanted."""
    real = [ref for ref in NAMES.values() if docker("images", "--quiet", ref)]
    if real:
        pytest.skip(f"{', '.join(real)}: in the engine, where a stand-in would not come to be asked")
    place = lasting_project.root / "images"
    shutil.copytree(HERE / "images", place)
    for folder, tasks in TASKS.items():
        for task in tasks:
            root = place / "mcpmark" / "tasks" / folder / task
            root.mkdir(parents=True)
            (root / "description.md").write_text(f"Do {folder}/{task}.")
            (root / "verify.py").write_text(LOST if task == "lost" else VERIFY)
            name = "renamed" if task == "right_too" else task
            meta = {"task_id": name, "category_id": folder.rpartition("/")[2]}
            (root / "meta.json").write_text("{" if task == "wrong" else json.dumps(meta))
    for name, ref in NAMES.items():
        hand_around(lasting_project, place / name, ref)
    yield lasting_project
    subprocess.run(["docker", "rmi", *NAMES.values()], capture_output=True, check=False)


@pytest.fixture(scope="module")
def shipped(imported: Project) -> Project:
    """The shipped benchmark, but for the pinned servers in its image; its daemon is installed as it is shipped."""
    take(imported, "mcpmark", f"FROM {PIPELINE}\n", {})
    return imported


@pytest.fixture(scope="module")
def beside(shipped: Project) -> Project:
    """The variant with sidecars as its README takes it in, but for the pinned servers in its image."""
    taken = subprocess.run(
        [Path(sys.executable).with_name("benchrouter"), "benchmark", "register", HERE / "mcpmark-sidecar"],
        cwd=shipped.root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert taken.returncode == 0, taken.stdout + taken.stderr
    environment = shipped.root / "benchmarks" / "mcpmark-sidecar" / "environments" / "mcpmark"
    (environment / "Dockerfile").write_text(f"FROM {PIPELINE}\n")
    return shipped


def agent(body: dict[str, Any]) -> str | int:
    """Do what the task's name says; in a shop, only where it was told its address."""
    text = last_user_text(body)
    assert body["model"] == MODEL
    if "unreachable" in text:
        return 429
    if "playwright_webarena" in text:
        told = ["setup:store-config:set --base-url=http://{};", "UPDATE core_config_data", "cache:flush;"]
        where = "localhost:7780" if "localhost:7780" in text else "shopping-admin"
        return "right" if all(part.format(where) in text for part in told) else f"not told: {text}"
    if "postgres" in text and "State: database postgres of postgres" not in text:
        return f"not there: {text}"
    return "nothing" if "/wrong" in text or "/browser" in text else "right"


def raw(project: Project, benchmark: str, task: str, model: str = ENCODED) -> dict[str, Any]:
    return dict(result(project, benchmark, task, model)["raw_metrics"])


def items(project: Project, benchmark: str, task: str, model: str = ENCODED) -> dict[str, dict[str, Any]]:
    return {item.pop("id"): item for item in raw(project, benchmark, task, model)["items"]}


@pytest.fixture(scope="module")
def ran(shipped: Project) -> Project:
    """All four tasks at once, for a model whose id has a slash and a dot."""
    with scripted(agent) as endpoint:
        run(shipped, "mcpmark", MODEL, env=endpoint.environment())
        assert {key for key, _ in endpoint.asked} == {"Bearer sk-of-the-model"}
    return shipped


def test_what_broke_is_an_error_and_no_failure_of_the_model(ran: Project) -> None:
    found = items(ran, "mcpmark", "mcpmark-fs")
    assert {name.removeprefix("file_property/"): item.get("score") for name, item in found.items()} == {
        "right": 1,
        "wrong": 0,
        "too_slow": 0,
        "too_long": 0,
        "no_json": 0,
        "no_server": None,
        "slow_start": None,
        "vanishes": None,
        "unreachable": None,
    }
    said = {name.removeprefix("file_property/"): item.get("error") for name, item in found.items()}
    assert said["no_server"] == "the pipeline says: Filesystem MCP service error"
    assert said["vanishes"] == "the pipeline ended with 0 and left 0 results instead of one"
    assert str(said["unreachable"]).startswith("endpoint: litellm.RateLimitError")
    assert found["file_property/right"] == {"score": 1, "turns": 1, "tokens": {"prompt": 7, "completion": 3}}
    assert found["file_property/too_long"]["note"] == "Max turns (100) exceeded"
    assert raw(ran, "mcpmark", "mcpmark-fs")["overall"] == 0.2
    aggregate = ran.aggregate("mcpmark", ENCODED)
    assert aggregate["items"] == {"judged": 5 + 2 + 1 + 1, "selected": 9 + 3 + 2 + 1}


def test_a_database_in_the_tasks_own_daemon(ran: Project) -> None:
    found = items(ran, "mcpmark", "mcpmark-pg")
    assert {name: item.get("score") for name, item in found.items()} == {
        "chinook/right": 1,
        "chinook/wrong": 0,
        "chinook/lost": None,
    }
    assert found["chinook/lost"]["error"] == "what the task works in broke: OperationalError"


def test_a_browser_that_is_not_there(ran: Project) -> None:
    found = items(ran, "mcpmark", "mcpmark-pw")
    assert found["eval_web/right"]["score"] == 1
    assert found["eval_web/browser"]["error"] == 'what the task works in broke: Browser "chromium" is not installed'


def test_a_shop_in_the_tasks_own_daemon_is_told_its_address(ran: Project) -> None:
    """Tasks whose shop is another, which nobody has, are not asked."""
    assert items(ran, "mcpmark", "mcpmark-pw-webarena") == {
        "shopping_admin/right": {"score": 1, "turns": 1, "tokens": {"prompt": 7, "completion": 3}}
    }


def test_a_shop_that_cannot_be_started_is_no_score(shipped: Project) -> None:
    with scripted(agent) as endpoint:
        words = ("tasks=mcpmark-pw-webarena", "MCPMARK_CATEGORIES=reddit")
        run(shipped, "mcpmark", "m", *words, env=endpoint.environment(), status=1)
    said = last_log(shipped, "mcpmark", "mcpmark-pw-webarena", "m")
    assert "none of 1 items could be judged; reddit/no_image: the pipeline says: State Duplication Error" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("MCPMARK_TASKS=file_property/rig",),
            "no task or category `file_property/rig` in the suite `easy`; the nearest is `file_property/right`",
        ),
        (
            ("MCPMARK_TASK_SUITE=hard",),
            "the suite `hard` of filesystem has no tasks; in /app/tasks/filesystem there is: easy, standard",
        ),
    ],
)
def test_a_part_of_a_name_would_be_taken_for_others(shipped: Project, words: tuple[str, ...], said: str) -> None:
    with scripted(agent) as endpoint:
        run(shipped, "mcpmark", "m", "tasks=mcpmark-fs", *words, env=endpoint.environment(), status=1)
    assert said in last_log(shipped, "mcpmark", "mcpmark-fs", "m")
    assert endpoint.asked == []


def test_another_suite_and_a_renamed_task(shipped: Project) -> None:
    words = ("tasks=mcpmark-fs", "MCPMARK_TASK_SUITE=standard", "MCPMARK_TASKS=desktop/renamed")
    with scripted(lambda _: "right") as endpoint:
        run(shipped, "mcpmark", "m", *words, env=endpoint.environment())
    assert list(items(shipped, "mcpmark", "mcpmark-fs", "m")) == ["desktop/renamed"]


def test_an_endpoint_that_refuses_is_no_score(shipped: Project) -> None:
    words = ("tasks=mcpmark-fs", "MCPMARK_TASKS=file_property/unreachable", "preflight=0")
    with scripted(lambda _: 429) as endpoint:
        run(shipped, "mcpmark", "refused", *words, env=endpoint.environment(), status=1)
    assert shipped.job_states() == {"mcpmark/mcpmark-fs": "FAILED endpoint"}


def test_the_variant_with_sidecars_plans_and_renders(beside: Project) -> None:
    environment = {"BENCHROUTER_MODEL_ENDPOINT": "http://127.0.0.1:9/v1"}
    plan = beside.doit("plan", "model=m", "bench=mcpmark-sidecar", env=environment)
    assert plan.status == 0, plan.text
    assert f"postgres ({DATABASE})" in plan.out
    assert f"shopping-admin ({SHOP})" in plan.out
    done = beside.doit("run", "config:mcpmark-sidecar/*", "model=m", env=environment)
    assert done.status == 0, done.text
    rendered = beside.root / "cache" / "config" / "mcpmark-sidecar" / "m"
    assert sorted(path.parent.name for path in rendered.glob("*/run.sh")) == [f"mcpmark-{each}" for each in KINDS]
    assert sorted(path.parent.name for path in rendered.glob("*/compose.yaml")) == ["mcpmark-pg", "mcpmark-pw-webarena"]
    assert "--env POSTGRES_HOST=postgres " in (rendered / "mcpmark-pg" / "run.sh").read_text()
    assert "setup:store-config:set --base-url=http://shopping-admin" in (
        rendered / "mcpmark-pw-webarena" / "compose.yaml"
    ).read_text()


def test_services_beside_the_task_under_their_names(beside: Project) -> None:
    with scripted(agent) as endpoint:
        words = ("tasks=mcpmark-pg,mcpmark-pw-webarena",)
        run(beside, "mcpmark-sidecar", MODEL, *words, env=endpoint.environment())
    assert raw(beside, "mcpmark-sidecar", "mcpmark-pg")["overall"] == 0.5
    assert raw(beside, "mcpmark-sidecar", "mcpmark-pw-webarena")["overall"] == 1
    found = items(beside, "mcpmark-sidecar", "mcpmark-pg")["chinook/lost"]
    assert found["error"] == "what the task works in broke: OperationalError"
