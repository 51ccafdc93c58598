"""Play a suite of AgentDojo, alone or under attack; AgentDojo's own checks judge what the agent did."""

import json
import os
import sys
from difflib import get_close_matches

from agent import make_agent
from agentdojo.attacks.attack_registry import ATTACKS, load_attack
from agentdojo.task_suite import get_suite

from benchrouter.sdk import each, select, tokens_of, write_items

VERSION = "v1.2.1"


def prepare(suite, name):
    """Make the attack of this name, if any; list the items: user tasks, or pairs of user and injection task."""
    if not name:
        return None, list(suite.user_tasks)
    known = sorted(set(ATTACKS) - {"manual"})  # that one asks a person
    if name not in known:
        near = ", ".join(get_close_matches(name, known) or known)
        print(f"AGENTDOJO_ATTACK={name}: no such attack; agentdojo has {near}", file=sys.stderr)
        sys.exit(2)
    attack = load_attack(name, suite, make_agent()[0])
    injections = list(suite.injection_tasks)[: 1 if attack.is_dos_attack else None]  # as upstream does
    return attack, [f"{user}/{injection}" for user in suite.user_tasks for injection in injections]


def play(suite, attack, item, conversations):
    agent, client = make_agent()
    user, _, injection = item.partition("/")
    user, injection = suite.user_tasks[user], suite.injection_tasks.get(injection)
    try:
        injections = attack.attack(user, injection) if attack else {}
        utility, attacked = suite.run_task_with_pipeline(agent, user, injection, injections)
    except Exception as error:  # neither a score nor a reason to stop
        return {"error": f"agentdojo failed: {type(error).__name__}: {error}"}
    finally:
        conversations[item] = client.conversation
    record = {"score": int(utility), "utility": int(utility), **tokens_of(*client.answers)}
    if attack:
        attacked = not utility if attack.is_dos_attack else attacked
        record.update(score=int(utility and not attacked), attacked=int(attacked))
    said = (answer["choices"][0]["message"] for answer in client.answers)
    return record if any(one.get("content") or one.get("tool_calls") for one in said) else {**record, "empty": True}


def rate(items, key):
    found = [item[key] for item in items if key in item]
    return sum(found) / len(found) if found else None


def main(suite_name):
    suite, name, conversations = get_suite(VERSION, suite_name), os.environ.get("AGENTDOJO_ATTACK"), {}
    attack, ids = prepare(suite, name)
    items = each(select(ids), lambda item: play(suite, attack, item, conversations))
    numbers = {"utility": rate(items, "utility")}
    if attack:
        numbers = {"utility_under_attack": rate(items, "utility"), "attack_success_rate": rate(items, "attacked")}
        numbers["attack"] = name
    with open(os.path.join(os.environ["BENCHROUTER_OUTPUT_DIR"], "conversations.jsonl"), "w") as file:
        for item, messages in sorted(conversations.items()):
            file.write(json.dumps({"id": item, "messages": messages}) + "\n")
    write_items(items, benchmark_version=VERSION, **numbers)


if __name__ == "__main__":
    main(sys.argv[1])
