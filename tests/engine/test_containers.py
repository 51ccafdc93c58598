"""One container, from create to removal; each test is named after the fault that it guards against."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from engine_bench import Bench

from benchrouter.engine.container_spec import Limits, Mount
from benchrouter.engine.containers import run_container
from benchrouter.engine.errors import EngineError, ImageMissing
from benchrouter.engine.probe import check_paths


def test_exit_status_and_streams_are_apart(on_engine: Bench) -> None:
    ended = on_engine.shell("echo out; echo err >&2; exit 3")
    assert ended.code == 3
    assert bytes(on_engine.heard.stdout) == b"out\n"
    assert bytes(on_engine.heard.stderr) == b"err\n"
    assert ended.image_id.startswith("sha256:")
    assert 0 < ended.started_at <= ended.finished_at
    assert not ended.leftover


def test_a_task_that_ignores_term_never_touches_its_marker(on_engine: Bench, tmp_path: Path) -> None:
    mount = Mount(str(tmp_path), "/out", read_only=False)
    began = time.monotonic()
    ended = on_engine.shell(
        "trap '' TERM; echo before; sleep 3; touch /out/marker", timeout=0.5, mounts=(mount,)
    )
    assert ended.timed_out
    assert time.monotonic() - began < 0.5 + 1.0 + 5.0
    assert bytes(on_engine.heard.stdout) == b"before\n"
    time.sleep(3)
    assert not (tmp_path / "marker").exists()


def test_a_background_process_that_holds_stdout_delays_nothing(on_engine: Bench) -> None:
    began = time.monotonic()
    assert on_engine.shell("sleep 1000 & echo done").code == 0
    assert time.monotonic() - began < 10
    assert bytes(on_engine.heard.stdout) == b"done\n"


def test_closed_streams_are_not_the_end(on_engine: Bench) -> None:
    assert on_engine.shell("exec >&- 2>&-; sleep 1; exit 4").code == 4


def test_a_flood_of_output_does_not_hold_up_the_kill(on_engine: Bench) -> None:
    began = time.monotonic()

    def slow(_: str, __: bytes) -> None:
        time.sleep(0.0005)

    ended = on_engine.shell("trap '' TERM; exec yes", timeout=1.0, on_output=slow)
    assert ended.timed_out
    assert time.monotonic() - began < 15


def test_cancellation_ends_soon_and_is_told_apart(on_engine: Bench) -> None:
    cancelled = threading.Event()
    threading.Timer(0.5, cancelled.set).start()
    ended = on_engine.shell("trap '' TERM; sleep 1000", cancelled=cancelled, stop_grace=60.0)
    assert ended.cancelled
    assert not ended.timed_out


def test_cancelled_before_the_start_creates_nothing(on_engine: Bench) -> None:
    cancelled = threading.Event()
    cancelled.set()
    assert on_engine.shell("true", cancelled=cancelled).code is None


def test_the_watcher_stops_the_container(on_engine: Bench) -> None:
    ended = on_engine.shell("sleep 1000", watch=lambda: "too much output")
    assert ended.stopped_because == "too much output"


def test_memory_limit_ends_as_oom(on_engine: Bench) -> None:
    limits = Limits(memory=64 << 20)
    ended = on_engine.shell("exec python3 -c 'bytearray(300 << 20)'", limits=limits)
    assert ended.oom_killed
    assert ended.code == 137


def test_limits_are_applied(on_engine: Bench) -> None:
    limits = Limits(memory=64 << 20, cpus=0.5, pids=100, shm_size=1 << 20)
    seen: dict[str, object] = {}

    def look(container: str) -> None:
        seen.update(on_engine.engine.api.inspect_container(container)["HostConfig"])

    spec = on_engine.spec("true", limits=limits)
    run_container(
        on_engine.engine,
        spec,
        timeout=60,
        on_output=on_engine.heard,
        cancelled=threading.Event(),
        on_created=look,
    )
    wanted = {
        "Memory": 64 << 20,
        "MemorySwap": 64 << 20,
        "NanoCpus": 500_000_000,
        "PidsLimit": 100,
        "ShmSize": 1 << 20,
        "NetworkMode": "none",
    }
    assert {name: seen[name] for name in wanted} == wanted


def test_values_arrive_byte_for_byte(on_engine: Bench) -> None:
    values = {"A": "q'\"$x ${y} `z`", "B": "two\nlines", "C": "a=b", "D": "ünï", "E": ""}
    on_engine.shell('for n in A B C D E; do eval "printf %s\\\\| \\"\\$$n\\""; done', environment=values)
    assert on_engine.heard.stdout.decode() == "".join(f"{value}|" for value in values.values())


def test_a_command_that_the_image_lacks_is_127_with_the_engines_words(on_engine: Bench) -> None:
    ended = on_engine.shell("true", entrypoint=("/no/such/shell",))
    assert ended.code == 127
    assert b"no/such/shell" in on_engine.heard.stderr


def test_an_image_that_is_gone_is_image_missing(on_engine: Bench) -> None:
    with pytest.raises(ImageMissing):
        on_engine.shell("true", image="benchrouter/none:1")


def test_a_secret_is_in_no_error(on_engine: Bench) -> None:
    with pytest.raises(EngineError) as caught:
        on_engine.shell("true", secrets={"K": "c4nary-value"}, workdir="relative/c4nary-value")
    assert "c4nary" not in str(caught.value)


def test_paths_of_this_machine_are_seen_and_foreign_ones_are_an_error(
    on_engine: Bench, tmp_path: Path
) -> None:
    place = tmp_path / "it's \"here\" ü"
    place.mkdir()
    (place / "probe").write_bytes(b"seen")
    checked: list[str] = []

    def check(container: str) -> None:
        check_paths(on_engine.engine, container, "/out/probe", b"seen", str(place))
        with pytest.raises(EngineError, match="does not see the files"):
            check_paths(on_engine.engine, container, "/out/other", b"seen", str(place))
        checked.append(container)

    run_container(
        on_engine.engine,
        on_engine.spec("true", mounts=(Mount(str(place), "/out"),)),
        timeout=60,
        on_output=on_engine.heard,
        cancelled=threading.Event(),
        on_created=check,
    )
    assert checked


def test_an_error_in_our_own_code_removes_the_container(on_engine: Bench) -> None:
    def fail(_: str, __: bytes) -> None:
        raise OSError("our disk is full")

    with pytest.raises(OSError, match="disk is full"):
        on_engine.shell("echo x; sleep 1000", on_output=fail)
    assert on_engine.containers() == []
