"""The `benchrouter` command as a process of its own: the caller's directory, signals and stdout are not touched."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

BOTH_WAYS = ("preflight", "cache")
"""Flags that have a `--no-`."""

_SAID = 50  # lines of stderr that are kept for the message


class CommandError(RuntimeError):
    """The command refused or broke; the text is what it said, `status` its exit status (2: a mistake in the call)."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status


class Process:
    """A running command; iterate over it for the JSON objects that it prints, as they come.

    As a context manager it is stopped, as by Ctrl-C, when the block is left before its end.
    """

    def __init__(
        self, words: Sequence[str], workspace: str | os.PathLike[str] | None, environ: Mapping[str, str] | None = None
    ) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchrouter", *words],
            cwd=None if workspace is None else Path(workspace),
            env={**os.environ, **(environ or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,  # a Ctrl-C of the caller's terminal is the caller's to hand on
        )
        self._said: deque[str] = deque(maxlen=_SAID)
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self.last: dict[str, Any] = {}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                self.last = json.loads(line)
            except ValueError:  # torn: the process was killed while it wrote
                continue
            yield self.last

    def cancel(self) -> None:
        """Stop it as Ctrl-C would: what runs is ended and swept up; again, to do nothing more."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def end(self) -> tuple[int, dict[str, Any]]:
        """Wait for its end; give exit status and last object. Raise CommandError when there is none, or an error."""
        for _ in self:
            pass
        status = self._process.wait()
        self._listener.join()
        if not self.last or self.last.get("kind") == "error":
            said = str(self.last.get("message", "")) or "\n".join(self._said)
            raise CommandError(said or f"ended with status {status} and said nothing", status)
        return status, self.last

    def __enter__(self) -> Process:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cancel()
        for _ in self:  # a full pipe would keep it from ending
            pass
        self._process.wait()
        self._listener.join()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def _listen(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._said.append(line.rstrip("\n"))


def words_of(verb: str, bench: str | Iterable[str] | None, options: Mapping[str, Any]) -> list[str]:
    """Write a call as words: lists repeated, flags alone, what is None left out, False too but for BOTH_WAYS."""
    words = [verb, *named(bench)]
    for name, value in options.items():
        option = f"--{name.replace('_', '-')}"
        if isinstance(value, Mapping):
            words += [word for key, each in value.items() for word in (option, f"{key}={each}")]
        elif isinstance(value, bool):
            words += [option] if value else [f"--no-{name}"] * (name in BOTH_WAYS)
        elif value is not None:
            words += [word for each in named(value) for word in (option, each)]
    return [*words, "--json"]


def named(value: Any) -> list[str]:
    """Make a list of one name or several."""
    if value is None:
        return []
    if isinstance(value, str | int | os.PathLike):
        return [os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
    return [str(each) for each in value]
