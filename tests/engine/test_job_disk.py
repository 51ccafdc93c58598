"""Jobs on a disk that runs full, and under a low limit of open files."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from job_bench import LIMITS, MIB, JobBench

from benchrouter.engine.client import Engine
from benchrouter.spec.settings import Site
from benchrouter.store.states import Reason

pytestmark = pytest.mark.engine
GOOD = """echo '{"overall": 0.5}' > /app/results/result.json"""


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of 24 MiB."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(tmp_path)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("needs the right to mount")
    yield tmp_path
    subprocess.run(["umount", str(tmp_path)], check=True)


@pytest.fixture
def bench(real_engine: Engine, base_image: str, small: Path) -> JobBench:
    return JobBench(real_engine, small, base_image, Site(limits=LIMITS))


def test_task_that_fills_the_disk_fails_for_the_disk(bench: JobBench) -> None:
    outcome = bench.run("set -e; echo begun; head -c 100M /dev/zero > /app/results/big; " + GOOD)
    assert outcome.reason is Reason.DISK, outcome
    assert "begun" in outcome.log_tail
    assert any("begun" in log.read_text() for log in Path(outcome.path, "logs").iterdir())
    assert bench.run(GOOD).completed


def test_output_that_fits_only_once_fails_for_the_disk_and_leaves_room(bench: JobBench) -> None:
    outcome = bench.run("head -c 15M /dev/zero > /app/results/big; " + GOOD)
    assert outcome.reason is Reason.DISK, outcome
    assert bench.run(GOOD).completed


def test_log_that_fills_the_disk_stops_the_job(bench: JobBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchrouter.jobs.contract.GRACE", 0.5)
    site = Site(limits=replace(LIMITS, log_bytes=100 * MIB))
    chatty = JobBench(bench.engine, bench.root, bench.image, site)
    began = time.monotonic()
    outcome = chatty.run("exec yes 'a line that is repeated'")
    assert outcome.reason is Reason.DISK, outcome
    assert time.monotonic() - began < 30
    assert bench.run(GOOD, name="t2").completed


def test_full_disk_before_the_start_is_an_outcome(bench: JobBench) -> None:
    with open(bench.root / "filler", "wb") as file:
        try:
            while True:
                file.write(b"x" * 65536)
                file.flush()
        except OSError:
            pass
    outcome = bench.run(GOOD)
    assert outcome.reason is Reason.DISK, outcome
