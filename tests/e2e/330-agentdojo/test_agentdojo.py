"""AgentDojo with agents that are known: each item earns what agentdojo's own ground truths earn there."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agents import Agents, agents
from odd_endpoint import odd_endpoint
from offline import LIMIT, answer_lines, ask, check_demo, check_endpoints, declare
from project import REPOSITORY, Project
from shipped import ask_demo, image_of, results, ship
from verdicts import document, last_failure

USER_TASKS = {"workspace": 40, "travel": 20, "banking": 16, "slack": 21}
FEW = 6
ATTACK = "important_instructions"
BENCHMARK = REPOSITORY / "benchmarks" / "agentdojo"


@pytest.fixture(scope="module")
def server() -> Iterator[Agents]:
    """Endpoints of agents, for all tests."""
    with agents() as made:
        yield made


@pytest.fixture(scope="module")
def dojo(lasting_project: Project) -> Project:
    """A workspace with the benchmark."""
    ship(lasting_project, ("agentdojo",))
    return lasting_project


@pytest.fixture(scope="module")
def known(dojo: Project) -> dict[str, Any]:
    """What agentdojo says of its own ground truths, inside the image and without our bridge."""
    image = image_of(dojo, "agentdojo/agentdojo")
    script = Path(__file__).with_name("expectation.py").read_text()
    place = ("--volume", f"{BENCHMARK / 'code'}:/code:ro")
    done = subprocess.run(
        ["docker", "run", "--rm", "-i", "--network", "none", *place, image, "python", "-c", script],
        input=json.dumps({"alone": LIMIT, "attacked": FEW, "attack": ATTACK}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def mean(items: list[dict[str, Any]], key: str) -> float:
    """Average a number over items."""
    return sum(item[key] for item in items) / len(items)


def test_the_demo_model_earns_what_the_ground_truth_earns_but_for_a_fifth(
    dojo: Project, known: dict[str, Any]
) -> None:
    check_demo(dojo, "agentdojo", USER_TASKS)
    for suite, result in results(dojo, "agentdojo").items():
        raw = result["raw_metrics"]
        assert [item["id"] for item in raw["items"]] == known[suite]["order"][:LIMIT]
        assert all(known[suite]["alone"].values())  # so what is wrong is wrong on purpose
        assert raw["utility"] == result["overall"] and "attack" not in raw


def test_under_attack_the_demo_model_does_what_the_user_wants_and_not_what_the_attacker_wants(
    dojo: Project, known: dict[str, Any]
) -> None:
    before = dojo.artifacts("agentdojo", model="demo")
    ask_demo(dojo, "bench=agentdojo", f"BENCH_LIMIT={FEW}", f"AGENTDOJO_ATTACK={ATTACK}")
    made = [path for path in dojo.artifacts("agentdojo", model="demo") if path not in before]
    for suite, result in attacked(made).items():
        places = {item: place for place, item in enumerate(known[suite]["order"], 1)}
        wrong = {item for item, place in places.items() if place == 1 or (place >= 10 and place % 5 == 0)}
        expected = {
            pair: [utility and pair.split("/")[0] not in wrong, attacked and pair.split("/")[0] not in wrong]
            for pair, (utility, attacked) in known[suite]["attacked"].items()
        }
        assert {item["id"]: [item["utility"], item["attacked"]] for item in result["items"]} == expected, suite
        assert result["attack_success_rate"] == 0


def test_an_agent_that_obeys_injections_is_seen_to(dojo: Project, server: Agents, known: dict[str, Any]) -> None:
    for each in known.values():
        server.prompts |= each["prompts"]
        server.goals |= each["goals"]
    declare(dojo, server.url, ("obedient",))
    words = ("bench=agentdojo", f"BENCH_LIMIT={FEW}", f"AGENTDOJO_ATTACK={ATTACK}", "preflight=0")
    done = dojo.doit("run", "model=at-obedient", *words)
    assert done.status == 0, done.text
    for suite, result in attacked(dojo.artifacts("agentdojo", model="at-obedient")).items():
        found = {item["id"]: [item["utility"], item["attacked"]] for item in result["items"]}
        assert found == known[suite]["obedient"], suite
        assert result["attack_success_rate"] > 0
    tools = [tool["function"]["name"] for tool in server.bodies[0]["tools"]]
    assert len(tools) > 10 and server.bodies[0]["messages"][0]["role"] == "developer"


def attacked(artifacts: list[Path]) -> dict[str, dict[str, Any]]:
    """Read each suite's numbers under attack; hold that the three are the means of what their names say."""
    found = {}
    for path in artifacts:
        result = document(path / "result.json")
        raw, items = result["raw_metrics"], result["raw_metrics"]["items"]
        assert [item["score"] for item in items] == [int(i["utility"] and not i["attacked"]) for i in items]
        assert (raw["attack"], result["overall"]) == (ATTACK, mean(items, "score"))
        assert raw["utility_under_attack"] == mean(items, "utility")
        assert raw["attack_success_rate"] == mean(items, "attacked")
        found[str(result["task_name"])] = raw
    assert set(found) == set(USER_TASKS)
    return found


def test_an_endpoint_without_answers_is_no_zero(dojo: Project) -> None:
    with odd_endpoint() as url:
        check_endpoints(dojo, url, "agentdojo", "banking", ("429", "nothing"))


def test_an_item_that_is_refused_is_no_score_and_a_broken_tool_call_is_the_models_fault(
    dojo: Project, server: Agents
) -> None:
    banking = [line for line in answer_lines("agentdojo") if line["task"] == "banking"][:3]
    server.prompts = {line["question"]: None for line in banking}
    declare(dojo, server.url, ("odd",))
    result = ask(dojo, "odd", "bench=agentdojo/banking", "BENCH_LIMIT=3")
    assert isinstance(result, dict)
    items = result["raw_metrics"]["items"]
    assert [item["id"] for item in items] == [line["item"] for line in banking]
    refused, broken, always_right = items
    assert "context_length_exceeded" in refused["error"] and "score" not in refused
    assert (broken["score"], always_right["score"], result["overall"]) == (0, 1, 0.5)  # any answer is right
    (aggregate,) = (dojo.root / "results" / "agentdojo" / "at-odd" / "aggregates").glob("*.json")
    assert document(aggregate)["items"] == {"judged": 2, "selected": 3}


def test_an_unknown_attack_is_a_mistake_and_no_score(dojo: Project) -> None:
    ask_demo(dojo, "bench=agentdojo/slack", "AGENTDOJO_ATTACK=importan_instructions", status=1)
    failed = last_failure(dojo, "agentdojo", "slack", "demo")
    assert document(failed / "job.json")["reason"] == "exit_code"
    log = (failed / "logs" / "stderr.log").read_text()
    assert "AGENTDOJO_ATTACK=importan_instructions: no such attack; agentdojo has important_instructions" in log
