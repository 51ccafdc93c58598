"""Every command that a page names, in a block or in a line: its verb, options, variables, benchmarks, tasks exist."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

from benchrouter.faces.app import app
from benchrouter.make.variables import parse
from benchrouter.make.workspace_files import COMMANDS

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "benchmarks").glob("**/README.md")]
OURS = r"(?:doit|\./doitw|benchrouter)"
INDENTED = re.compile(rf"^    ((?:\w+=\S+ )*{OURS} .+)$", re.MULTILINE)
TYPED = re.compile(rf"^\$ ((?:\w+=\S+ )*{OURS} .+)$", re.MULTILINE)
INLINE = re.compile(rf"(?<!`)`((?:\w+=\S+ )*{OURS} [^`\n]+)`(?!`)")
MORE = {"test", "perf", "soak"}
SHIPPED = {path.parent.name: path.parent for path in (ROOT / "benchmarks").glob("*/benchmark.yaml")}
# What the README of mcpmark has its reader take in first.
SHIPPED["mcpmark-sidecar"] = ROOT / "tests" / "e2e" / "374-mcpmark" / "mcpmark-sidecar"
COMPLETION = {"--install-completion", "--show-completion"}
WRITTEN = {"mine", "colours", "functions", "quiz", "stock", "helo"}
"""Benchmarks that pages write themselves, and one that is misspelt on purpose."""


def commands() -> Iterator[tuple[str, str]]:
    """Give each command with its page."""
    for page in sorted(PAGES):
        text = page.read_text(encoding="utf-8")
        scripts = "".join(re.findall(r"^```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
        prose = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
        found = [*TYPED.findall(text), *re.findall(rf"^{OURS} .+$", scripts, re.MULTILINE)]
        for command in dict.fromkeys([*found, *INDENTED.findall(prose), *INLINE.findall(prose)]):
            yield str(page.relative_to(ROOT)), command


ALL = sorted(set(commands()))


def split(command: str) -> tuple[str, list[str]]:
    """Give the program and its words, without variables before it and redirections after it."""
    words = shlex.split(command.partition(" | ")[0], comments=True)
    while "=" in words[0]:
        words.pop(0)
    more = [word for word in words[1:] if word not in ("--with-engine", "--help")]
    return Path(words[0]).name.replace("doitw", "doit"), more


def of(program: str) -> list[object]:
    """Give the commands of one program as parameters of a test, each under its page and its text."""
    return [pytest.param(text, id=f"{page}: {text}") for page, text in ALL if split(text)[0] == program]


@pytest.mark.parametrize("command", of("doit"))
def test_a_command_of_doit_is_one_of_ours(command: str) -> None:
    words = split(command)[1]
    assert not words or words[0] in {*COMMANDS, *MORE} or ":" in words[0]
    given = dict(word.split("=", 1) for word in words if re.match(r"\w+=", word))
    parse({name: value for name, value in given.items() if "…" not in value and "..." not in value}, {})
    check_names(given.get("bench", "").split(","), given.get("tasks", "").split(","))


@pytest.mark.parametrize("command", of("benchrouter"))
def test_a_command_of_benchrouter_parses(command: str) -> None:
    found: Any = typer.main.get_command(app)
    words = [word for word in split(command)[1] if word not in ("<", ">")]
    if words and words[0].startswith("--"):  # an option of the program itself
        assert words[0] in {option for parameter in found.params for option in parameter.opts} | COMPLETION
        return
    if words and words[0].isupper():  # stands for any verb
        return
    while words and hasattr(found, "resolve_command"):
        context = found.context_class(found, info_name="benchrouter")
        _, found, words = found.resolve_command(context, words)
    if words:  # a verb alone is only named
        given = found.make_context("benchrouter", words).params
        check_names([str(each) for each in given.get("bench") or ()], given.get("tasks") or [])


def check_names(benchmarks: list[str], tasks: list[str]) -> None:
    """See that benchmarks of ours and their tasks are there; words in capitals, paths and `…` stand for others."""
    for entry in benchmarks:
        name, _, task = entry.partition("/")
        if name in WRITTEN | {"", "…", "..."} or name.isupper() or name in {"default", "all", "all-offline"}:
            continue
        assert name in SHIPPED, name
        for each in {task, *(tasks if len(benchmarks) == 1 else [])} - {""}:
            assert (SHIPPED[name] / each / "task.yaml").exists() or each.isupper(), each


def test_there_are_commands() -> None:
    assert len(ALL) > 60
