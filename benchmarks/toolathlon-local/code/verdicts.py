"""Which tasks of Toolathlon came to a verdict on the model: it writes `pass: false` for agents that failed too."""

import json
import re

# What the log of a task says when the endpoint failed, and not the model.
REFUSED = re.compile(r"RateLimitError|AuthenticationError|PermissionDeniedError|APIConnectionError|InternalServerError")


def verdict(place, status):
    """Score a task whose agent came to an end of its own, and tell of any other why not."""
    passed, went = (load(place / f"{name}.json") for name in ("eval_res", "status"))
    running = went.get("running", "done")
    if passed.get("pass") is True or running == "max_turn_exceeded":
        return {"score": int(passed.get("pass") is True)}
    if passed.get("pass") is False and running == "done":
        return {"score": 0}
    log = place / "run.log"
    said = log.read_text(encoding="utf-8", errors="replace").strip() if log.is_file() else ""
    refused = REFUSED.search(said)
    if refused:
        return {"error": f"endpoint: {refused[0]} in its log"}
    last = said.splitlines()[-1][-300:] if said else ""
    return {"error": f"no verdict: {went or f'run_parallel.py ended with {status}'}; its log ends with: {last}"}


def load(path):
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
