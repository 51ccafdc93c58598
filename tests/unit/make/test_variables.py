"""Variables of the command line: every mistake is named, at once, with what was meant."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchrouter.make.commands.run import Run
from benchrouter.make.variables import STEERING, UsageError, parse


def test_what_is_given_is_understood() -> None:
    """Lists, numbers, flags; variables in capitals with their values as they are."""
    got = parse(
        {
            "model": " a, b ,a", "bench": "x,y/z", "tasks": "t", "repeat": "3", "seed": "-5", "strict": "1",
            "preflight": "0", "V": " with = signs, commas\n", "EMPTY": "", "A_1": "ü$'\"",
        },
        {"BENCHROUTER_MODEL_NAME": "other"},
    )  # fmt: skip
    assert (got.models, got.bench, got.tasks) == (("a", "b"), ("x", "y/z"), ("t",))
    assert (got.repeat, got.seed, got.strict, got.preflight) == (3, -5, True, False)
    assert got.environment == {"A_1": "ü$'\"", "EMPTY": "", "V": " with = signs, commas\n"}
    assert list(got.environment) == sorted(got.environment)


def test_the_model_of_the_environment_counts_when_none_is_given() -> None:
    """It may hold a comma: it is one name."""
    assert parse({}, {"BENCHROUTER_MODEL_NAME": "a,b"}).models == ("a,b",)
    assert parse({}, {"BENCHROUTER_MODEL_NAME": " "}).models == () == parse({}, {}).models


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("modle", "x", "did you mean `model`?"),
        ("Model", "x", "all lower case"),
        ("Tau_Num", "x", "all lower case"),
        ("nonsense", "x", "known: model"),
        ("1X", "x", "unknown variable 1X="),
        ("model", ",", "model= is empty"),
        ("repeat", "0", "from 1 to 10000"),
        ("repeat", "1000000000", "repeat=1000000000: expected a whole number from 1 to 10000"),
        ("repeat", "1.5", "expected a whole number"),
        ("repeat", "9" * 30, "expected a whole number"),
        ("seed", "", "expected a whole number"),
        ("strict", "yes", "expected 0 or 1"),
        ("format", "dott", "did you mean `dot`?"),
        ("OPENAI_API_KEY", "sk-canary", "set by BenchRouter itself"),
        ("BENCHROUTER_SEED", "1", "set by BenchRouter itself"),
        ("PYTHONPATH", "/x", "set by BenchRouter itself"),
        ("HF_TOKEN", "sk-canary", r"pass_env: \[HF_TOKEN\]"),
        ("DB_PASSWORD", "sk-canary", "looks like a secret"),
        ("MY_APIKEY", "sk-canary", "looks like a secret"),
    ],
)
def test_a_mistake_is_named(name: str, value: str, said: str) -> None:
    """And a secret's value is not repeated."""
    with pytest.raises(UsageError, match=said) as error:
        parse({name: value}, {})
    assert "sk-canary" not in str(error.value)


def test_all_mistakes_at_once() -> None:
    """One line each."""
    with pytest.raises(UsageError) as error:
        parse({"modle": "x", "repeat": "x", "A_TOKEN": "y"}, {})
    assert str(error.value).count("\n") == 2


@pytest.mark.parametrize("name", ["TAU2_NUM_TASKS", "MAX_TOKENS", "KEYBOARD", "MONKEY", "TOKENIZER", "PRIVATEER"])
def test_innocent_names_are_no_secrets(name: str) -> None:
    """A word inside a word says nothing."""
    assert parse({name: "1"}, {}).environment == {name: "1"}


def test_the_page_and_the_help_name_every_variable() -> None:
    """`strict`, `refresh`, `seed` and `full` were in no document."""
    page = (Path(__file__).parents[3] / "docs" / "configuration.md").read_text()
    table = page.partition("## Variables of the command line")[2].partition("\n## ")[0]
    named = re.findall(r"^\| `(\w+)` \| (.+) \|$", table, re.MULTILINE)
    assert {name: meaning.replace("`", "") for name, meaning in named} == {
        name: meaning.replace("<", "").replace(">", "") for name, meaning in STEERING.items()
    }
    assert all(f"{name}= {meaning}" in Run.doc_description for name, meaning in STEERING.items())
