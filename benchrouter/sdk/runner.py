"""Run the task's command and check its result: `python -m benchrouter.sdk.runner`.

Reads BENCHROUTER_TASK, JSON with `command`, `result_file` and `result_key`. Ends with the command's own
status when that is not 0 (128 + n for signal n), with 66 when there is no result, 65 when it holds no valid
score, 75 when it says that the endpoint failed, 78 when the runner was started wrongly, else 0.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchrouter.sdk.result import ResultError, check_result

WRONG_START = 78
_MARK = "BENCHROUTER_SDK_RUNNER"


def main() -> int:
    """Run the task that the environment describes; return the exit status."""
    if os.environ.get(_MARK):
        return _say(WRONG_START, "the task's command starts the runner again; let it start the evaluation")
    try:
        task = json.loads(os.environ["BENCHROUTER_TASK"])
        command = str(task["command"])
        result_file = str(task.get("result_file") or "result.json")
        key = str(task.get("result_key") or "overall")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return _say(WRONG_START, f"BENCHROUTER_TASK holds no task ({error!r}); BenchRouter sets it")
    result = Path(os.environ.get("BENCHROUTER_OUTPUT_DIR", "/app/results"), result_file)
    if result.is_file() or result.is_symlink():
        result.unlink()  # only what this run writes counts
    status = _run(command)
    if status != 0:
        return _say(status, f"the command ended with status {status}")
    return _verdict(result, key)


def _run(command: str) -> int:
    directory = os.environ.get("BENCHROUTER_BENCHMARK_DIR", "/app/benchmark")
    environment = dict(os.environ, **{_MARK: "1"})
    children: list[subprocess.Popen[bytes]] = []
    early: list[int] = []

    def pass_on(number: int, _: Any) -> None:
        if not children:  # the command may run already, before Popen has returned
            early.append(number)
        for child in children:
            child.send_signal(number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, pass_on)
    children.append(subprocess.Popen(["/bin/sh", "-c", command], cwd=directory, env=environment))
    for missed in early:
        children[0].send_signal(missed)
    status = children[0].wait()
    return 128 - status if status < 0 else status


def _verdict(result: Path, key: str) -> int:
    try:
        overall, raw = check_result(result, key)
    except ResultError as error:
        return _say(error.status, str(error))
    if raw.get("error"):
        _say(0, "warning: `error` beside the score")
    print(f"benchrouter: overall {overall!r}")
    return 0


def _say(status: int, message: str) -> int:
    print(f"benchrouter: {message}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
