"""The bridge to MCP-Universe with the real package and its real servers, on tasks of our own in its form."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from project import REPOSITORY, Project
from scripted import called, scripted
from upstreams import last_log, result, run

NAMES = ("solved", "half", "wrong", "garbage", "absent")


@pytest.fixture(scope="module")
def universe(lasting_project: Project) -> Project:
    """Supply configurations in MCP-Universe's form: a function-calling agent with a calculator."""
    root = lasting_project.root / "benchmarks" / "mcp-universe"
    shutil.copytree(REPOSITORY / "benchmarks" / "mcp-universe", root, symlinks=True)
    configs = root / "environments/mcp-universe/MCP-Universe/mcpuniverse/benchmark/configs"
    (configs / "test" / "financial_analysis").mkdir(parents=True)
    tasks = [f"test/financial_analysis/{name}.json" for name in NAMES]
    agent = {"llm": "llm-1", "instruction": "You calculate.", "max_iterations": 4, "servers": [{"name": "calculator"}]}
    parts = [
        {"kind": "llm", "spec": {"name": "llm-1", "type": "azure", "config": {"model_name": "gpt-of-theirs"}}},
        {"kind": "agent", "spec": {"name": "fc", "type": "function_call", "config": agent}},
        {"kind": "benchmark", "spec": {"description": "d", "agent": "fc", "tasks": tasks}},
    ]
    (configs / "test" / "financial_analysis.yaml").write_text(yaml.safe_dump_all(parts))
    for name in NAMES[:-1]:
        (configs / "test" / "financial_analysis" / f"{name}.json").write_text(json.dumps(task(name)))
    return lasting_project


def task(name: str) -> dict[str, Any]:
    """Give a task in MCP-Universe's form."""
    evaluators = [
        {"func": "json -> get(product)", "op": "=", "value": "42"},
        {"func": "json -> get(sum)", "op": "=", "value": "13"},
    ]
    form = {"product": "<product>", "sum": "<sum>"}
    question = f"Task {name}: product and sum of six and seven?"
    return {"category": "general", "question": question, "output_format": form, "evaluators": evaluators}


def student(body: dict[str, Any]) -> str | dict[str, Any]:
    """Use the calculator, then answer; differently for each task."""
    name = re.findall(r"Task (\w+):", json.dumps(body["messages"]))[0]
    if name == "garbage":
        return "I do not know."
    if not any("42" in str(message["content"]) for message in body["messages"][1:]):
        assert body["tools"][0]["function"]["name"] == "calculator__calculate"
        return called("calculator__calculate", json.dumps({"expression": "6*7"}))
    answer = {"product": "41" if name == "wrong" else "42", "sum": "12" if name in ("half", "wrong") else "13"}
    return json.dumps({"thought": "So it is.", "answer": answer})


def items(project: Project, name: str) -> dict[str, dict[str, Any]]:
    """Give the records of a model, by the short name of the task."""
    raw = result(project, "mcp-universe", "financial-analysis", name)["raw_metrics"]
    return {Path(item["id"]).stem: item for item in raw["items"]}


def test_a_task_is_solved_when_all_its_evaluators_pass(universe: Project) -> None:
    with scripted(student) as endpoint:
        run(universe, "mcp-universe", "m", "tasks=financial-analysis", env=endpoint.environment())
    found = items(universe, "m")
    scores = {name: item.get("score") for name, item in found.items()}
    assert scores == {"solved": 1, "half": 0, "wrong": 0, "garbage": 0, "absent": None}
    assert (found["half"]["passed"], found["half"]["evaluators"]) == (1, 2)
    assert "FileNotFoundError" in found["absent"]["error"]
    assert {body["model"] for _, body in endpoint.asked} == {"m"}
    assert {key for key, _ in endpoint.asked} == {"Bearer sk-of-the-model"}


def test_an_endpoint_that_fails_is_no_wrong_answer(universe: Project) -> None:
    """MCP-Universe evaluates the text of the error. (A status would keep it trying for five minutes.)"""
    with scripted(lambda _: b"{}") as endpoint:
        words = ("tasks=financial-analysis", "BENCH_LIMIT=2")
        run(universe, "mcp-universe", "down", *words, env=endpoint.environment(), status=1)
    assert universe.job_states() == {"mcp-universe/financial-analysis": "FAILED endpoint"}


def test_a_name_that_would_become_gpt_5_and_keys_that_are_missing_are_said(universe: Project) -> None:
    with scripted(student) as endpoint:
        words = ("tasks=financial-analysis,web-search",)
        run(universe, "mcp-universe", "deep-high", *words, env=endpoint.environment(), status=1)
    assert not endpoint.asked
    assert "serve it under another one" in last_log(universe, "mcp-universe", "financial-analysis", "deep-high")
    said = last_log(universe, "mcp-universe", "web-search", "deep-high")
    assert "web_search needs SERP_API_KEY, MCP_UNIVERSE_JUDGE_API_KEY in the environment of `doit run`" in said
