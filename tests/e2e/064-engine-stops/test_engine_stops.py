"""An engine that goes away in mid-run: its jobs end `engine`, no score is invented, the next run finishes."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest
from engines import SmallEngine
from project import SCORE, Project
from stand_in import Follower
from verdicts import document, last_failure

pytestmark = pytest.mark.own_engine
SETTINGS = "site: {limits: {free_disk: 32M, engine_patience: 3}}\n"
SLOW = f"""
echo begun; echo part >"$BENCHROUTER_OUTPUT_DIR/partial"
%s
[ "$STEP" = second ] || {{ sleep 120 & wait; }}
{SCORE % 0.25}
"""


def write_tasks(project: Project) -> dict[str, str]:
    """Write two quick tasks, and slow ones that end in different ways when the engine tells them to."""
    slow = {
        "ends-with-0": SLOW % "trap 'exit 0' TERM",
        "ends-with-1": SLOW % "trap 'exit 1' TERM",
    }
    project.benchmark("b", {"quick-1": SCORE % 0.5, "quick-2": SCORE % 1, **slow}, task_yaml="pass_env: [STEP]\n")
    for task in slow:
        # As process 1 it hears the engine itself.
        project.write(f"benchmarks/b/{task}/task.yaml", f"name: {task}\ncommand: exec sh run.sh\npass_env: [STEP]\n")
    return slow


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_engine_that_stops_in_mid_run(own_engine: SmallEngine, tmp_path: Path, number: signal.Signals) -> None:
    """Stopped in order, it ends its containers; killed, it leaves them running."""
    project = own_engine.workspace(tmp_path / "workspace", SETTINGS)
    slow = write_tasks(project)
    follower = Follower(project.start("run", "model=m", "preflight=0", "-n", "5", env={"STEP": "first"}))
    follower.until("(1/4)")
    follower.until("(2/4)")
    began = time.monotonic()
    while len(list(project.root.glob("cache/attempts/*/*/output/partial"))) < len(slow):
        assert time.monotonic() - began < 30
        time.sleep(0.1)
    own_engine.stop(number)
    done = follower.end()
    assert done.status == 1, done.text
    assert time.monotonic() - began < 60

    states = project.job_states()
    assert states == {
        "b/quick-1": "COMPLETED",
        "b/quick-2": "COMPLETED",
        **{f"b/{task}": "FAILED engine" for task in slow},
    }, done.text
    scored = project.aggregate("b")
    assert (scored["overall"], scored["overall_failures_as_zero"]) == (0.75, 0.75)
    assert scored["coverage"] == {"completed": 2, "declared": 4}
    assert "the engine: " in done.out and "the engine does not come back" in done.out
    for task in slow:
        assert f"job:b/{task}@m: engine: " in done.out, "it is tried again within the run"
        first = project.root / "results/b/m" / task / "failed/1"
        assert (first / "output/partial").read_text() == "part\n"
        assert (first / "logs/stdout.log").read_text() == "begun\n"
        assert "engine" in document(last_failure(project, "b", task) / "job.json")["detail"]

    down = project.run(status=1)
    assert "no engine: " in down.out and project.ran(down) == []
    assert project.aggregate("b")["overall"] == 0.75
    own_engine.start()
    again = project.run(env={"STEP": "second"})
    assert set(project.ran(again)) == {f"b/{task}@m" for task in slow}
    assert project.aggregate("b")["coverage"] == {"completed": 4, "declared": 4}
    assert project.aggregate("b")["overall"] == pytest.approx((0.5 + 1 + 2 * 0.25) / 4)
    assert own_engine.docker("ps", "-aq") == []
