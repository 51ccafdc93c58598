"""YAML as data: lines, text as written, and everything that is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchrouter.spec.problems import SpecError
from benchrouter.spec.yamlfile import Document, read


def doc(tmp_path: Path, text: str | bytes) -> Document:
    path = tmp_path / "x.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read(path)


def faults(tmp_path: Path, text: str | bytes) -> list[tuple[int | None, str]]:
    with pytest.raises(SpecError) as caught:
        doc(tmp_path, text)
    return [(problem.line, problem.message) for problem in caught.value.problems]


def test_lines_and_text_as_written(tmp_path: Path) -> None:
    document = doc(tmp_path, "a: 1.10\nb:\n  - x\n  - {c: yes, d: 2024-01-01, e: }\n")
    assert document.data == {"a": 1.1, "b": ["x", {"c": True, "d": "2024-01-01", "e": None}]}
    assert document.text(("a",)) == "1.10"
    assert document.text(("b", 1, "c")) == "yes"
    assert document.text(("b", 1, "e")) == ""
    assert document.line(("b", 1, "c")) == 4
    assert document.line(("b", 1, "not there")) == 4
    assert document.line(("b",)) == 2


def test_anchors_and_merges_work(tmp_path: Path) -> None:
    document = doc(tmp_path, "base: &b {x: 1.0, y: 2}\nuse:\n  <<: *b\n  y: 3\nagain: *b\n")
    assert document.data["use"] == {"x": 1.0, "y": 3}
    assert document.data["again"] == {"x": 1.0, "y": 2}
    assert document.text(("use", "x")) == "1.0"
    assert document.line(("use", "x")) == 3


def test_an_alias_bomb_is_refused(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    assert "aliases expand" in faults(tmp_path, "\n".join(lines))[0][1]


def test_an_alias_that_contains_itself_is_refused(tmp_path: Path) -> None:
    assert faults(tmp_path, "ok: 1\na: &a [*a]\n")[0][0] == 2


@pytest.mark.parametrize("text", ["[" * 900 + "]" * 900, "a: " + "[" * 100_000, "- " * 100_000])
def test_deep_nesting_is_refused(tmp_path: Path, text: str) -> None:
    assert faults(tmp_path, text)


def test_every_duplicate_key_is_reported_with_the_first_place(tmp_path: Path) -> None:
    found = faults(tmp_path, "a: 1\nb: {c: 1, c: 2}\na: 2\n")
    assert sorted(found) == [
        (2, "duplicate key `c`, first given on line 2"),
        (3, "duplicate key `a`, first given on line 1"),
    ]


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("- a\n", 1, "found a list"),
        ("x\n", 1, "found a single value"),
        (b"a: 1\nb: \xff\n", 2, "0xff is not UTF-8"),
        ("a: 1\nb: [1,\n", 3, "not valid YAML"),
        ("a: 1\n---\nb: 2\n", 2, "not valid YAML"),
        ("a: 1\nb: !!python/object/apply:os.system [x]\n", 2, "not supported"),
        ("a: 1\nb: !!python/name:os.system x\n", 2, "not supported"),
        ("a: 1\nb: \x07\n", 2, "not allowed"),
        ("a: 1\n? [x]\n: 2\n", 2, "as a key"),
        ("a: *nowhere\n", 1, "undefined alias"),
        ("<<: 3\n", 1, "merges mappings"),
    ],
)
def test_what_is_no_plain_data_is_refused_with_its_line(
    tmp_path: Path, text: str | bytes, line: int, part: str
) -> None:
    found = faults(tmp_path, text)
    assert part in found[0][1]
    assert found[0][0] == line


def test_missing_empty_and_bom(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="does not exist"):
        read(tmp_path / "none.yaml")
    with pytest.raises(SpecError, match="cannot be read"):
        read(tmp_path)
    assert doc(tmp_path, "").data == {}
    assert doc(tmp_path, b"\xef\xbb\xbfa: 1\n").data == {"a": 1}
