"""How bfcl translates functions, calls and verdicts, and what its demo model says."""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from code_of import code_of
from demo_scores import BENCHMARKS, answer_lines

HERE = BENCHMARKS / "bfcl"
bridge = code_of("bfcl", "bridge")
FILES = ("bridge", "upstream")


def answer(*calls: Any, content: str | None = None) -> dict[str, Any]:
    made = [{"id": "1", "type": "function", "function": {"name": name, "arguments": given}} for name, given in calls]
    return {"choices": [{"message": {"content": content, "tool_calls": made or None}}]}


@pytest.mark.parametrize(
    ("given", "calls"),
    [
        (answer(("f", '{"a": 1}')), [{"f": {"a": 1}}]),
        (answer(("f", "{}"), ("f", '{"b": null}')), [{"f": {}}, {"f": {"b": None}}]),
        (answer(), []),
        (answer(content="I would call f(a=1)."), []),
        ({"choices": [{"message": {"content": "no"}}]}, []),
        (answer(("f", "{a: 1}")), None),
        (answer(("f", "")), None),
        (answer(("f", {"a": 1})), None),
        ({"choices": [{"message": {"tool_calls": [{"function": None}]}}]}, None),
    ],
)
def test_calls_are_read_as_the_official_handler_reads_them(given: dict[str, Any], calls: object) -> None:
    assert bridge.calls_of(given) == calls


def test_the_answer_file_calls_only_what_is_on_offer_in_the_order_of_the_selection() -> None:
    lines = answer_lines("bfcl")
    for category, size in bridge.SIZES.items():
        items = [line["item"] for line in lines if line["task"] == category.replace("_", "-")]
        assert len(set(items)) == size
        assert items == sorted(items, key=lambda item: hashlib.sha256(f"0:{item}".encode()).hexdigest())
    for line in lines:
        assert isinstance(line["answer"], str) == (line["task"] == "irrelevance")
        for message in (*line["wrong"], *(line["answer"] if isinstance(line["answer"], list) else ())):
            assert message["tool_calls"]
            assert all("." not in call["name"] for call in message["tool_calls"])


@pytest.fixture
def upstream() -> ModuleType:
    pytest.importorskip("bfcl_eval", reason="compares with the package when it is installed")
    return code_of("bfcl", "upstream")


def test_functions_become_tools_in_openai_s_form(upstream: ModuleType) -> None:
    (entry,) = [each for each in upstream.entries("simple_python") if each["id"] == "simple_python_1"]
    (tool,) = upstream.tools_of(entry)
    assert tool["type"] == "function"
    assert tool["function"]["name"] == "math_factorial"
    assert tool["function"]["description"].endswith(" Note that the provided function is in Python 3 syntax.")
    assert tool["function"]["parameters"]["type"] == "object"
    assert entry["function"][0]["name"] == "math.factorial"  # as the checker wants it


def test_verdicts_are_those_of_bfcl_eval(upstream: ModuleType) -> None:
    (entry,) = [each for each in upstream.entries("simple_python") if each["id"] == "simple_python_1"]

    def verdict(calls: object, category: str = "simple_python") -> tuple[bool, str | None]:
        found: tuple[bool, str | None] = upstream.verdict(entry, calls, category)
        return found

    assert verdict([{"math_factorial": {"number": 5}}]) == (True, None)
    assert verdict([{"math_factorial": {"number": 6}}]) == (False, "value_error:others")
    assert verdict([{"math.factorial": {"number": 5}}]) == (False, "simple_function_checker:wrong_func_name")
    assert verdict([{"math_factorial": {"number": 5}}] * 2) == (False, "simple_function_checker:wrong_count")
    assert verdict([]) == (False, "simple_function_checker:wrong_count")
    assert verdict([{"math_factorial": [5]}]) == (False, "ast_decoder:decoder_wrong_output_format")
    assert verdict(None) == (False, "ast_decoder:decoder_failed")
    assert verdict([], "irrelevance") == verdict(None, "irrelevance") == (True, None)
    assert verdict([{"f": {}}], "irrelevance") == (False, "irrelevance_error:decoder_success")


def test_the_bridge_is_short_and_shared_by_links() -> None:
    assert len((HERE / "code" / "bridge.py").read_text().splitlines()) < 80
    for category in bridge.SIZES:
        for name in FILES:
            assert (HERE / category.replace("_", "-") / f"{name}.py").readlink() == Path(f"../code/{name}.py")
