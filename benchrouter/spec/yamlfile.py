"""Reading YAML: plain data, with the line and the text as written of every value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from benchrouter.spec.inputs import read_input
from benchrouter.spec.problems import Problem, SpecError

try:
    from yaml import CSafeLoader as Loader
except ImportError:  # libyaml is optional in PyYAML
    from yaml import SafeLoader as Loader  # type: ignore[assignment]

KeyPath = tuple[str | int, ...]
_MOST_VALUES = 200_000
_DEEPEST = 60
_STR, _MERGE = "tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"
_AS_DATA = {f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float")}
_COLLECTIONS = {"tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"}
_AS_TEXT = {_STR, "tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:value"}


@dataclass(frozen=True)
class Document:
    """A YAML file: `data` is a mapping of plain values; paths are keys and list positions from the root.

    `problems` are faults beside which the rest can be told; of keys given twice (`twice`) the first value counts.
    """

    path: Path
    data: dict[str, Any]
    lines: dict[KeyPath, int] = field(repr=False)
    written: dict[KeyPath, str] = field(repr=False)
    problems: tuple[Problem, ...] = ()
    twice: frozenset[KeyPath] = frozenset()

    def line(self, path: KeyPath) -> int | None:
        """Find the line of a value, or of the nearest parent that is there."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)

    def text(self, path: KeyPath) -> str | None:
        """Give a scalar as its author wrote it (`1.10`, `yes`), empty for null; None when it is no scalar."""
        return self.written.get(path)

    def problem(self, path: KeyPath, message: str, *, warning: bool = False) -> Problem:
        """Say what is wrong with a value, at its line."""
        return Problem(str(self.path), self.line(path), message, warning)


def read(path: Path) -> Document:
    """Read a YAML mapping; raise SpecError with file:line for everything that is not plain, finite data."""
    document = read_with_faults(path)
    if document.problems:
        raise SpecError(document.problems)
    return document


def read_with_faults(path: Path) -> Document:
    """Read a YAML mapping as far as it can be told; raise SpecError when there is nothing to tell."""
    text = _text(path)
    loader = Loader(text)
    try:
        node = loader.get_single_node()
        builder = _Builder(path, loader)
        if node is not None and not isinstance(node, yaml.MappingNode):
            builder.fail(node, f"found {_kind(node)}, expected a mapping (`key: value` lines)")
        data = {} if node is None else builder.value(node, (), 0)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = f"not valid YAML: {error.problem or error.context}"
        if "mapping values are not allowed" in message:
            message += "; a value that holds `: ` is quoted, or written below `key: |`"
        raise SpecError([Problem(str(path), mark.line + 1 if mark else None, message)]) from None
    except yaml.YAMLError as error:
        raise SpecError([Problem(str(path), None, f"not valid YAML: {error}")]) from None
    except RecursionError:
        raise SpecError([Problem(str(path), None, "nested too deeply")]) from None
    finally:
        loader.dispose()
    return Document(path, data, builder.lines, builder.written, tuple(builder.problems), frozenset(builder.twice))


def _text(path: Path) -> str:
    try:
        raw = read_input(path)
    except FileNotFoundError:
        raise SpecError([Problem(str(path), None, "the file does not exist")]) from None
    except OSError as error:
        raise SpecError([Problem(str(path), None, f"cannot be read: {error.strerror}")]) from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        message = f"byte 0x{raw[error.start]:02x} is not UTF-8; save the file as UTF-8"
        raise SpecError([Problem(str(path), line, message)]) from None
    if odd := yaml.reader.Reader.NON_PRINTABLE.search(text):
        line = text.count("\n", 0, odd.start()) + 1
        message = f"character U+{ord(odd[0]):04X} is not allowed in YAML"
        raise SpecError([Problem(str(path), line, message)])
    return text


def _kind(node: yaml.Node) -> str:
    return (
        "a mapping"
        if isinstance(node, yaml.MappingNode)
        else "a list"
        if isinstance(node, yaml.SequenceNode)
        else "a single value"
    )


