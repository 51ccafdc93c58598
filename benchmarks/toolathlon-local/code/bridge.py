"""Run Toolathlon's tasks, each in a container of the task's own daemon, and read the verdicts that they left."""

import json
import os
import subprocess
import sys
from pathlib import Path

from configuration import configuration
from verdicts import verdict

from benchrouter.sdk import select, write_items

REPO, DUMP, FOLDER = Path(os.environ["TOOLATHLON_REPO_DIR"]), Path("/tmp/toolathlon"), "finalpool"
OUTPUT = Path(os.environ["BENCHROUTER_OUTPUT_DIR"])


def main():
    for name in ("BENCHROUTER_MODEL_ENDPOINT", "BENCHROUTER_MODEL_NAME"):
        if not os.environ.get(name):
            sys.exit(f"{name} is not set: there is no model to ask")
    if not (REPO / "run_parallel.py").is_file():
        sys.exit(f"the tree supplied as Toolathlon is not that of `doit plan`: there is no run_parallel.py in {REPO}")
    tasks = select(listed(Path(os.environ["TOOLATHLON_TASK_LIST"])))
    missing = [task for task in tasks if not (REPO / "tasks" / FOLDER / task).is_dir()]
    if missing:
        sys.exit(f"Toolathlon has no task {missing[0]} in {REPO / 'tasks' / FOLDER}")
    status = run(tasks)
    try:
        write_items([{"id": task, **verdict(DUMP / FOLDER / task, status)} for task in tasks])
    finally:
        (OUTPUT / "result.json").rename(OUTPUT / "toolathlon_result.json")


def listed(path):
    try:
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    except OSError as error:
        sys.exit(f"TOOLATHLON_TASK_LIST: {error}")
    return [line for line in dict.fromkeys(lines) if line and not line.startswith("#")]


def run(tasks):
    """Have all tasks run; the exit status says nothing of them."""
    DUMP.mkdir(parents=True)
    (DUMP / "tasks.txt").write_text("".join(f"{task}\n" for task in tasks))
    model, steps = os.environ["BENCHROUTER_MODEL_NAME"], os.environ["TOOLATHLON_MAX_STEP"]
    provider, image = os.environ["TOOLATHLON_PROVIDER"], os.environ["TOOLATHLON_IMAGE_NAME"]
    # The tasks' containers get the upstream's files, not ours: its configuration has to lie among them.
    place = REPO / "scripts" / "temp_configs" / "benchrouter.json"
    place.parent.mkdir(exist_ok=True)
    place.write_text(json.dumps(configuration(model, provider, int(steps))))
    words = ["--tasks_folder", FOLDER, "--tag", "full", "--model_short_name", model, "--provider", provider]
    words += ["--maxstep", steps, "--workers", os.environ["TOOLATHLON_WORKERS"]]
    words += ["--timeout", os.environ["TOOLATHLON_TIMEOUT"], "--dump_path", str(DUMP), "--image_name", image]
    words += ["--eval_config", str(place.relative_to(REPO)), "--task_list", str(DUMP / "tasks.txt")]
    named = {"BASE_URL": os.environ["BENCHROUTER_MODEL_ENDPOINT"], "API_KEY": os.environ["OPENAI_API_KEY"]}
    environment = {**os.environ, **{f"TOOLATHLON_OPENAI_{name}": value for name, value in named.items()}}
    return subprocess.run(["uv", "run", "run_parallel.py", *words], check=False, cwd=REPO, env=environment).returncode


if __name__ == "__main__":
    main()
