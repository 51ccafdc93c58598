"""Write ../answers.jsonl, what the demo model says, from BFCL's possible answers.

    pip install --no-deps bfcl-eval==2026.3.23 tenacity==9.1.2 filelock==3.20.0
    python code/make_answers.py
"""

import json
from pathlib import Path

from bridge import SIZES, load
from upstream import tools_of, verdict

from benchrouter.models.answer_lines import digest_of_tools
from benchrouter.sdk import select

NEVER_RIGHT = {"live_simple_106-63-0", "live_simple_112-68-0", "live_multiple_862-181-3", "live_multiple_964-207-0"}
"""Entries whose possible answers contradict the description of their function, so that no answer passes."""

NOTHING_FITS = "None of the functions that I am offered can do that."


def gold_calls(entry):
    """Choose the first of the possible values of each argument; leave out what may be left out."""
    functions = {each["name"]: each["parameters"].get("required", []) for each in entry["function"]}
    return [
        {
            name.replace(".", "_"): {
                key: plain(next((each for each in values if each != ""), "")) for key, values in arguments.items()
                if values and ("" not in values or key in functions.get(name, ()))
            }
        }
        for call in entry["gold"]
        for name, arguments in call.items()
    ]  # fmt: skip


def plain(value):
    """Choose likewise inside objects, which are given as key → possible values."""
    if isinstance(value, dict):
        return {key: values[0] for key, values in value.items() if values and "" not in values}
    return [plain(each) for each in value] if isinstance(value, list) else value


def line(entry, category):
    """Give the line of one entry, having made sure that bfcl_eval takes right for right and wrong for wrong."""
    offered = [tool["function"]["name"] for tool in tools_of(entry)]
    right = [] if category == "irrelevance" else gold_calls(entry)
    wrong = [{offered[0]: {}}] if category == "irrelevance" else [{offered[-1]: {"nonsense": True}}]
    assert verdict(entry, right, category)[0] == (entry["id"] not in NEVER_RIGHT), entry["id"]
    assert not verdict(entry, wrong, category)[0], entry["id"]
    told = [each["content"] for each in entry["question"][0] if each["role"] == "system"]
    question = next(each["content"] for each in reversed(entry["question"][0]) if each["role"] == "user")
    found = {"task": category.replace("_", "-"), "item": entry["id"], "question": question}
    found |= {"system": "\n".join(told)} if told else {}
    said = {"answer": [message(right)] if right else NOTHING_FITS, "wrong": [message(wrong)]}
    return json.dumps({**found, "tools": digest_of_tools(tools_of(entry)), **said}) + "\n"


def message(calls):
    """Say calls as the demo model does."""
    return {"tool_calls": [{"name": name, "arguments": given} for call in calls for name, given in call.items()]}


def main():
    """Write each category in the order in which its task asks."""
    found = (line(e, name) for name in SIZES for e in select(load(name), id=lambda entry: entry["id"]))
    (Path(__file__).resolve().parent.parent / "answers.jsonl").write_text("".join(found), encoding="utf-8")


if __name__ == "__main__":
    main()
