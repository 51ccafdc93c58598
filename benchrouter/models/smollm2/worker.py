"""The child process that holds the model: started, asked, cancelled, begun again when it has died."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchrouter.models.local_api import RequestError
from benchrouter.models.model import ModelError
from benchrouter.models.smollm2.completion import Said
from benchrouter.models.smollm2.request import Ask
from benchrouter.models.smollm2.turns import LOOK, Gone

SCRIPT = Path(__file__).with_name("worker.mjs")
START_SECONDS, END_SECONDS = 120.0, 5.0
_PASSED = ("PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "LD_LIBRARY_PATH")
_TAIL = 600


class WorkerError(ModelError):
    """The process does not start, or ended in the middle of an answer; the message says what to look at."""


@dataclass(frozen=True)
class Launch:
    """How the process is started: `directory` is the installation, `mark` more variables of its environment."""

    node: str
    directory: Path
    weights: Path
    gpu: str | None
    threads: int
    context: int
    log: Path
    mark: Mapping[str, str] = field(default_factory=dict)

    @property
    def command(self) -> list[str]:
        """Give the command line."""
        facts = {
            "directory": str(self.directory),
            "weights": str(self.weights),
            "gpu": self.gpu or False,
            "threads": self.threads,
            "context": self.context,
        }
        return [self.node, str(SCRIPT), json.dumps(facts)]


def threads_for(cores: int | None = None) -> int:
    """Choose how many threads compute: two, but one core stays free.

    Threads wait for each other by spinning. With as many threads as cores, and containers at work beside them, one
    that is not scheduled holds up all others: measured on two cores, two threads took 58 s for what one does in 2.3.
    """
    there = cores or len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1))
    return max(1, min(2, there - 1))


class Worker:
    """One process at a time; used by one thread at a time, but for `stop`."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._process: subprocess.Popen[str] | None = None
        self._heard: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._stopped = False
        self._asked = 0

    @property
    def pid(self) -> int | None:
        """Give the process id while it lives."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def start(self) -> Mapping[str, Any]:
        """Start the process and wait until the model is loaded; give what it says of itself. Raise WorkerError."""
        with self._lock:
            if self._stopped:
                raise WorkerError("the run is ending")
            self._launch.log.parent.mkdir(parents=True, exist_ok=True)
            with self._launch.log.open("ab") as log:
                self._process = process = self._spawn(log)
        heard: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._heard = heard
        threading.Thread(target=_listen, args=(process, heard, self._launch.log), daemon=True).start()
        try:
            ready: Mapping[str, Any] = heard.get(timeout=START_SECONDS)["ready"]
        except queue.Empty:
            self._kill()
            raise WorkerError(f"the model was not loaded within {START_SECONDS:.0f} s{self._hint()}") from None
        except KeyError:
            raise WorkerError(f"the model's process ended while it started{self._hint()}") from None
        return ready

    def _spawn(self, log: Any) -> subprocess.Popen[str]:
        environment = {name: os.environ[name] for name in _PASSED if name in os.environ} | dict(self._launch.mark)
        try:
            return subprocess.Popen(
                self._launch.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=self._launch.directory,
                env=environment,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,  # Ctrl-C is for us: first the jobs end, then what they ask
            )
        except OSError as error:
            raise WorkerError(f"{self._launch.node} cannot be started: {error.strerror}") from None

    def answer(self, ask: Ask, lane: str, gone: Callable[[], bool]) -> Generator[str | Said, None, None]:
        """Yield pieces of text as they come, an empty one first, and at last what was said.

        Raise RequestError for a request that does not fit, Gone when `gone` says so (the answer is given up), and
        WorkerError when the process dies; the next question begins a new one.
        """
        if self.pid is None:
            self.start()
        self._asked += 1
        number = self._asked
        self._tell(_line(number, ask, lane))
        pieces: list[str] = []
        try:
            for heard in self._replies(number, gone):
                if "prompt_tokens" in heard:
                    yield ""
                elif "text" in heard:
                    pieces.append(heard["text"])
                    yield heard["text"]
                elif "error" in heard:
                    raise RequestError(**heard["error"])
                else:
                    done = heard["done"]
                    yield Said("".join(pieces), done["finish"], done["prompt_tokens"], done["completion_tokens"])
                    break
        except (Gone, GeneratorExit):
            self._cancel(number)
            raise

    def _tell(self, message: Mapping[str, Any]) -> None:
        process = self._process
        if process is None or process.stdin is None:
            raise WorkerError("the model's process is not there")
        try:
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
        except (OSError, ValueError):
            raise WorkerError(f"the model's process has ended{self._hint()}") from None

    def _replies(self, number: int, gone: Callable[[], bool]) -> Iterator[dict[str, Any]]:
        """Give what the process says to a request, and look every now and then whether anybody still listens."""
        looked = time.monotonic()
        while True:
            with suppress(queue.Empty):
                heard = self._heard.get(timeout=LOOK)
                if "ended" in heard:
                    raise WorkerError(f"the model's process ended in the middle of an answer{self._hint()}")
                if heard.get("id") == number:
                    yield heard
            if time.monotonic() - looked >= LOOK:
                if gone():
                    raise Gone
                looked = time.monotonic()

    def _cancel(self, number: int) -> None:
        """Give an answer up, and wait until the process is free again."""
        with suppress(WorkerError):
            self._tell({"cancel": number})
            for heard in self._replies(number, lambda: False):
                if "done" in heard or "error" in heard:
                    break

    def _hint(self) -> str:
        process = self._process
        status = None if process is None else process.poll()
        how = "" if status is None else f" (signal {-status})" if status < 0 else f" (status {status})"
        try:
            end = self._launch.log.read_bytes()[-_TAIL:].decode("utf-8", "replace")
        except OSError:
            end = ""
        last = [line for line in end.splitlines() if line.strip()][-1:]
        return f"{how}; its log is {self._launch.log}{f', its last line: {last[0].strip()}' if last else ''}"

    def _kill(self) -> None:
        process = self._process
        if process is not None:
            process.kill()
            process.wait()

    def stop(self) -> None:
        """End the process for good."""
        with self._lock:
            self._stopped = True
            process = self._process
        if process is None:
            return
        with suppress(OSError, ValueError):
            if process.stdin is not None:
                process.stdin.close()  # it ends itself
        try:
            process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._kill()


def _line(number: int, ask: Ask, lane: str) -> dict[str, Any]:
    # Not asked for twice the same: a seed of its own each time.
    seed = int.from_bytes(os.urandom(4)) if ask.seed is None else ask.seed
    return {
        "id": number,
        "lane": lane,
        "messages": ask.messages,
        "max_tokens": ask.max_tokens,
        "sampling": {**ask.sampling, "seed": seed},
        "penalties": ask.penalties,
        "stop": ask.stop,
        "grammar": ask.grammar,
    }


def _listen(process: subprocess.Popen[str], heard: queue.SimpleQueue[dict[str, Any]], log: Path) -> None:
    """Pass on what the process says until it ends; what is no message of ours goes to the log."""
    if process.stdout is not None:
        for line in process.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                message = None
            if isinstance(message, dict):
                heard.put(message)
            else:
                with suppress(OSError), log.open("a", encoding="utf-8") as file:
                    file.write(line)
    process.wait()
    heard.put({"ended": True})
