"""The directory of one attempt under way: what the container writes, and what will be published."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchrouter.jobs.logs import CappedLog, Tail
from benchrouter.jobs.redact import Redactor
from benchrouter.jobs.request import Progress
from benchrouter.store import layout
from benchrouter.store.workspace import Workspace

TOLD_EVERY = 0.25
LAST_LINES = 20
SDK_SAYS = "benchrouter: "
UNLOGGED = "unlogged.log"
KEPT_ON_A_FULL_DISK = 64 << 10


@dataclass(frozen=True)
class Attempt:
    """`output` is mounted into the container and hostile; `staging` becomes the artifact directory."""

    directory: Path
    token: str

    @classmethod
    def fresh(cls, workspace: Workspace, run_id: str) -> Attempt:
        """Make the directories of a new attempt; raises OSError."""
        attempt = cls(layout.fresh_attempt(workspace, run_id), secrets.token_hex(6))
        attempt.directory.chmod(0o700)  # the output is writable for all, so that any user of an image can
        attempt.output.mkdir()
        attempt.output.chmod(0o777)
        attempt.logs.mkdir(parents=True)
        return attempt

    @property
    def output(self) -> Path:
        """What the container sees as its output directory."""
        return self.directory / "output"

    @property
    def staging(self) -> Path:
        """What becomes the artifact directory, by one rename."""
        return self.directory / "staging"

    @property
    def logs(self) -> Path:
        """Where the logs grow."""
        return self.staging / layout.LOGS

    def remove(self) -> bool:
        """Remove whatever is left; tell whether nothing is (files of another user stay)."""
        try:
            shutil.rmtree(self.directory, ignore_errors=True)
        except RecursionError:
            pass
        if os.path.lexists(self.directory):
            # rm copes with trees that are deeper than our stack or than a path may be long.
            subprocess.run(["rm", "-rf", "--", str(self.directory)], capture_output=True, check=False)
        return not os.path.lexists(self.directory)


class Listener:
    """Takes the output of a container: into the logs, redacted, and to whoever watches."""

    def __init__(self, attempt: Attempt, redactor: Redactor, limit: int, progress: Progress) -> None:
        self._logs = {
            stream: CappedLog(attempt.logs / f"{stream}.log", limit, redactor)
            for stream in ("stdout", "stderr")
        }
        self._directory = attempt.logs
        self._redactor = redactor
        self._tail = Tail()
        self._errors = Tail()
        self._progress = progress
        self._told = 0.0
        self.fault: OSError | None = None

    def hear(self, stream: Literal["stdout", "stderr"], data: bytes) -> None:
        """Take output; a disk that fails is remembered in `fault`, since the container is still running."""
        try:
            self._logs[stream].write(data, self._shown(stream))
        except OSError as error:
            self.fault = self.fault or error
        now = time.monotonic()
        if now - self._told >= TOLD_EVERY:
            self._told = now
            self._progress(self.last_lines(1))

    def _shown(self, stream: str) -> Callable[[bytes], None]:
        def add(data: bytes) -> None:
            self._tail.add(data)
            if stream == "stderr":
                self._errors.add(data)

        return add

    def also(self, whose: str, tail: Tail) -> None:
        """Show the end of another log after that of the container."""
        text = "\n".join(f"[{whose}] {line}" for line in tail.lines(LAST_LINES).splitlines())
        self._tail.add(f"\n{text}\n".encode())

    def close(self) -> None:
        """Finish the logs."""
        for stream, log in self._logs.items():
            try:
                log.close(self._shown(stream))
            except OSError as error:
                self.fault = self.fault or error

    def rescue(self) -> None:
        """Cut what filled the disk, to have room for the reason; then write the end of the output once more."""
        for log in self._directory.iterdir():
            if log.stat().st_size > KEPT_ON_A_FULL_DISK:
                os.truncate(log, KEPT_ON_A_FULL_DISK)
        if self.fault is not None:
            text = "[benchrouter: the disk was full; the end of both streams:]\n" + self.last_lines() + "\n"
            (self._directory / UNLOGGED).write_text(text, "utf-8", "replace")

    def last_lines(self, count: int = LAST_LINES) -> str:
        """Give the end of the output of both streams."""
        # Once more, because dropping control characters can join what they kept apart.
        return self._redactor.scrub_text(self._tail.lines(count))

    def last_error(self) -> str:
        """Give the last line of stderr that says something, without what our SDK's runner adds; "" for none."""
        lines = self._redactor.scrub_text(self._errors.lines(LAST_LINES)).splitlines()
        return next((line.strip() for line in reversed(lines) if not line.startswith(SDK_SAYS)), "")
