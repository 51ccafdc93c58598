"""Nothing to do: our run against plain doit on the same shape, in two levels."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from benchrouter.make.perf.seed import MODEL, finish_all_jobs, write_workspace

DOIT = Path(sys.executable).with_name("doit")
PLAIN = '''
import os
from pathlib import Path

ROOT = Path(__file__).parent / "benchmarks"
SHAPE = {{f"s{{b:03}}": [f"t{{t:03}}" for t in range({tasks})] for b in range({benchmarks})}}
FILES = ("task.yaml", "run.sh", "prompt.txt", "cases.json", "notes.md")

def touch(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("done")

def task_job():
    for b, tasks in SHAPE.items():
        for t in tasks:
            target = Path("out") / b / t
            yield {{"name": f"{{b}}/{{t}}", "actions": [(touch, [target])], "targets": [str(target)],
                   "file_dep": [str(ROOT / b / t / f) for f in FILES]}}

def task_aggregate():
    for b, tasks in SHAPE.items():
        target = Path("out") / (b + ".json")
        yield {{"name": b, "actions": [(touch, [target])], "targets": [str(target)],
               "file_dep": [str(Path("out") / b / t) for t in tasks]}}

def task_root():
    return {{"actions": None, "task_dep": ["aggregate"]}}

DOIT_CONFIG = {{"default_tasks": ["root"], "verbosity": 0}}
'''


def prepare(root: Path, benchmarks: int, tasks: int) -> None:
    """Write the workspace, finish all jobs, and build plain doit's side of it once."""
    write_workspace(root, benchmarks, tasks)
    finish_all_jobs(root)
    (root / "plain.py").write_text(PLAIN.format(benchmarks=benchmarks, tasks=tasks))
    _wait_until_not_racy()
    ours(root)
    plain(root)


def _wait_until_not_racy() -> None:
    # A stat cache does not trust what changed within the last two seconds.
    time.sleep(2.5)


def ours(root: Path) -> tuple[float, int]:
    """Run our nothing-to-do once: seconds, and the highest memory of the process in bytes."""
    return _timed([str(DOIT), "run", f"model={MODEL}"], root)


def plain(root: Path) -> tuple[float, int]:
    """Run plain doit's nothing-to-do once."""
    return _timed([sys.executable, "-m", "doit", "-f", "plain.py", "--db-file", "plain.db"], root, config=False)


def _timed(command: list[str], root: Path, *, config: bool = True) -> tuple[float, int]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("BENCHROUTER_")}
    hidden = root / "doit.cfg"
    aside = root / "doit.cfg.aside"
    if not config:
        hidden.rename(aside)
    try:
        began = time.perf_counter()
        process = subprocess.Popen(command, cwd=root, env=environ, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        seconds = time.perf_counter() - began
    finally:
        if not config:
            aside.rename(hidden)
    if status:
        raise RuntimeError(f"{' '.join(command)} ended with {status}")
    return seconds, usage.ru_maxrss * 1024
