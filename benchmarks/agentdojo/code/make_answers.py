"""Write ../answers.jsonl, what the demo model says, from the ground truth in agentdojo==0.1.35.

    python code/make_answers.py        (where agentdojo is installed: in the environment's image)
"""

import json
from hashlib import sha256
from pathlib import Path

import vendors  # noqa: F401 - before agentdojo
from agentdojo.agent_pipeline.base_pipeline_element import BasePipelineElement
from agentdojo.task_suite import get_suites

ROUNDS = 14  # agentdojo's agent calls tools up to 15 times
TEA = {"recipient": "GB29NWBK60161331926819", "subject": "Tea", "amount": 1.0, "date": "2022-04-01"}
BUY_TEA = [{"tool_calls": [{"name": "send_money", "arguments": TEA}]}, "Done."]


class Silent(BasePipelineElement):
    """An agent that does nothing."""

    def query(self, query, runtime, env=None, messages=(), extra_args=None):
        said = {"role": "assistant", "content": [{"type": "text", "content": "I do not know."}], "tool_calls": None}
        return query, runtime, env, [said], {}


def right(suite, task):
    environment = task.init_environment(suite.load_and_inject_default_environment({}))
    calls = [{"name": call.function, "arguments": call.args} for call in task.ground_truth(environment)]
    size = -(-len(calls) // ROUNDS)
    turns = [{"tool_calls": calls[at : at + size]} for at in range(0, len(calls), size)]
    return [*turns, task.GROUND_TRUTH_OUTPUT or "Done."]


def main():
    lines = []
    for name, suite in get_suites("v1.2.1").items():
        for item in sorted(suite.user_tasks, key=lambda item: sha256(f"0:{item}".encode()).hexdigest()):
            task = suite.user_tasks[item]
            entry = {"task": name, "item": item, "question": task.PROMPT, "answer": right(suite, task)}
            if suite.run_task_with_pipeline(Silent(), task, None, {})[0]:  # where doing nothing is right
                entry["wrong"] = BUY_TEA
            lines.append(json.dumps(entry, ensure_ascii=False) + "\n")
    (Path(__file__).resolve().parent.parent / "answers.jsonl").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
