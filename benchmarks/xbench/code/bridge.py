"""Run xbench-evals on a selection of its encrypted rows; take scores from its results, and none of their texts."""

import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchrouter.sdk import select, whole, write_items

UPSTREAM = Path("/opt/xbench-evals")
HERE = Path(__file__).parent
JUDGE = "the judge gave no verdict that xbench-evals can read"


def main():
    if os.environ.get("XBENCH_LIMIT"):
        os.environ.setdefault("BENCH_LIMIT", os.environ["XBENCH_LIMIT"])
    if os.environ.get("BENCHROUTER_MODEL_PARAMETERS"):
        print("xbench-evals sends no parameters; those declared for the model are not used", file=sys.stderr)
    for name in ("xbench_evals.py", "language_models.py", "eval_grader.py"):
        if not (UPSTREAM / name).is_file():
            sys.exit(f"the tree supplied as xbench-evals is not that of README.md: it has no {name}")
    path, repeats = UPSTREAM / os.environ["XBENCH_DATASET"], whole("XBENCH_N_REPEATS", 5)
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = select(csv.DictReader(file), id=lambda row: row["id"])
    except (OSError, KeyError, ValueError) as error:
        sys.exit(f"{path}: no data set of xbench ({error!r})")
    with tempfile.TemporaryDirectory() as scratch:  # what the upstream writes holds questions and answers in plain text
        found = evaluate(rows, repeats, Path(scratch))
        judge = "endpoint: the judge failed" if Path(scratch, "judge-failed").exists() else JUDGE
    items = [record(row["id"], found.get(row["id"]), repeats, judge) for row in rows]
    write_items(items, repeats=repeats, judge=os.environ.get("XBENCH_JUDGE_MODEL") or "the model itself")


def evaluate(rows, repeats, scratch):
    """Run the upstream's command in a directory of its own; give its results by id."""
    with (scratch / "chosen.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    words = ["--model", "benchrouter", "--dataset", "chosen.csv", "--n-repeats", str(repeats)]
    ended = subprocess.run([sys.executable, HERE / "start.py", *words], cwd=scratch, check=False).returncode
    if ended != 0:
        print(f"xbench_evals.py ended with {ended}", file=sys.stderr)
        sys.exit(75 if ended == 75 else 1)
    try:
        with (scratch / "benchrouter_results.csv").open(newline="", encoding="utf-8") as file:
            return {row["id"]: row for row in csv.DictReader(file)}
    except OSError:
        sys.exit("xbench_evals.py ended with 0 and wrote no results")


def record(name, result, repeats, judge):
    """Average the repeats that were judged: the upstream scores a failed request, and a failed judge, as 0."""
    if result is None:
        return {"id": name, "error": "not in the results of xbench-evals"}
    scores, failed, cut = [], set(), 0
    for number in range(1, repeats + 1):
        cut += bool(result[f"exceed-length-{number}"] or result[f"content-filter-{number}"])
        if result[f"error-{number}"] == "Y":
            failed.add("endpoint: the request for an answer failed")
        elif result[f"score-reason-{number}"] == "Judge Response error":
            failed.add(judge)
        else:
            scores.append(float(result[f"score-{number}"]))
    if not scores:
        return {"id": name, "error": min(failed)}
    return {"id": name, "score": sum(scores) / len(scores), "repeats_judged": len(scores), "cut_off": cut}


if __name__ == "__main__":
    main()
