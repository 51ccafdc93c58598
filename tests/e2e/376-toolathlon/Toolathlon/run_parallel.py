"""Toolathlon's command, containers and result tree; an agent that failed leaves `pass: false`, as a wrong one does."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

parser = argparse.ArgumentParser()
for name in ("tasks_folder", "model_short_name", "provider", "maxstep"):
    parser.add_argument(f"--{name}", required=True)
for name in ("tag", "dump_path", "task_list", "eval_config", "image_name"):
    parser.add_argument(f"--{name}")
parser.add_argument("--workers", type=int, default=100)
parser.add_argument("--timeout", type=int, default=1800)
args = parser.parse_args()
config = json.loads(Path(args.eval_config).read_text())
assert config["agent"]["model"] == {"short_name": args.model_short_name, "provider": "unified"}
assert config["global_task_config"]["max_steps_under_single_turn_mode"] == int(args.maxstep) == 100
wanted = Path(args.task_list).read_text().split()
tasks = [task for task in sorted(os.listdir(f"tasks/{args.tasks_folder}")) if task in wanted]
if not tasks:
    print("No tasks found!")
    sys.exit()
for task in tasks:
    place = Path(args.dump_path, args.tasks_folder, task)
    place.mkdir(parents=True)
    named = [part for name in ("BASE_URL", "API_KEY") for part in ("-e", f"TOOLATHLON_OPENAI_{name}")]
    words = ["docker", "run", "--rm", "--network", "host", *named, "-v", f"{place}:/workspace/dumps"]
    command = ["python3", "/workspace/agent.py", task, args.model_short_name]
    with open(place / "run.log", "w") as log:
        subprocess.run([*words, args.image_name, *command], check=False, stdout=log, stderr=log)
