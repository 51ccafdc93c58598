"""Ask and grade BrowseComp with simple-evals' own BrowseCompEval, one row at a time; keep no text of the data set."""

import copy
import csv
import hashlib
import os
import re
import sys
from pathlib import Path

import samplers

from benchrouter.sdk import each, select, whole, write_items

DATA = Path("/data/browsecomp/browse_comp_test_set.csv")
READ = os.environ.get("BROWSECOMP_READ_VERDICT") == "1"
BUG = """simple-evals compares the whole match of its grader ("correct: yes") with "yes", so that every answer scores 0
(https://github.com/openai/simple-evals/pull/93). That is no score, and is not published. BROWSECOMP_READ_VERDICT=1
takes what the same grader said as the score; it counts for the job's key and is noted in the result."""


def judge(evaluation, row):
    evaluation, model, grader = copy.copy(evaluation), samplers.model(), samplers.grader()
    evaluation.examples, evaluation.grader_model = [row], grader
    metrics = evaluation(model).metrics
    verdict = re.search("correct: (yes|no)", grader.client.last)
    if verdict is None:  # simple-evals takes that for a no
        return {"error": "the grader gave no verdict"}
    if not READ and metrics["is_correct"] + metrics["is_incorrect"] == 0:
        sys.exit(BUG)
    usage = model.client.usage
    tokens = {"tokens": {"prompt": usage.prompt_tokens, "completion": usage.completion_tokens}} if usage else {}
    return {"score": int(verdict[1] == "yes" if READ else metrics["is_correct"]), **tokens}


def main():
    # The upstream's way to run an example in the thread that asks for it.
    os.environ["debug"] = "1"  # noqa: SIM112
    try:
        from simple_evals.browsecomp_eval import BrowseCompEval
        from simple_evals.sampler import chat_completion_sampler  # noqa: F401
    except (ImportError, SyntaxError) as error:
        sys.exit(f"the tree supplied as simple-evals is not that of README.md, with BrowseComp in it ({error})")
    if os.environ.get("BROWSECOMP_LIMIT"):
        os.environ.setdefault("BENCH_LIMIT", os.environ["BROWSECOMP_LIMIT"])
    try:
        with DATA.open(newline="", encoding="utf-8") as file:
            rows = [{name: row[name] for name in ("problem", "answer", "canary")} for row in csv.DictReader(file)]
    except (OSError, KeyError, ValueError) as error:
        sys.exit(f"{DATA}: no data set of BrowseComp ({error!r})")
    evaluation = object.__new__(BrowseCompEval)  # its constructor downloads the data set, and does nothing else
    chosen, items = select(rows, id=lambda row: row["problem"]), []
    # A few first, one by one: neither an endpoint that is down nor the grader's bug needs 1266 questions to show.
    for part, workers in ((chosen[:3], 1), (chosen[3:], whole("BROWSECOMP_WORKERS", 8))):
        items += each(part, lambda row: judge(evaluation, row), id=name_of, workers=workers)
    write_items(items, verdict_read_by="bridge" if READ else "simple-evals")


def name_of(row):
    """Name a row by what is public of it."""
    return hashlib.sha256(row["problem"].encode()).hexdigest()[:16]


if __name__ == "__main__":
    main()
