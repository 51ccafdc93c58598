"""Have patches made for a shard's instances, and judged by the upstream's harness: bridge.py SHARD."""

import json
import os
import subprocess
import sys
from pathlib import Path

import agent
from deadline import deadline

from benchrouter.sdk import each, select, tokens_of, whole, write_items

INSTANCES, HARNESS = Path("/opt/swe-bench-pro/instances.jsonl"), Path("/opt/SWE-bench_Pro-os")
WORK, USER, PREFIX = Path("/tmp/swe-bench-pro"), "jefzda", "benchrouter"


def main(shard):
    for name in ("swe_bench_pro_eval.py", "run_scripts"):  # before the model works for hours
        if not (HARNESS / name).exists():
            sys.exit(f"the tree supplied as SWE-bench_Pro-os is not that of README.md: it has no {name}")
    try:
        rows = [json.loads(line) for line in INSTANCES.read_text(encoding="utf-8").splitlines()]
        rows = select([row for row in rows if row["shard"] == shard], id=lambda row: row["instance_id"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"instances.jsonl is not what code/generate.py writes ({error!r})")
    if not rows:
        sys.exit(f"shard {shard} has no instances: `python3 code/generate.py FILE` writes them from the data set")
    made = each(rows, attempt, id=lambda row: row["instance_id"], workers=whole("SWE_BENCH_PRO_WORKERS", 4))
    patches = [{"instance_id": one["id"], "patch": one["patch"], "prefix": PREFIX} for one in made if "patch" in one]
    judged = judge(rows, patches) if patches else {}
    Path(os.environ["BENCHROUTER_OUTPUT_DIR"], "patches.json").write_text(json.dumps(patches, indent=1))
    for one in made:
        if one.pop("patch", None) is not None:
            one.update(judged[one["id"]])
    write_items(made)


def attempt(row):
    image = f"{USER}/sweap-images:{row['dockerhub_tag']}"
    if image not in os.environ.get("BENCHROUTER_DIND_IMAGES", "").split(","):
        return {"error": f"{image} is not among this shard's docker_images: generate them again"}
    try:
        patch, answers = agent.solve(row, image)
    except (agent.NoContainer, subprocess.SubprocessError) as error:
        return {"error": str(error)}
    return {"patch": patch, **tokens_of(*answers), "turns": len(answers)}


def judge(rows, patches):
    """Run the harness; give each patched instance a score, or an error where its tests came to no report."""
    (WORK / "out").mkdir(parents=True, exist_ok=True)
    (WORK / "samples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (WORK / "patches.json").write_text(json.dumps(patches), encoding="utf-8")
    words = ["--raw_sample_path", WORK / "samples.jsonl", "--patch_path", WORK / "patches.json"]
    words += ["--output_dir", WORK / "out", "--scripts_dir", "run_scripts", "--dockerhub_username", USER]
    words += ["--use_local_docker", "--num_workers", str(whole("SWE_BENCH_PRO_WORKERS", 4))]
    words += ["--block_network"] if os.environ.get("SWE_BENCH_PRO_BLOCK_NETWORK") not in (None, "", "0") else []
    command = ["/opt/harness/bin/python", "swe_bench_pro_eval.py", *words]
    with deadline(whole("SWE_BENCH_PRO_TEST_TIMEOUT", 3600)):
        done = subprocess.run(command, cwd=HARNESS, stdout=subprocess.PIPE, text=True, errors="replace", check=False)
    print(done.stdout, flush=True)
    try:
        resolved = json.loads((WORK / "out" / "eval_results.json").read_text())
    except (OSError, ValueError) as error:
        sys.exit(f"swe_bench_pro_eval.py ended with {done.returncode} and left no results ({error})")
    return {one["instance_id"]: verdict(one["instance_id"], resolved, done.stdout) for one in patches}


def verdict(name, resolved, said):
    """Score an instance only where its tests were run to a report: the harness takes any failure for `not resolved`."""
    if name in resolved and (WORK / "out" / name / f"{PREFIX}_output.json").is_file():
        return {"score": int(bool(resolved[name]))}
    lines = [line for line in said.splitlines() if name in line and not line.startswith(("Running", "Using"))]
    return {"error": f"the harness ran no tests to a report: {'; '.join(lines) or 'it says nothing of it'}"[:500]}


if __name__ == "__main__":
    main(int(sys.argv[1]))
