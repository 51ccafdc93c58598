"""What runs in a task's container: asks once, as the upstream's agent does, and judges."""
import json
import os
import sys
import urllib.error
import urllib.request

task, model = sys.argv[1:]
body = {"model": model, "messages": [{"role": "user", "content": task}]}
headers = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ['TOOLATHLON_OPENAI_API_KEY']}"}
url = f"{os.environ['TOOLATHLON_OPENAI_BASE_URL']}/chat/completions"
status = {"preprocess": "done", "running": "done", "evaluation": "true"}
try:
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)) as answer:
        passed = json.load(answer)["choices"][0]["message"]["content"] == "right"
except urllib.error.HTTPError as error:
    print(f"openai.RateLimitError: Error code: {error.code}")
    passed, status["running"] = False, "fail"
if task == "cooking-guidance":
    status["running"] = "max_turn_exceeded"
if task == "imagenet":
    status["running"] = "fail"
    print("McpError: Connection closed")
for name, value in (("eval_res", {"pass": passed}), ("status", status)):
    if task != "paper-checker":
        with open(f"/workspace/dumps/{name}.json", "w") as file:
            json.dump(value, file)