class _Builder:
    """Turns nodes into data; counts every value, so that aliases cannot multiply without bound."""

    def __init__(self, path: Path, loader: Any) -> None:
        self.path = path
        self.loader = loader
        self.problems: list[Problem] = []
        self.twice: set[KeyPath] = set()
        self.lines: dict[KeyPath, int] = {}
        self.written: dict[KeyPath, str] = {}
        self.count = 0

    def problem(self, node: yaml.Node, message: str) -> None:
        self.problems.append(Problem(str(self.path), node.start_mark.line + 1, message))

    def fail(self, node: yaml.Node, message: str) -> None:
        self.problem(node, message)
        raise SpecError(self.problems)

    def value(self, node: yaml.Node, path: KeyPath, depth: int) -> Any:
        self.count += 1
        if self.count > _MOST_VALUES:
            self.fail(node, f"aliases expand to more than {_MOST_VALUES} values")
        if depth > _DEEPEST:
            self.fail(node, f"nested more than {_DEEPEST} levels deep, or an alias contains itself")
        self.lines.setdefault(path, node.start_mark.line + 1)
        if not isinstance(node, yaml.ScalarNode) and node.tag not in _COLLECTIONS:
            self.fail(node, f"YAML tag `{node.tag}` is not supported; write a plain list or mapping")
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, path, depth)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*path, index), depth + 1) for index, item in enumerate(node.value)]
        return self.scalar(node, path)

    def mapping(self, node: yaml.MappingNode, path: KeyPath, depth: int) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for key, item in self.pairs(node):
            name = key.value
            if name in data:
                first = self.lines[(*path, name)]
                self.problem(key, f"duplicate key `{name}`, first given on line {first}")
                self.twice.add((*path, name))
                continue
            self.lines[(*path, name)] = key.start_mark.line + 1
            data[name] = self.value(item, (*path, name), depth + 1)
        for source, item in self.merges(node):
            for name, merged in self.value(item, (*path, "<<"), depth + 1).items():
                if name not in data:
                    self.adopt((*path, "<<", name), (*path, name), source)
                    data[name] = merged
        return data

    def pairs(self, node: yaml.MappingNode) -> Iterator[tuple[yaml.ScalarNode, yaml.Node]]:
        for key, item in node.value:
            if key.tag == _MERGE:
                continue
            if isinstance(key, yaml.ScalarNode):
                yield key, item
            else:
                self.problem(key, f"found {_kind(key)} as a key, expected a plain word")

    def merges(self, node: yaml.MappingNode) -> Iterator[tuple[yaml.Node, yaml.MappingNode]]:
        for key, item in node.value:
            if key.tag != _MERGE:
                continue
            for source in item.value if isinstance(item, yaml.SequenceNode) else [item]:
                if isinstance(source, yaml.MappingNode):
                    yield key, source
                else:
                    self.problem(key, f"`<<` merges mappings, found {_kind(source)}")

    def adopt(self, source: KeyPath, target: KeyPath, key: yaml.Node) -> None:
        """Give a merged value its place: the line of the `<<`, the text of what was merged."""
        self.lines[target] = key.start_mark.line + 1
        for path in [path for path in self.written if path[: len(source)] == source]:
            self.written[target + path[len(source) :]] = self.written[path]

    def scalar(self, node: yaml.Node, path: KeyPath) -> Any:
        empty = node.tag.endswith(":null")
        self.written[path] = "" if empty else node.value
        if node.tag in _AS_TEXT:
            return node.value
        if node.tag not in _AS_DATA:
            self.problem(node, f"YAML tag `{node.tag}` is not supported; write plain text or a number")
            return node.value
        try:
            return self.loader.construct_object(node)
        except ValueError:
            self.problem(node, f"`{node.value}` is not a valid {node.tag.rpartition(':')[2]}")
            return node.value
