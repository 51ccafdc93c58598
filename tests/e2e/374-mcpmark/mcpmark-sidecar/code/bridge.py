"""Run a suite of MCPMark, one task at a time, and tell its verdicts from what broke: bridge.py SERVICE."""

import difflib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import services
from verdicts import verdict

from benchrouter.sdk import each, select, write_items

UPSTREAM, WORK, EXPERIMENT = Path("/app"), Path("/tmp/mcpmark"), "benchrouter"
SUITE, TIMEOUT = os.environ["MCPMARK_TASK_SUITE"], int(os.environ["MCPMARK_TIMEOUT"])
AROUND = 1800  # seconds on top of the agent's own, for setting up, verifying and cleaning up


def main(service):
    for name in ("BENCHROUTER_MODEL_ENDPOINT", "BENCHROUTER_MODEL_NAME"):
        if not os.environ.get(name):
            sys.exit(f"{name} is not set: there is no model to ask")
    if "," in os.environ["BENCHROUTER_MODEL_NAME"]:
        sys.exit("MCPMark takes a comma in a model's id for two models")
    tasks = select(asked(suite(service), wanted("MCPMARK_TASKS"), wanted("MCPMARK_CATEGORIES")))
    services.start(service)
    write_items(each(tasks, lambda task: attempt(service, task), workers=1), suite=SUITE)


def wanted(name):
    return [part.strip() for part in os.environ.get(name, "").split(",") if part.strip()]


def suite(service):
    """List the suite's tasks as `category/task`, as the upstream finds and names them."""
    root, found = UPSTREAM / "tasks" / service, []
    for task in sorted((root / SUITE).glob("*/*/")):
        if (task / "description.md").is_file() and (task / "verify.py").is_file():
            try:
                meta = json.loads((task / "meta.json").read_text(encoding="utf-8"))
            except (OSError, ValueError):
                meta = {}
            found.append(f"{meta.get('category_id', task.parent.name)}/{meta.get('task_id', task.name)}")
    if not found:
        there = ", ".join(sorted(path.name for path in root.glob("*/"))) or "nothing"
        sys.exit(f"the suite `{SUITE}` of {service} has no tasks; in {root} there is: {there}")
    return found


def asked(tasks, names, categories):
    """Narrow down the tasks; a name that is none ends the script, since the upstream takes it for a part of others."""
    known = {task.partition("/")[0] for task in tasks}
    for name, among in [*((name, tasks) for name in names), *((name, known) for name in categories)]:
        if name not in among:
            near = difflib.get_close_matches(name, among, 1, 0)[0]
            sys.exit(f"no task or category `{name}` in the suite `{SUITE}`; the nearest is `{near}`")
    return [t for t in names or tasks if not categories or t.partition("/")[0] in categories]


def attempt(service, task):
    """Have the upstream run one task; its exit status is 0 whatever happened, so that only what it wrote counts."""
    shutil.rmtree(WORK, ignore_errors=True)
    words = ["--mcp", service, "--task-suite", SUITE, "--tasks", task, "--k", "1", "--exp-name", EXPERIMENT]
    words += ["--models", f"openai/{os.environ['BENCHROUTER_MODEL_NAME']}", "--output-dir", str(WORK)]
    endpoint = dict.fromkeys(("OPENAI_API_BASE", "OPENAI_BASE_URL"), os.environ["BENCHROUTER_MODEL_ENDPOINT"])
    command = [sys.executable, "-m", "pipeline", *words, "--timeout", str(TIMEOUT)]
    among = {"cwd": UPSTREAM, "env": {**os.environ, **endpoint}}
    try:
        done = subprocess.run(command, check=False, timeout=TIMEOUT + AROUND, **among)
    except subprocess.TimeoutExpired:
        return {"error": f"the pipeline did not end in {TIMEOUT + AROUND} s"}
    # A slash in the model's id nests the folders.
    return verdict(task, sorted(WORK.rglob("meta.json")), done.returncode)


if __name__ == "__main__":
    main(sys.argv[1])
