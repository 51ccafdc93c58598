"""Looking for a secret in everything that a run wrote, said or showed: whole, in pieces, escaped, encoded."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote_to_bytes

from project import Project, containers_of

_PIECE = 7  # a mask that shows this many characters in a row shows too much
_BREAK = re.compile(rb"\r?\n|\\r|\\n")
_RUN = re.compile(rb"[A-Za-z0-9+/_-]{10,}")
_HEX = re.compile(rb"[0-9a-fA-F]{14,}")
_ESCAPE = re.compile(rb"\\u00([0-9a-fA-F]{2})|\\([\"\\/])|\\x([0-9a-fA-F]{2})")


class Canary:
    """A set of secrets to look for; their letters are chosen so that no piece of them occurs by chance."""

    def __init__(self, *values: str) -> None:
        words = {word for value in values for word in re.findall(r"[A-Z]{7,}", value)}
        assert words, "nothing to look for"
        self._pieces = {
            word[at : at + _PIECE].encode() for word in words for at in range(len(word) - _PIECE + 1)
        }

    def found_in(self, data: bytes) -> str:
        """Give the first piece of a secret in some bytes, escaped or encoded too; empty when there is none."""
        for plain in _readings(data):
            for piece in self._pieces:
                at = plain.find(piece)
                if at >= 0:
                    return plain[max(0, at - 60) : at + 60].decode(errors="replace")
        return ""

    def below(self, root: Path) -> list[str]:
        """Search every byte below a directory: contents, names, link targets."""
        found = []
        for directory, names, files in os.walk(root):
            for name in (*names, *files):
                path = Path(directory, name)
                data = os.fsencode(name)
                if path.is_symlink():
                    data += os.fsencode(path.readlink())
                elif path.is_file():
                    data += b"\n" + path.read_bytes()
                piece = self.found_in(data)
                if piece:
                    found.append(f"{path.relative_to(root)}: {piece}")
        return found

    @contextmanager
    def watched(self, project: Project) -> Iterator[list[str]]:
        """Sample all process arguments, and labels, names and commands of the project's containers, while it runs.

        Other projects' containers are left out: tests run beside each other, and may hold the same secret.
        """
        found: list[str] = []
        ended = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(project, found, ended))
        watcher.start()
        try:
            yield found
        finally:
            ended.set()
            watcher.join()

    def _watch(self, project: Project, found: list[str], ended: threading.Event) -> None:
        looked_at: set[str] = set()
        while not ended.wait(0.01):
            for path in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    piece = self.found_in(path.read_bytes())
                except OSError:
                    continue
                if piece:
                    found.append(f"process {path.parent.name}: {piece}")
            looked_at |= self._look_at_containers(project, found, looked_at)

    def _look_at_containers(self, project: Project, found: list[str], looked_at: set[str]) -> set[str]:
        new = set(containers_of(project.id) if project.has_id else ()) - looked_at
        if not new:
            return set()
        done = subprocess.run(["docker", "inspect", *new], capture_output=True, check=False)
        for container in json.loads(done.stdout or b"[]"):
            environment = container["Config"].pop("Env") or ()  # the one place where it has to be
            piece = self.found_in(json.dumps(container).encode())
            if piece:
                found.append(f"container {container['Name']}: {piece}")
            if any(self.found_in(each.encode()) for each in environment):
                found.append(SEEN)
        return new


SEEN = "seen in the environment of a container"
"""Not a leak: shows that the watcher did see the containers that were given the secret."""


def _readings(data: bytes) -> Iterator[bytes]:
    """Give the data as it is, without escapes, and what of it may be base64 or hexadecimal, decoded."""
    for plain in _unescaped(data):
        yield plain
        yield from (_decoded(text) for text in {plain, _BREAK.sub(b"", plain)})


def _decoded(text: bytes) -> bytes:
    """Decode everything that looks like base64, from each of four places, or like hexadecimal, from both of two."""
    found = []
    for match in _RUN.finditer(text):
        run = match[0].translate(bytes.maketrans(b"-_", b"+/"))
        found += [base64.b64decode(run[at:][: (len(run) - at) // 4 * 4]) for at in range(4)]
        found += [base64.b64decode(run[at:][: (len(run) - at) // 4 * 4 + n] + b"=" * (4 - n)) for at in range(4)
                  for n in (2, 3) if (len(run) - at) % 4 >= n]  # fmt: skip
    for match in _HEX.finditer(text):
        found += [bytes.fromhex(match[0][at:][: (len(match[0]) - at) // 2 * 2].decode()) for at in range(2)]
    return b"\0".join(found)


def _unescaped(data: bytes) -> Iterator[bytes]:
    """Undo URL escapes, and JSON escapes twice: text in JSON in JSON."""
    yield data
    if b"%" in data:
        yield unquote_to_bytes(data)
    for _ in range(2):
        if b"\\" not in data:
            return
        data = _ESCAPE.sub(_char, data)
        yield data


def _char(match: re.Match[bytes]) -> bytes:
    return match[2] or bytes.fromhex((match[1] or match[3]).decode())
