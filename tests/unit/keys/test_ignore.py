"""`.dockerignore`: the rules were compared with Docker's own builder on random trees and patterns."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchrouter.keys.ignore import Ignore, load_ignore, parse
from benchrouter.spec.problems import SpecError


def excluded(patterns: str, *paths: str) -> list[str]:
    ignore = Ignore(parse(patterns.encode()))
    return [path for path in paths if ignore.excludes(path)]


@pytest.mark.parametrize(
    ("patterns", "out", "kept"),
    [
        ("a", ["a", "a/b"], ["b/a", "ab"]),
        ("/a/", ["a", "a/b"], ["b/a"]),
        ("*.txt", ["x.txt"], ["d/x.txt", "x.txt2"]),
        ("**/*.txt", ["x.txt", "d/x.txt", "d/e/x.txt"], ["x"]),
        ("**", ["a", ".a", "a/b"], []),
        ("a/**", ["a/b", "a/b/c"], ["a", "b"]),
        ("**/a/b", ["a/b", "x/a/b", "x/y/a/b/c"], ["b"]),
        ("a**b", ["ab", "axb/b"], ["a"]),
        ("?", ["a", "a/b"], ["ab", "ab/c"]),
        ("[ab]", ["a", "b/x"], ["c", "ab"]),
        ("[^ab]", ["c"], ["a"]),
        ("*\n!a", ["b"], ["a", "a/x"]),
        ("a\n!a/b\na/b/c", ["a/x", "a/b/c"], ["a/b/d"]),
        ("!a\na", ["a"], []),
        ("# c\n\n  \n a \n", ["a"], ["# c"]),
        ("./a/../b", ["b"], ["a"]),
        ("a.b", ["a.b"], ["axb"]),
        ("\\*", ["*"], ["a"]),
        ("a+(b)", ["a+(b)"], ["aab"]),
        ("\ufeffa\r\nb\r\n", ["a", "b"], []),
    ],
)
def test_patterns(patterns: str, out: list[str], kept: list[str]) -> None:
    assert excluded(patterns, *out, *kept) == out


def test_bad_patterns_are_reported_with_their_lines() -> None:
    with pytest.raises(SpecError) as caught:
        parse(b"a\n[b\n!\n[z-a]\n", "x")
    assert [problem.line for problem in caught.value.problems] == [2, 3, 4]


def test_the_dockerfile_and_the_ignore_file_are_always_sent(tmp_path: Path) -> None:
    (tmp_path / ".dockerignore").write_text("*\n")
    ignore = load_ignore(tmp_path)
    assert ignore.excludes("Dockerfile")
    assert ignore.sends("Dockerfile")
    assert ignore.sends(".dockerignore")
    assert not ignore.sends("x")


def test_an_ignore_file_of_the_dockerfiles_own_comes_first(tmp_path: Path) -> None:
    (tmp_path / ".dockerignore").write_text("a\n")
    (tmp_path / "Dockerfile.dockerignore").write_text("b\n")
    ignore = load_ignore(tmp_path)
    assert (ignore.excludes("a"), ignore.excludes("b")) == (False, True)
