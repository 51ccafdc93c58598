"""Running a command inside a container that is up, with its output, a deadline and cancellation."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from benchrouter.engine import deadlines
from benchrouter.engine.client import Engine
from benchrouter.engine.errors import Cancelled, EngineError

_TICK = 0.1


def run_inside(
    engine: Engine,
    container: str,
    argv: Sequence[str],
    *,
    timeout: float,
    on_output: Callable[[bytes], None],
    cancelled: threading.Event,
) -> int | None:
    """Run `argv` and return its exit status, None when it still runs at the deadline; it is not stopped then.

    Something that it leaves in the background does not delay the end. Raises EngineError, Cancelled, and the
    OSErrors of `on_output`.
    """
    api: Any = engine.slow
    with engine.errors(f"running a command in container {container[:12]}"):
        made = str(api.exec_create(container, list(argv))["Id"])
    reader = _Reader(engine, made, on_output)
    ends_at = time.monotonic() + timeout
    while True:
        heard_all = reader.ended.wait(_TICK)
        if reader.failure is not None:
            raise reader.failure
        with engine.errors(f"asking how a command in container {container[:12]} is"):
            state = engine.api.exec_inspect(made)
        code = state.get("ExitCode")
        if not state.get("Running") and code is not None:
            reader.ended.wait(deadlines.DRAIN if not heard_all else 0)
            reader.close()
            return int(code)
        if cancelled.is_set():
            reader.close()
            raise Cancelled("interrupted while a sidecar was being prepared")
        if time.monotonic() > ends_at:
            reader.close()
            return None
        if heard_all:
            time.sleep(_TICK)


class _Reader:
    """Starts the command and reads its output beside whoever waits for its end."""

    def __init__(self, engine: Engine, made: str, on_output: Callable[[bytes], None]) -> None:
        self.ended = threading.Event()
        self.failure: EngineError | OSError | None = None
        self._engine = engine
        self._made = made
        self._on_output = on_output
        self._closed = False
        self._lock = threading.Lock()
        threading.Thread(target=self._read, name="exec-output", daemon=True).start()

    def close(self) -> None:
        """Hand on no more output."""
        with self._lock:
            self._closed = True

    def _read(self) -> None:
        try:
            with self._engine.errors("running a command in a sidecar"):
                api: Any = self._engine.slow
                for data in api.exec_start(self._made, stream=True):
                    with self._lock:
                        if self._closed:
                            return
                        self._on_output(data)
        except (EngineError, OSError) as error:  # the engine, or the disk that the output is written to
            self.failure = error
        finally:
            self.ended.set()
