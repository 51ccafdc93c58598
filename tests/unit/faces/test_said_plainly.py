"""What is printed to be typed, or to be looked up, holds where it is printed: quotes, bounds, names of files."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

from benchrouter.spec import values
from tests.unit.faces.workspaces import benchrouter, small_workspace

PACKAGE = Path(__file__).parents[3] / "benchrouter"


def test_a_printed_cd_could_not_be_typed(tmp_path: Path) -> None:
    """Of a directory with a space it led to another one."""
    said = benchrouter(tmp_path, "init", "lab ñ x").out
    (line,) = (line for line in said.splitlines() if line.startswith("  cd "))
    done = subprocess.run(["sh", "-c", f"{line} && pwd"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(tmp_path / "lab ñ x")


def _said(path: Path) -> list[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    comments = {
        id(body[0].value)
        for node in ast.walk(tree)
        if (body := getattr(node, "body", None)) and isinstance(body, list) and isinstance(body[0], ast.Expr)
    }
    found = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in comments)
    return [node.value for node in found if isinstance(node.value, str)]


def test_messages_pointed_to_pages_that_an_installed_package_has_not() -> None:
    """Every `--help` named docs/json.md; a doitw is there in a clone alone, so that has to be said with it."""
    for path in PACKAGE.rglob("*.py"):
        for text in _said(path):
            assert not re.search(r"\bdocs/[\w-]+\.md", text), (path, text)
            if "./doitw" in text and "commands/test.py" not in str(path):
                assert "in a clone" in text, (path, text)


@pytest.mark.parametrize(
    ("read", "found", "said"),
    [
        (lambda v: values.whole(v, -(1 << 53)), 10**23, "from -9007199254740992 to 9007199254740992"),
        (lambda v: values.whole(v, -(1 << 53)), -(10**23), "from -9007199254740992 to 9007199254740992"),
        (lambda v: values.whole(v, 0), 10**400, "from 0 to 9007199254740992"),
        (lambda v: values.whole(v, 0), "9" * 400, "from 0 to 9007199254740992"),
        (lambda v: values.whole(v, 1), 0, "of 1 or more"),
        (lambda v: values.whole(v, 1, 10), 11, "from 1 to 10"),
        (values.size, 10**400, "at most 1048576t"),
        (values.size, "9999999999t", "at most 1048576t"),
        (values.size, 0, "of 1 byte or more"),
        (values.seconds, 10**9, "at most a year"),
    ],
)
def test_a_bound_that_was_kept_was_named_in_place_of_the_broken_one(read: object, found: object, said: str) -> None:
    """A seed above the greatest was said to have to be above the least."""
    assert callable(read)
    with pytest.raises(ValueError, match=said):
        read(found)


def test_the_command_line_says_the_bounds_of_a_seed(tmp_path: Path) -> None:
    """It said `expected a whole number` of one."""
    root = small_workspace(tmp_path / "w")
    told = benchrouter(root, "plan", "-m", "demo", "--seed", "9" * 23)
    assert told.status == 2 and "from -9007199254740992 to 9007199254740992" in told.err


def test_cachekey_was_a_command_of_doit_alone(tmp_path: Path) -> None:
    """It is the same key, as JSON too."""
    root = small_workspace(tmp_path / "w")
    key = benchrouter(root, "cachekey", "b").out.strip()
    assert key and benchrouter(root, "cachekey", "--json").json["key"] == key
    (root / "benchmarks/b/environments/b/Dockerfile").write_text("FROM debian:bookworm\n")
    assert benchrouter(root, "cachekey").out.strip() not in ("", key)


def test_what_prune_drops_beside_images_is_said(tmp_path: Path) -> None:
    """Caches of hashes went without a word in its help."""
    root = small_workspace(tmp_path / "w")
    assert "what was hashed of directories" in " ".join(benchrouter(root, "cache", "prune", "--help").out.split())
