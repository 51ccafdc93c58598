"""Names: one encoding for everything that a model can be called, and what is refused for directories."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchrouter.spec.names import component_fault, did_you_mean, encode, nearest, repository

PLAIN = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
ANY_NAME = st.text(st.characters(), max_size=220) | st.from_regex(PLAIN, fullmatch=True)


@given(ANY_NAME)
def test_encoding_is_valid_everywhere(name: str) -> None:
    code = encode(name)
    assert re.fullmatch(r"[a-z0-9_][a-z0-9._-]*", code)
    assert len(code.encode()) <= 100
    assert (code == name) == bool(PLAIN.fullmatch(name))


@given(ANY_NAME, ANY_NAME)
def test_encoding_is_injective(one: str, other: str) -> None:
    assert (encode(one) == encode(other)) == (one == other)


@given(ANY_NAME)
def test_an_encoded_name_is_never_another_names_own(name: str) -> None:
    assert encode(name) == name or not PLAIN.fullmatch(encode(name))


def test_names_that_look_alike_stay_apart() -> None:
    names = ["openai/gpt-4o", "openai-gpt-4o", "OpenAI/gpt-4o", "a=b", "a-b", "A", "a", "gpt-4.1", "gpt-4-1",
             "", " ", "é", "e\u0301", "x" * 64, "x" * 65, "x" * 200, "_a", ".a", "\ud800", "../../etc"]  # fmt: skip
    codes = [encode(name) for name in names]
    assert len(set(codes)) == len({code.casefold() for code in codes}) == len(names)


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "a/b", "a\\b", ".a", "-a", "x" * 101, "a b", "a=b", "a*", "a@b", "a#1", "a:b", "ü", "a\n",
     "aggregates", "Aggregates", "failed", "environments", "aggregate.json"],
)  # fmt: skip
def test_unsafe_directory_names_are_refused(name: str) -> None:
    assert component_fault(name)


@pytest.mark.parametrize("name", ["a__b", "a-b", "a_b", "Case", "case", "tau2.x", "_x", "0", "all"])
def test_ordinary_directory_names_are_accepted(name: str) -> None:
    assert component_fault(name) is None


@given(st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}", fullmatch=True), st.just("env"))
def test_image_repositories_are_valid_for_docker(benchmark: str, environment: str) -> None:
    name = repository(benchmark, environment)
    assert re.fullmatch(r"benchrouter/[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*", name)
    assert len(name) <= 128


def test_repositories_of_case_twins_differ() -> None:
    assert repository("A", "e") != repository("a", "e")
    assert repository("humaneval", "py") == "benchrouter/humaneval-py"


def test_the_nearest_name_is_suggested() -> None:
    assert nearest("modle", ["model", "bench"]) == "model"
    assert nearest("HumanEvel", ["humaneval"]) == "humaneval"
    assert nearest("zzz", ["model"]) is None
    assert did_you_mean("taks", ["tasks"]) == " (did you mean `tasks`?)"
    assert did_you_mean("zzz", []) == ""
