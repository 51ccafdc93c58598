"""Offer a model the functions of BFCL: `python bridge.py <category>`; bfcl_eval judges what it calls, unmodified."""

import json
import sys

from benchrouter.sdk import EndpointError, complete, each, select, text_of, tokens_of, write_items

SIZES = {"simple_python": 400, "multiple": 200, "parallel": 200, "parallel_multiple": 200}
SIZES |= {"live_simple": 258, "live_multiple": 1053, "irrelevance": 240}
"""Entries of each category."""

DEFAULTS = {"temperature": 0.001}
"""What bfcl_eval asks with."""


def calls_of(answer):
    """Read an answer's tool calls as bfcl_eval's handlers for OpenAI do; None when the arguments are no JSON."""
    calls = answer["choices"][0]["message"].get("tool_calls") or []
    try:
        return [{call["function"]["name"]: json.loads(call["function"]["arguments"])} for call in calls]
    except (ValueError, KeyError, TypeError):
        return None


def judge(entry, category):
    """Ask one entry and have its calls judged; a checker that breaks on them is no verdict."""
    from upstream import tools_of, verdict

    answer = complete(entry["question"][0], tools=tools_of(entry), defaults=DEFAULTS)
    calls = calls_of(answer)
    try:
        right, reason = verdict(entry, calls, category)
    except Exception as error:
        return {"error": f"bfcl_eval's checker failed: {error!r:.300}", "calls": calls, **tokens_of(answer)}
    why = {} if right else {"reason": reason, "calls": calls}
    silent = {"empty": True} if calls == [] and not text_of(answer) else {}
    return {"score": int(right), **why, **silent, **tokens_of(answer)}


def load(category):
    """Read the entries of a category; end the script when they are not those of the package."""
    try:
        from upstream import entries

        found = entries(category)
    except (ImportError, OSError, ValueError, KeyError) as error:
        sys.exit(f"bfcl: bfcl_eval's {category} cannot be read: {type(error).__name__}: {error}")
    if len(found) != SIZES[category]:
        sys.exit(f"bfcl: bfcl_eval's {category} has {len(found)} entries, expected {SIZES[category]}")
    return found


def main(category):
    """Write the share of right answers as `overall`, and each entry as an item."""
    asked = select(load(category), id=lambda entry: entry["id"])
    try:
        write_items(each(asked, lambda entry: judge(entry, category), id=lambda entry: entry["id"]))
    except EndpointError as error:
        if error.status in (400, 404, 422, 501):
            complete("Hello", defaults=DEFAULTS)  # it answers without tools: so it is the tools that it refuses
            sys.exit(f"bfcl: the endpoint refuses `tools`, and BFCL needs a model that calls tools ({error})")
        raise


if __name__ == "__main__":
    main(*sys.argv[1:])
