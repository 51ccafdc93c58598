"""Our reading of `.dockerignore` against the builder's own: the same files arrive, for random trees and patterns."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from benchrouter.engine.client import Engine
from benchrouter.engine.docker_cli import cli_environment, find_cli
from benchrouter.keys.ignore import load_ignore
from benchrouter.keys.tree import hash_tree
from benchrouter.spec.problems import SpecError

NAMES = ["a", "b", "ab", "a.txt", ".hid", "d"]
PARTS = [
    *NAMES,
    "*",
    "**",
    "?",
    "a*",
    "*.txt",
    ".*",
    "[ab]",
    "[^a]",
    "..",
    ".",
    "\\*",
    "a?",
    "Dockerfile",
    "**b",
]


def plant(directory: Path, dice: random.Random, depth: int = 0) -> None:
    for name in dice.sample(NAMES, dice.randint(1, 4)):
        kind = dice.random()
        if kind < 0.45 and depth < 3:
            (directory / name).mkdir()
            plant(directory / name, dice, depth + 1)
        elif kind < 0.55:
            (directory / name).symlink_to(dice.choice(NAMES))
        else:
            (directory / name).write_text(name)


def pattern(dice: random.Random) -> str:
    path = "/".join(dice.choices(PARTS, k=dice.randint(1, 3)))
    return dice.choice(["", "", "", "!", "/", "# ", " "]) + path + dice.choice(["", "", "/", " "])


@pytest.mark.parametrize("seed", range(12))
def test_the_builder_sees_what_the_key_covers(real_engine: Engine, tmp_path: Path, seed: int) -> None:
    cli, why = find_cli(os.environ)
    if cli is None:
        pytest.skip(why)
    dice, context, arrived = random.Random(seed), tmp_path / "context", tmp_path / "arrived"
    context.mkdir()
    plant(context, dice)
    (context / "Dockerfile").write_text("FROM scratch\nCOPY . /\n")
    (context / ".dockerignore").write_text("".join(f"{pattern(dice)}\n" for _ in range(dice.randint(1, 4))))
    build = subprocess.run(
        [cli.path, "build", "-q", "--output", f"type=local,dest={arrived}", str(context)],
        env=cli_environment(real_engine, os.environ, "test"), capture_output=True, text=True, check=False,
    )  # fmt: skip
    try:
        ours = sorted(entry.path for entry in hash_tree(context, ignore=load_ignore(context)).entries)
    except SpecError:
        assert build.returncode, "we refuse what the builder takes"
        return
    assert build.returncode == 0, build.stderr
    assert sorted(str(path.relative_to(arrived)) for path in arrived.rglob("*")) == ours
