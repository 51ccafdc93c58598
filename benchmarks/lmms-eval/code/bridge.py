"""Run one task of lmms-eval through its own `simple_evaluate`, and give a record for each document."""

import contextlib
import io
import json
import os
import shutil
import sys
from pathlib import Path

from benchrouter.sdk import select, whole, write_items

DATA, CACHE = "/data/lmms-hub", "/tmp/lmms-hub"
FAILED = "[LMMS_EVAL_REQUEST_FAILED"
NAMES = {"max_tokens": "max_new_tokens", "max_completion_tokens": "max_new_tokens"}


def main():
    if not Path(DATA).is_dir():
        sys.exit(f"no data at {DATA}: bind `lmms-hub` under `data:` in benchrouter.yaml")
    # datasets locks and writes beside what it reads: directories of ours, with links to files that stay read-only.
    shutil.copytree(DATA, CACHE, copy_function=os.symlink, dirs_exist_ok=True)
    os.environ.update(HF_HOME=CACHE, HF_HUB_OFFLINE="1")
    from lmms_eval import evaluator, models
    from lmms_eval.tasks import TaskManager, get_task_dict

    name = os.environ["LMMS_EVAL_TASK"]
    manager = TaskManager("ERROR")
    if name not in manager.all_subtasks:
        sys.exit(f"LMMS_EVAL_TASK={name}: lmms-eval has no single task of that name")
    try:
        task = get_task_dict([name], manager, "chat")[name]
    except Exception as error:  # whatever datasets makes of missing or torn files
        cause = error.last_attempt.exception() if hasattr(error, "last_attempt") else error
        sys.exit(f"the data of {name} cannot be loaded from {DATA}: {type(cause).__name__}: {cause}")
    ids = choose(task)
    model = models.get_model("openai", False)(
        model_version=os.environ["BENCHROUTER_MODEL_NAME"],
        base_url=os.environ["BENCHROUTER_MODEL_ENDPOINT"],
        num_concurrent=whole("LMMS_EVAL_CONCURRENT", 8),
    )
    declared = json.loads(os.environ.get("BENCHROUTER_MODEL_PARAMETERS") or "{}")
    wanted = ",".join(f"{NAMES.get(key, key)}={json.dumps(value)}" for key, value in declared.items())
    limit = whole("LMMS_EVAL_LIMIT")
    # One worker: where no letter is found, MMMU draws one, and threads would draw in another order each time.
    found = evaluator.simple_evaluate(
        model=model, tasks=[task], limit=limit, gen_kwargs=wanted or None, process_docs_parallel=1, verbosity="ERROR"
    )
    metric, aggregate = next(iter(task.aggregation().items()))
    samples = found["samples"][name]
    items = [record(sample, ids[sample["doc_id"]], metric, aggregate) for sample in samples]
    write_items(items, metric=metric, upstream=found["results"][name], lmms_eval="0.7.3")


def choose(task):
    """Cut the task's documents down to the selected ones, and give their ids."""
    split = task.config.test_split if task.has_test_docs() else task.config.validation_split
    plain = task.dataset_no_image[split]
    ids = [str(each) for each in plain["id"]] if "id" in plain.column_names else [str(n) for n in range(len(plain))]
    chosen = select(range(len(ids)), id=lambda n: ids[n])
    task.dataset[split] = task.dataset[split].select(chosen)
    task.dataset_no_image[split] = plain.select(chosen)
    return [ids[n] for n in chosen]


def record(sample, name, metric, aggregate):
    """Score one document as the task's metric scores a set that holds nothing else."""
    answer = str(sample["resps"][0][0])
    if answer.startswith(FAILED):
        return {"id": name, "error": "endpoint: " + answer.partition("] ")[2]}
    with contextlib.redirect_stdout(io.StringIO()):  # MMMU prints a table for every set
        score = float(aggregate([sample[metric]]))
    count = (sample.get("token_counts") or [None])[0] or {}
    tokens = {"prompt": count.get("input_tokens", 0), "completion": count.get("output_tokens", 0)}
    return {"id": name, "score": score, "answer": answer, "tokens": tokens}


if __name__ == "__main__":
    main()
