"""Run the tasks of WebArena in its shop's administration, one a time, with the upstream's agent and evaluators."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import shop
import tree

from benchrouter.sdk import EndpointError, each, select, write_items

UPSTREAM, WORK = Path("/opt/webarena-src"), Path("/tmp/webarena")
# The upstream asks for the address of every site; nothing is there.
OTHERS = {"SHOPPING": 7770, "REDDIT": 9999, "GITLAB": 8023, "WIKIPEDIA": 8888, "MAP": 3000, "HOMEPAGE": 4399}
# Which of the last lines of a log is the reason why there is no verdict.
REASON = re.compile(r"\[(?:OpenAI|Unhandled) Error\] .*|^\w[\w.]*(?:Error|Exception|Timeout)\b.*", re.MULTILINE)
OF_THE_ENDPOINT = re.compile(r"\[OpenAI Error\]|openai\.|RateLimit|APIConnection|Maximum number of retries")


def main():
    for name in ("BENCHROUTER_MODEL_ENDPOINT", "BENCHROUTER_MODEL_NAME"):
        if not os.environ.get(name):
            sys.exit(f"{name} is not set: there is no model to ask")
    if os.environ.get("WEBARENA_TASK_LIMIT"):
        os.environ.setdefault("BENCH_LIMIT", os.environ["WEBARENA_TASK_LIMIT"])
    tree.check(UPSTREAM)
    # Tasks leave traces in the shop that they share: those that are selected keep the upstream's order.
    chosen = sorted(select(asked(ids())))
    shop.start()
    sites = {name: f"http://localhost:{port}" for name, port in OTHERS.items()}
    endpoint = dict.fromkeys(("OPENAI_API_BASE", "OPENAI_BASE_URL"), os.environ["BENCHROUTER_MODEL_ENDPOINT"])
    among = {"cwd": UPSTREAM, "env": {**sites, **os.environ, **endpoint}}
    subprocess.run([sys.executable, "scripts/generate_test_data.py"], check=True, **among)
    write_items(each(chosen, lambda number: attempt(number, among), workers=1))


def ids():
    """List the tasks that need the shop's administration and no other site, by their place in the upstream's file."""
    listed = json.loads((UPSTREAM / "config_files" / "test.raw.json").read_text(encoding="utf-8"))
    return [number for number, task in enumerate(listed) if task["sites"] == ["shopping_admin"]]


def asked(known):
    wanted = [part.strip() for part in os.environ.get("WEBARENA_TASK_IDS", "").split(",") if part.strip()]
    unknown = [part for part in wanted if part not in map(str, known)]
    if unknown or not known:
        sys.exit(f"{unknown[0] if unknown else 'no task'}: tasks of the shop's administration are {known}")
    return [number for number in known if not wanted or str(number) in wanted]


def attempt(number, among):
    """Have the upstream run one task; only its own word on this task is a verdict."""
    shutil.rmtree(WORK, ignore_errors=True)  # it leaves out tasks that it finds results of
    words = ["--instruction_path", os.environ["WEBARENA_INSTRUCTION"], "--test_start_idx", str(number)]
    words += ["--test_end_idx", str(number + 1), "--model", os.environ["BENCHROUTER_MODEL_NAME"]]
    words += ["--max_steps", os.environ["WEBARENA_MAX_STEPS"], "--result_dir", str(WORK)]
    seconds = int(os.environ["WEBARENA_TASK_TIMEOUT"])
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
    limited = ["timeout", "--kill-after", "10", str(seconds), sys.executable, "run.py", *words]
    done = subprocess.run(limited, check=False, **streams, **among)
    print(done.stdout, flush=True)
    found = re.findall(rf"\[Result\] \((PASS|FAIL)\) \S*?(?<!\d){number}\.json", done.stdout)
    if len(found) == 1:
        return {"score": int(found[0] == "PASS")}
    if done.returncode in (124, 137):
        return {"error": f"no verdict within {seconds} s"}
    said = REASON.findall(done.stdout)
    reason = said[0] if said else f"run.py ended with {done.returncode}"
    if OF_THE_ENDPOINT.search(reason):
        raise EndpointError(reason[:500])
    return {"error": f"no verdict: {reason[:500]}"}


if __name__ == "__main__":
    main()
