"""Ask and grade BrowseComp with simple-evals' own BrowseCompEval, one row at a time; keep no text of the data set."""

import copy
import csv
import hashlib
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import samplers

from benchrouter.sdk import EndpointError, select, write_items

DATA = Path("/data/browsecomp/browse_comp_test_set.csv")
READ = os.environ.get("BROWSECOMP_READ_VERDICT") == "1"
BUG = """simple-evals compares the whole match of its grader ("correct: yes") with "yes", so that every answer scores 0
(https://github.com/openai/simple-evals/pull/93). That is no score, and is not published. BROWSECOMP_READ_VERDICT=1
takes what the same grader said as the score; it counts for the job's key and is noted in the result."""


def judge(evaluation, row):
    name, evaluation = hashlib.sha256(row["problem"].encode()).hexdigest()[:16], copy.copy(evaluation)
    model, grader = samplers.model(), samplers.grader()
    evaluation.examples, evaluation.grader_model = [row], grader
    try:
        metrics = evaluation(model).metrics
    except EndpointError as error:
        return {"id": name, "error": str(error)}
    verdict = re.search("correct: (yes|no)", grader.client.last)
    if verdict is None:  # simple-evals takes that for a no
        return {"id": name, "error": "the grader gave no verdict"}
    if not READ and metrics["is_correct"] + metrics["is_incorrect"] == 0:
        sys.exit(BUG)
    usage = model.client.usage
    tokens = {"tokens": {"prompt": usage.prompt_tokens, "completion": usage.completion_tokens}} if usage else {}
    return {"id": name, "score": int(verdict[1] == "yes" if READ else metrics["is_correct"]), **tokens}


def main():
    # The upstream's way to run an example in the thread that asks for it.
    os.environ["debug"] = "1"  # noqa: SIM112
    from simple_evals.browsecomp_eval import BrowseCompEval

    if os.environ.get("BROWSECOMP_LIMIT"):
        os.environ.setdefault("BENCH_LIMIT", os.environ["BROWSECOMP_LIMIT"])
    try:
        with DATA.open(newline="", encoding="utf-8") as file:
            rows = [{name: row[name] for name in ("problem", "answer", "canary")} for row in csv.DictReader(file)]
    except (OSError, KeyError, ValueError) as error:
        sys.exit(f"{DATA}: no data set of BrowseComp ({error!r})")
    evaluation = object.__new__(BrowseCompEval)  # its constructor downloads the data set, and does nothing else
    chosen = select(rows, id=lambda row: row["problem"])
    # A few first, one by one: neither an endpoint that is down nor the grader's bug needs 1266 questions to show.
    items = [judge(evaluation, row) for row in chosen[:3]]
    if any("score" in item for item in items):
        with ThreadPoolExecutor(int(os.environ["BROWSECOMP_WORKERS"])) as pool:
            items += pool.map(lambda row: judge(evaluation, row), chosen[3:])
    write_items(items, verdict_read_by="bridge" if READ else "simple-evals")


if __name__ == "__main__":
    main()
