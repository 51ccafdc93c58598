"""Running one container from create to removal, with output, timeout and cancellation in our hands."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchrouter.engine import deadlines
from benchrouter.engine.client import Engine
from benchrouter.engine.clock import epoch
from benchrouter.engine.container_config import create_config
from benchrouter.engine.container_spec import ContainerSpec
from benchrouter.engine.errors import EngineError
from benchrouter.engine.following import Following
from benchrouter.engine.kernel_log import KernelLog
from benchrouter.engine.signals import Signals
from benchrouter.engine.stopping import Stopping
from benchrouter.engine.streams import Stream

_TICK = 0.2
_KILLED = 137  # 128 + SIGKILL
_OOM_WORD, _OOM_WORD_OF_A_CHILD = 2.0, 1.0  # seconds


@dataclass(frozen=True)
class Exit:
    """How a container ended; times are seconds since the epoch by the engine's clock.

    `code` is None when the container never started because the run was cancelled first. `leftover` says what
    could not be removed; the sweep of a later start does it.
    """

    code: int | None
    oom_killed: bool = False
    timed_out: bool = False
    cancelled: bool = False
    stopped_because: str | None = None
    started_at: float = 0.0
    finished_at: float = 0.0
    image_id: str = ""
    leftover: str = ""


def run_container(
    engine: Engine,
    spec: ContainerSpec,
    *,
    timeout: float,
    on_output: Callable[[Stream, bytes], None],
    cancelled: threading.Event,
    watch: Callable[[], str | None] = lambda: None,
    on_created: Callable[[str], None] | None = None,
    on_ended: Callable[[], None] = lambda: None,
) -> Exit:
    """Create, attach, start, follow, inspect and remove one container.

    `timeout` counts from the start of the command. `watch` is asked about five times a second; a text that
    it returns stops the container for that reason. `on_ended` is called before the container is removed.
    Raises EngineError, ImageMissing or DiskFull; the container is removed in every case in which the engine
    still answers.
    """
    if cancelled.is_set():
        return Exit(code=None, cancelled=True)
    container = _create(engine, spec)
    kernel = KernelLog()
    try:
        if on_created is not None:
            on_created(container)
        stopping = Stopping(timeout, spec.stop_grace, cancelled, watch)
        code = _start_and_follow(engine, spec, container, on_output, stopping)
        on_ended()
        state = _inspect(engine, spec, container)
        killed_for_memory = kernel.killed_for_memory(container)
        if code != 0 and not stopping.stopped and not killed_for_memory:
            # A child killed for memory may be why a shell ended with some status of its own.
            patience = _OOM_WORD if code == _KILLED else _OOM_WORD_OF_A_CHILD
            state = _await_word_of_oom(engine, spec, container, state, patience)
        _refuse_a_leaving_engine(engine, spec, code, stopping)
    finally:
        kernel.close()
        leftover = _remove(engine, container)
    return Exit(
        code=code,
        oom_killed=killed_for_memory or bool(state["State"].get("OOMKilled")),
        timed_out=stopping.timed_out,
        cancelled=stopping.was_cancelled,
        stopped_because=stopping.watched,
        started_at=epoch(state["State"].get("StartedAt", "")),
        finished_at=max(epoch(state["State"].get(name, "")) for name in ("StartedAt", "FinishedAt")),
        image_id=str(state.get("Image", "")),
        leftover=leftover,
    )


def _create(engine: Engine, spec: ContainerSpec) -> str:
    try:
        with engine.errors(f"creating container {spec.name}", spec.secrets.values()):
            api: Any = engine.api
            made = api.create_container_from_config(create_config(spec), spec.name)
            return str(made["Id"])
    except EngineError:
        _remove_if_made(engine, spec)
        raise


def _remove_if_made(engine: Engine, spec: ContainerSpec) -> None:
    """Remove what a create request that timed out may have made; another's container of that name stays."""
    try:
        with engine.errors("looking for a container that was half made"):
            found = engine.api.inspect_container(spec.name)
    except EngineError:
        return
    if spec.labels and dict(spec.labels).items() <= (found["Config"].get("Labels") or {}).items():
        _remove(engine, str(found["Id"]))


def _start_and_follow(
    engine: Engine,
    spec: ContainerSpec,
    container: str,
    on_output: Callable[[Stream, bytes], None],
    stopping: Stopping,
) -> int:
    with engine.errors(f"attaching to container {spec.name}"):
        following = Following(engine, container, on_output)
    try:
        refused = _start(engine, spec, container)
        if refused is not None:
            on_output("stderr", refused.encode() + b"\n")
            return 126 if "permission denied" in refused or "find user" in refused else 127
        stopping.started(time.monotonic())
        signals = Signals(engine, container)
        while following.code is None:
            following.step(_TICK)
            signal = stopping.due(time.monotonic())
            if signal is not None and following.code is None:
                signals.send(signal)
            signals.check()
        following.drain(deadlines.DRAIN)
        return following.code
    finally:
        following.close()


def _start(engine: Engine, spec: ContainerSpec, container: str) -> str | None:
    """Start; return the engine's words when the image cannot execute the command at all."""
    try:
        with engine.errors(f"starting container {spec.name}", spec.secrets.values()):
            engine.api.start(container)
    except EngineError as error:
        text = str(error)
        if "exec: " in text or "unable to find user" in text:
            return text
        raise
    return None


def _inspect(engine: Engine, spec: ContainerSpec, container: str) -> dict[str, Any]:
    with engine.errors(f"inspecting container {spec.name}"):
        return dict(engine.api.inspect_container(container))


def _await_word_of_oom(
    engine: Engine, spec: ContainerSpec, container: str, state: dict[str, Any], patience: float
) -> dict[str, Any]:
    """Give the engine `patience` seconds to hear that the kernel killed for memory: under load the exit comes first."""
    until = time.monotonic() + patience
    while not state["State"].get("OOMKilled") and time.monotonic() < until:
        time.sleep(_TICK / 2)
        state = _inspect(engine, spec, container)
    return state


def _refuse_a_leaving_engine(engine: Engine, spec: ContainerSpec, code: int, stopping: Stopping) -> None:
    # An engine that shuts down first closes its listener, then signals its containers: without this question
    # the task would be blamed for a signal that the engine sent, or for how it ends when it is told to.
    if code != 0 and not stopping.stopped and not engine.answers():
        raise EngineError(f"the engine was stopped while container {spec.name} was running")


def _remove(engine: Engine, container: str) -> str:
    for _ in range(2):
        try:
            with engine.errors(f"removing container {container[:12]}"):
                engine.api.remove_container(container, v=True, force=True)
            return ""
        except EngineError as error:
            if "no such container" in str(error).lower():
                return ""
            leftover = str(error)
    return leftover
