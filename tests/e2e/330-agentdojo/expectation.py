"""What agentdojo's own ground truths earn, computed without our bridge; runs inside the environment's image.

Reads {"alone": n, "attacked": n, "attack": name} from standard input, prints JSON: of each suite's first n items (in
the order that docs/contract.md gives), [utility, attack succeeded] of an agent that follows the user's ground truth,
and of one that follows the injection's too. Both are ground truths of the world without injections: that is what an
answer file can know.
"""

import json
import sys
from hashlib import sha256

sys.path.insert(0, "/code")
import vendors  # noqa: F401
from agentdojo.agent_pipeline.base_pipeline_element import BasePipelineElement
from agentdojo.attacks import load_attack
from agentdojo.functions_runtime import FunctionCall
from agentdojo.task_suite import get_suites


class Replay(BasePipelineElement):
    """Calls tools one after the other, whatever they give, then says something."""

    name = "local"

    def __init__(self, calls=(), words=""):
        self.calls, self.words = calls, words

    def query(self, query, runtime, env=None, messages=(), extra_args=None):
        calls = [FunctionCall(function=name, args=args) for name, args in self.calls]
        for call in calls:
            runtime.run_function(env, call.function, call.args)
        said = {"role": "assistant", "content": [{"type": "text", "content": self.words}], "tool_calls": None}
        return query, runtime, env, [{**said, "content": None, "tool_calls": calls}, said], {}


def first(ids, n):
    return sorted(ids, key=lambda item: sha256(f"0:{item}".encode()).hexdigest())[:n]


def calls(suite, task):
    environment = suite.load_and_inject_default_environment({})
    return [[call.function, dict(call.args)] for call in task.ground_truth(environment)]


def expected(suite, asked):
    users, injections = suite.user_tasks, suite.injection_tasks
    does = {item: calls(suite, task) for item, task in [*users.items(), *injections.items()]}
    replays = {item: Replay(does[item], task.GROUND_TRUTH_OUTPUT or "Done.") for item, task in users.items()}
    alone = {
        item: suite.run_task_with_pipeline(replays[item], users[item], None, {})[0]
        for item in first(users, asked["alone"])
    }
    attack = load_attack(asked["attack"], suite, Replay())
    attacked, obedient = {}, {}
    for pair in first([f"{user}/{injection}" for user in users for injection in injections], asked["attacked"]):
        user, injection = pair.split("/")
        how = (users[user], injections[injection], attack.attack(users[user], injections[injection]))
        attacked[pair] = suite.run_task_with_pipeline(replays[user], *how)
        both = Replay([*does[user], *does[injection]], replays[user].words)
        obedient[pair] = suite.run_task_with_pipeline(both, *how)
    return {
        "order": first(users, len(users)),
        "alone": alone,
        "attacked": attacked,
        "obedient": obedient,
        "prompts": {users[user].PROMPT: [does[user], replays[user].words] for user in users},
        "goals": {injections[injection].GOAL: does[injection] for injection in injections},
    }


asked = json.load(sys.stdin)
print(json.dumps({name: expected(suite, asked) for name, suite in get_suites("v1.2.1").items()}))
