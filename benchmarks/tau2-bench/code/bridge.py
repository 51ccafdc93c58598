"""Run a domain of tau2-bench by its own command line, `tau2 run`, and report each simulation as an item."""

import gc
import os
import sys
import tempfile
from pathlib import Path

import openai
import tau2.cli
import tau2.run
from arguments import arguments, chosen
from records import REFUSED, by_endpoint, item, lasting, said, status_of
from tau2.data_model.simulation import Results
from tau2.metrics.agent_metrics import compute_metrics

from benchrouter.sdk import EndpointError, write_items

PATIENCE = 8
"""So many simulations in a row that the endpoint broke, and it is down: the rest is not tried."""

run_task = tau2.run.run_task
broken = {}
in_a_row = []


def watched(**call):
    """Run one simulation as upstream does, and keep why it broke: upstream makes a reward of 0 of that."""
    try:
        if len(in_a_row) >= PATIENCE:
            raise openai.OpenAIError("not asked any more, the endpoint is down")
        simulation = run_task(**call)
    except Exception as error:
        broken[call["task"].id, call["seed"]] = said(error)
        if by_endpoint(error) and status_of(error) not in REFUSED:
            in_a_row.append(said(error))
        raise
    if len(in_a_row) < PATIENCE:
        in_a_row.clear()
    return simulation


def main():
    """Choose tasks, run them, write what upstream found and the items."""
    endpoint = os.environ.get("BENCHROUTER_MODEL_ENDPOINT") or sys.exit("tau2: BENCHROUTER_MODEL_ENDPOINT is not set")
    ids = chosen(os.environ, tau2.run.get_options().domains, tau2.run.get_tasks)
    os.environ["OPENAI_API_BASE"] = endpoint
    gc.set_threshold(50_000)  # each simulation loads large tables three times: half of its time is gone otherwise
    tau2.run.run_task = watched
    with tempfile.TemporaryDirectory() as directory:
        sys.argv[1:] = arguments(os.environ, ids, directory)
        tau2.cli.main()
        results = Results.load(Path(directory, "tau2.json"))
    if len(in_a_row) >= PATIENCE:
        raise EndpointError(f"no answer for {PATIENCE} simulations in a row; {in_a_row[0]}")
    results.simulations.sort(key=lambda one: (ids.index(one.task_id), one.trial))
    items = [item(one, results.info.num_trials, broken) for one in results.simulations]
    results.simulations = [one for one in results.simulations if not one.skipped]
    Path(os.environ["BENCHROUTER_OUTPUT_DIR"], "tau2.json").write_text(lasting(results), encoding="utf-8")
    write_items(items, **(compute_metrics(results).as_dict() if results.simulations else {}))


if __name__ == "__main__":
    main()
