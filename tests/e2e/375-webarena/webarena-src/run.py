"""WebArena's command and log, with one request for its agent, and breakdowns for intents that are named so.

It logs to standard error, catches whatever breaks in a task, leaves out tasks of which it finds results, and ends with
a division by zero when no task came to a verdict.
"""

import argparse
import json
import logging
import os
import time
import urllib.error
import urllib.request
from pathlib import Path

logger = logging.getLogger("logger")
logger.setLevel(logging.INFO)
handler = logging.StreamHandler()
handler.setFormatter(logging.Formatter("%(asctime)s - %(levelname)s - %(message)s"))
logger.addHandler(handler)


class OpenAIError(Exception):
    pass


def ask(args, text):
    body = {"model": args.model, "messages": [{"role": "user", "content": text}]}
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"}
    url = f"{os.environ['OPENAI_API_BASE']}/chat/completions"
    try:
        with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)) as answer:
            return json.load(answer)["choices"][0]["message"]["content"]
    except urllib.error.HTTPError as error:
        raise OpenAIError(f"{error.code} {error.reason}") from None


def run(args, config_file):
    with open(config_file) as file:
        task = json.load(file)
    intent = task["intent"]
    logger.info(f"[Config file]: {config_file}")
    logger.info(f"[Intent]: {intent}")
    if intent == "crash":
        raise RuntimeError("Target page, context or browser has been closed")
    if intent == "slow":
        time.sleep(60)
    with urllib.request.urlopen(task["start_url"]) as page:
        seen = page.read().decode()
    Path(args.result_dir, f"render_{Path(config_file).stem}.html").write_text(seen)
    return int(ask(args, f"{intent}: {seen}") == "right")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--instruction_path", default="agents/prompts/state_action_agent.json")
    parser.add_argument("--model", default="gpt-3.5-turbo-0613")
    parser.add_argument("--max_steps", type=int, default=30)
    parser.add_argument("--test_start_idx", type=int, default=0)
    parser.add_argument("--test_end_idx", type=int, default=1000)
    parser.add_argument("--result_dir", default="")
    args = parser.parse_args()
    assert args.instruction_path == "agent/prompts/jsons/p_cot_id_actree_2s.json"
    Path(args.result_dir).mkdir(parents=True, exist_ok=True)
    done = {name.stem.split("_")[1] for name in Path(args.result_dir).glob("*.html")}
    numbers = [number for number in range(args.test_start_idx, args.test_end_idx) if str(number) not in done]
    if not numbers:
        logger.info("No task left to run")
        return
    scores = []
    for config_file in (f"config_files/{number}.json" for number in numbers):
        try:
            scores.append(run(args, config_file))
            logger.info(f"[Result] ({'PASS' if scores[-1] == 1 else 'FAIL'}) {config_file}")
        except OpenAIError as error:
            logger.info(f"[OpenAI Error] {error!r}")
        except Exception as error:
            logger.info(f"[Unhandled Error] {error!r}]")
    logger.info(f"Average score: {sum(scores) / len(scores)}")


if __name__ == "__main__":
    main()
