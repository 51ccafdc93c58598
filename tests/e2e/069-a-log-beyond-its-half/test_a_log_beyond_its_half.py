"""A log that has grown beyond half its cap is followed all the same, while its job runs."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

from project import Project, wait_until
from stand_in import Follower

BENCHROUTER = (sys.executable, "-m", "benchrouter")
SCRIPT = """
i=0; while [ $i -lt 3000 ]; do echo "line $i"; i=$((i+1)); done
sleep 3
echo "said at last"; sleep 600
"""


def test_follow_keeps_up_with_a_log_beyond_its_half(project: Project) -> None:
    """It stood still there until the job had ended."""
    project.write("benchrouter.yaml", "site:\n  limits: {log_bytes: 4096}\n")
    project.benchmark("b", {"t": SCRIPT})
    run = Follower(project.start("run", "model=m", "preflight=0"))
    run.until("job:b/t@m started")
    wait_until(lambda: any(project.root.glob("cache/attempts/*/*/staging/logs/stdout.log")), 60)
    with subprocess.Popen(
        [*BENCHROUTER, "logs", "b/t", "--follow"],
        cwd=project.root, env=project.full_environment(), stdout=subprocess.PIPE, text=True,
    ) as follow:  # fmt: skip
        assert follow.stdout is not None
        too_late = threading.Timer(60, run.process.send_signal, (signal.SIGINT,))  # then it does not keep up
        too_late.start()
        try:
            seen = []
            for line in follow.stdout:
                seen.append(line.rstrip("\n"))
                if seen[-1] == "said at last":
                    break
            assert seen[-1] == "said at last" and run.process.poll() is None
            assert "line 0" in seen and "line 2999" in seen
            assert all(line.startswith(("line ", "said", "==>", "[benchrouter: ")) or not line for line in seen)
        finally:
            too_late.cancel()
            run.process.send_signal(signal.SIGINT)
        assert "said at last" not in follow.stdout.read()
    assert run.end().status == 130 and follow.returncode == 0
    (attempt,) = project.failures("b")
    assert (attempt / "logs/stdout.log").read_text().endswith("said at last\n")
