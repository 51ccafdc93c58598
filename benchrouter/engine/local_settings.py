"""Writing a site alias into benchrouter.local.yaml without touching anything else that stands there."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchrouter.spec.inputs import is_there, read_input
from benchrouter.spec.settings import LOCAL_FILE
from benchrouter.store.atomic import write_atomic

_HEADER = "# Facts of this machine; not for the repository. `doit bootstrap-image` writes image_aliases here.\n"


class LocalSettingsError(Exception):
    """The local file cannot take an alias by itself; the message says which lines to add by hand."""


def add_alias(root: Path, ref: str, use: str) -> bool:
    """Let `use` stand in for `ref` in the workspace's local settings; tell whether the file changed."""
    path = root / LOCAL_FILE
    with _locked(root):
        text = read_input(path).decode() if is_there(path) else _HEADER
        changed = with_alias(text, ref, use)
        if changed == text:
            return False
        write_atomic(path, changed.encode("utf-8"))
    return True


def with_alias(text: str, ref: str, use: str) -> str:
    """Add or replace one alias in the text of a settings file (pure); all else stays byte for byte."""
    import yaml

    try:
        document = yaml.compose(text, Loader=yaml.SafeLoader)
        changed = _edited(text, document, ref, use)
        loaded = yaml.safe_load(changed)
        if loaded["site"]["image_aliases"][ref] == use:
            return changed
    except (yaml.YAMLError, KeyError, TypeError, ValueError):
        pass
    raise LocalSettingsError(
        f"cannot add an alias to {LOCAL_FILE} as it is written; add under `site:` → `image_aliases:` the line\n"
        f"    {_pair(ref, use)}"
    )


def _edited(text: str, document: Any, ref: str, use: str) -> str:
    if document is None:
        return _appended(text, f"site:\n  image_aliases:\n    {_pair(ref, use)}\n")
    key, site = _entry(document, "site")
    if key is None:
        return _appended(text, f"site:\n  image_aliases:\n    {_pair(ref, use)}\n")
    inner_key, aliases = _entry(site, "image_aliases")
    if inner_key is None:
        return _inserted(text, key, site, ("image_aliases:", f"  {_pair(ref, use)}"))
    old_key, old = _entry(aliases, ref)
    if old_key is None:
        return _inserted(text, inner_key, aliases, (_pair(ref, use),))
    return text[: old.start_mark.index] + json.dumps(use) + text[old.end_mark.index :]


def _entry(mapping: Any, name: str) -> tuple[Any, Any]:
    """Find a key and its value among the nodes of a mapping."""
    if not isinstance(mapping.value, list):
        return None, None
    return next(((key, value) for key, value in mapping.value if key.value == name), (None, None))


def _inserted(text: str, key: Any, value: Any, lines: tuple[str, ...]) -> str:
    """Insert lines as the first entries of the mapping `value`, which belongs to `key`."""
    if isinstance(value.value, list) and value.value and not value.flow_style:
        first = value.value[0][0].start_mark
        indent, at = first.column, text.rfind("\n", 0, first.index) + 1
        return text[:at] + "".join(f"{' ' * indent}{line}\n" for line in lines) + text[at:]
    if isinstance(value.value, list) and value.value:
        raise ValueError("a flow mapping")
    block = "".join(f"\n{' ' * (key.start_mark.column + 2)}{line}" for line in lines)
    colon = text.index(":", key.end_mark.index) + 1
    # An empty mapping or nothing at all stands there: it gives way, a comment behind it stays.
    end = value.end_mark.index if value.value == [] or value.value not in ("", None) else colon
    return text[:colon] + _rest_of_line(text, end) + block + text[_line_end(text, end) :]


def _rest_of_line(text: str, at: int) -> str:
    return text[at : _line_end(text, at)].rstrip()


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _appended(text: str, block: str) -> str:
    return text + ("" if not text or text.endswith("\n") else "\n") + block


def _pair(ref: str, use: str) -> str:
    return f"{json.dumps(ref)}: {json.dumps(use)}"


@contextmanager
def _locked(root: Path) -> Iterator[None]:
    # Two bootstraps at once read and write the same file; the directory itself is the lock.
    handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
