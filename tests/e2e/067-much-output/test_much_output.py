"""Jobs that print 20 MB each: our memory stays flat, logs are capped, their head and tail are kept.

`doit soak` sets BENCHROUTER_SOAK; then it is 200 jobs.
"""

from __future__ import annotations

import os
import time

import psutil
import pytest
from project import SCORE, Project
from stand_in import Follower

SOAK = int(os.environ.get("BENCHROUTER_SOAK") or 0) > 1
JOBS = 200 if SOAK else 12
MIB = 1 << 20
LOG_BYTES = 10 * MIB
SCRIPT = f"""
echo "the first line"; echo "the first complaint" >&2
yes 'a line of the log, sixty-four bytes with its end, again and aga' | head -c {16 * MIB}
yes 'a complaint, which is sixty-four bytes long, again and again an' | head -c {4 * MIB} >&2
yes 'a line of the log, sixty-four bytes with its end, again and aga' | head -c {4 * MIB}
echo "the last complaint" >&2; echo "the last line"
{SCORE % 0.5}
"""


@pytest.mark.soak
def test_memory_stays_flat_and_head_and_tail_are_kept(project: Project) -> None:
    """Sample the memory of the command while it runs; it may not grow with what the jobs print."""
    project.benchmark("b", {f"t{i:03}": SCRIPT for i in range(JOBS)})
    project.run("tasks=t000")  # builds the image
    follower = Follower(project.start("run", "model=m", "preflight=0"))
    process = psutil.Process(follower.process.pid)
    samples: list[tuple[int, int]] = []
    while follower.process.poll() is None:
        try:
            ended = len(project.artifacts("b"))
            samples.append((ended, process.memory_info().rss))
        except (psutil.NoSuchProcess, FileNotFoundError):
            continue
        time.sleep(0.1)
    done = follower.end()
    assert done.status == 0, done.text

    early = max(rss for ended, rss in samples if ended <= JOBS // 3)
    late = max(rss for ended, rss in samples if ended > JOBS // 3)
    assert max(early, late) < 150 * MIB, samples
    assert late < early + 16 * MIB, f"memory grew from {early >> 20} to {late >> 20} MiB"

    assert len(project.artifacts("b")) == JOBS
    assert project.aggregate("b")["coverage"] == {"completed": JOBS, "declared": JOBS}
    for artifact in project.artifacts("b"):
        log = (artifact / "logs/stdout.log").read_bytes()
        assert log.startswith(b"the first line\na line of the log") and log.endswith(b"again and aga\nthe last line\n")
        assert LOG_BYTES - 4096 < len(log) < LOG_BYTES + 200
        assert log.count(b"bytes of this log were dropped here]\n") == 1
        complaints = (artifact / "logs/stderr.log").read_bytes()
        assert complaints.startswith(b"the first complaint\n") and complaints.endswith(b"\nthe last complaint\n")
        assert len(complaints) == 4 * MIB + len("the first complaint\nthe last complaint\n")


def test_a_file_of_holes_takes_no_room_in_results(project: Project) -> None:
    """It took none in the container either, so nothing stopped the task; 1.6 GB of zeros were published."""
    script = f'truncate -s {3 << 29} "$BENCHROUTER_OUTPUT_DIR/holes"; echo end >>"$BENCHROUTER_OUTPUT_DIR/holes"'
    project.benchmark("b", {"t": f"{SCORE % 0.5}; {script}"})
    project.run()
    (artifact,) = project.artifacts("b")
    kept = (artifact / "output/holes").stat()
    assert kept.st_size == (3 << 29) + 4 and kept.st_blocks * 512 < MIB
