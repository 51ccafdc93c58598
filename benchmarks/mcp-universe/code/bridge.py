"""Run a domain of MCP-Universe with its own BenchmarkRunner, one of its tasks at a time: bridge.py DOMAIN."""

import asyncio
import contextlib
import io
import os
import re
import sys
import tempfile
from pathlib import Path

import llm
import yaml

from benchrouter.sdk import EndpointError, each, select, write_items

CONFIGS = Path("/opt/MCP-Universe/mcpuniverse/benchmark/configs")
KEYS = {"web_search": ("SERP_API_KEY", "MCP_UNIVERSE_JUDGE_API_KEY"), "location_navigation": ("GOOGLE_MAPS_API_KEY",)}
OUTAGE = re.compile(r"(requests|urllib3|httpx|curl_cffi|yfinance|openai)\.|(Connection|Timeout)\w*(Error)?:")


def main(domain):
    missing = [name for name in KEYS.get(domain, ()) if not os.environ.get(name)]
    if missing:
        sys.exit(f"{domain} needs {', '.join(missing)} in the environment of `doit run`")
    if "high" in os.environ["BENCHROUTER_MODEL_NAME"]:
        sys.exit("MCP-Universe asks for gpt-5 instead of a model with `high` in its name: serve it under another one")
    # What a judge of MCP-Universe takes for its own; the model's key goes to no other endpoint.
    os.environ["OPENAI_API_KEY"] = os.environ.get("MCP_UNIVERSE_JUDGE_API_KEY") or "EMPTY"
    try:
        (path,) = CONFIGS.glob(f"**/{domain}.yaml")
        documents = list(yaml.safe_load_all(path.read_text(encoding="utf-8")))
        tasks = [task for one in documents if one["kind"] == "benchmark" for task in one["spec"]["tasks"]]
    except (OSError, ValueError, KeyError, TypeError, yaml.YAMLError) as error:
        sys.exit(f"{CONFIGS}: not one sound {domain}.yaml of MCP-Universe ({error})")
    write_items(each(select(tasks), lambda task: judge(documents, task), workers=1), mcpuniverse="1.1.3")


def judge(documents, task):
    """Run one task in a configuration that holds no other."""
    from mcpuniverse.benchmark.runner import BenchmarkRunner
    from mcpuniverse.tracer.collectors import MemoryCollector

    changes = {"llm": {"type": "openai"}, "benchmark": {"tasks": [str(CONFIGS / task)]}}
    parts = [{**one, "spec": {**one["spec"], **changes.get(one["kind"], {})}} for one in documents]
    (name,) = [one["spec"]["name"] for one in documents if one["kind"] == "llm"]
    model, failures = llm.client()
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file, contextlib.redirect_stdout(io.StringIO()) as said:
        file.write(yaml.safe_dump_all(parts))
        file.flush()
        running = BenchmarkRunner(file.name).run(trace_collector=MemoryCollector(), components={name: model})
        try:
            (found,) = asyncio.run(running)[0].task_results.values()
        except Exception as error:  # a server that does not start, a task's file that is not there
            return {"error": f"{type(error).__name__}: {error}"[:500]}
    if failures:  # the runner evaluates an error's text as if it were an answer
        raise EndpointError(failures[0])
    return verdict(found["evaluation_results"], said.getvalue())


def verdict(evaluations, said):
    """Score a task, solved when all its evaluators pass; one that could not reach a service has judged nothing."""
    endings = [one.error.strip().splitlines()[-1] for one in evaluations if one.error]
    outage = next((ending for ending in endings if OUTAGE.match(ending)), None)
    if outage is None and said.count("Error: ") >= 5:  # so often its judge is asked, and silence is a no
        outage = "the judge failed: " + said.partition("Error: ")[2].splitlines()[0]
    if outage or not evaluations:
        return {"error": f"not evaluated: {outage or 'the task has no evaluator'}"[:500]}
    passed = sum(one.passed for one in evaluations)
    return {"score": int(passed == len(evaluations)), "passed": passed, "evaluators": len(evaluations)}


if __name__ == "__main__":
    main(sys.argv[1])
