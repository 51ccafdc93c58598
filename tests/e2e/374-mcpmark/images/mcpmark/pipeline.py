"""MCPMark's command, ways and result tree, with one request for its agent, and breakdowns for tasks that are named so.

It ends with 0 whatever happened, runs four times unless told otherwise, nests folders at a slash in the model's name,
falls back to parts of names where no task has the name that it is given, and calls all that went wrong a failure.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

SERVICES = ("notion", "github", "filesystem", "playwright", "postgres", "playwright_webarena")
SHOP = ["docker", "exec", "shopping_admin"]
MAGENTO = [*SHOP, "/var/www/magento2/bin/magento"]
DATABASE = [*SHOP, "mysql", "-u", "magentouser", "-pMyPassword", "magentodb", "-e"]
PATHS = "('web/secure/base_url', 'web/unsecure/base_url')"
MEND = f"UPDATE core_config_data SET value='http://localhost:7780/' WHERE path IN {PATHS};"
# What `standardize_error_message` makes of the words of an error.
WORDS = {"timeout": "Operation timed out", "refused": "Connection refused", "mcp": "MCP service error"}
SAID = {
    "no_server": ("Agent execution failed: MCP server error: spawn npx ENOENT", 0),
    "too_slow": ("Execution timed out after 600 seconds", 3),
    "slow_start": ("Execution timed out after 600 seconds", 0),
    "too_long": ("Max turns (100) exceeded", 100),
    "no_json": ("Expecting ',' delimiter: line 1 column 9 (char 8)", 2),
}


def discover(service, suite):
    found = []
    for category in sorted(Path("tasks", service, suite).iterdir()):
        for task in sorted(category.iterdir()):
            try:
                meta = json.loads((task / "meta.json").read_text())
            except (OSError, ValueError):
                meta = {}
            if (task / "description.md").exists() and (task / "verify.py").exists():
                found.append((meta.get("category_id", category.name), meta.get("task_id", task.name), task))
    return found


def chosen(tasks, given):
    if given == "all":
        return tasks
    for category, name, path in tasks:
        if given == f"{category}/{name}":
            return [(category, name, path)]
    return [task for task in tasks if given in task[0] or given in f"{task[0]}__{task[1]}"]


def set_up(service, name):
    """Give what the agent finds, or None when the state cannot be set up."""
    if service == "postgres":
        try:
            with socket.create_connection((os.environ["POSTGRES_HOST"], int(os.environ["POSTGRES_PORT"])), 5) as server:
                return server.makefile().readline()
        except OSError as error:
            print(f"no database: {error}")
            return None
    if service != "playwright_webarena":
        return "nothing"
    if os.environ.get("MCPMARK_ENDPOINTS_FILE"):
        lines = Path(os.environ["MCPMARK_ENDPOINTS_FILE"]).read_text().splitlines()
        return page(dict(line.split(": ", 1) for line in lines)["shopping_admin"])
    image = "postmill-populated-exposed-withimg" if name == "no_image" else "shopping_admin_final_0719"
    status("docker", "rm", "--force", "shopping_admin")
    if status("docker", "run", "--name", "shopping_admin", "-p", "7780:80", "--pull", "never", "-d", image):
        return None
    wait(lambda: status(*DATABASE, "SELECT 1;") == 0)
    for words in (
        [*MAGENTO, "setup:store-config:set", "--base-url=http://localhost:7780"],
        [*DATABASE, MEND],
        [*MAGENTO, "config:set", "admin/security/password_is_forced", "0"],
        [*MAGENTO, "config:set", "admin/security/password_lifetime", "0"],
        [*MAGENTO, "cache:flush"],
    ):
        status(*words)
    return page("http://localhost:7780/admin")


def status(*words):
    return subprocess.run(words, check=False).returncode


def wait(holds):
    end = time.monotonic() + 20
    while time.monotonic() < end and not holds():
        time.sleep(0.2)


def page(url):
    found = []

    def there():
        try:
            with urllib.request.urlopen(url, timeout=3) as answer:
                found.append(answer.read().decode())
        except OSError:
            return False
        return True

    wait(there)
    return found[0] if found else None


def ask(model, text, name):
    """Give the agent's answer, its error and its turns."""
    if name in SAID:
        error, turns = SAID[name]
        return "", next((f"Filesystem {say}" for word, say in WORDS.items() if word in error.lower()), error), turns
    provider, _, model = model.partition("/")
    assert provider == "openai", "LLM Provider NOT provided"
    body = {"model": model, "messages": [{"role": "user", "content": text}]}
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"}
    url = f"{os.environ['OPENAI_API_BASE']}/chat/completions"
    try:
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["choices"][0]["message"]["content"], None, 1
    except urllib.error.HTTPError as error:
        kind = {429: "RateLimitError", 401: "AuthenticationError"}.get(error.code, "InternalServerError")
        return "", f"litellm.{kind}: OpenAIException - {error.reason}", 0


def run(args, model, root, category, name, path):
    state = set_up(args.mcp, name)
    folder = root / f"{category}__{name}"
    folder.mkdir(parents=True)
    usage, turns, messages, checked = {}, None, [], None
    if state is None:
        error = "State Duplication Error"
    else:
        answer, error, turns = ask(model, f"{(path / 'description.md').read_text()} State: {state}", name)
        usage = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10, "reasoning_tokens": 0}
        messages = [{"role": "assistant", "content": answer}]
    if name == "browser":
        messages.append({"type": "function_call_output", "output": 'Browser "chromium" is not installed.'})
    (folder / "messages.json").write_text(json.dumps(messages))
    if state is not None:
        environment = {**os.environ, "MCP_MESSAGES": str(folder / "messages.json")}
        verify = [sys.executable, str(path / "verify.py")]
        checked = subprocess.run(verify, env=environment, check=False, capture_output=True, text=True)
    if name == "vanishes":
        return
    result = {
        "success": checked is not None and checked.returncode == 0,
        "error_message": error,
        "verification_error": (checked.stderr or "Verification failed") if checked and checked.returncode else None,
        "verification_output": checked.stdout if checked else None,
    }
    meta = {"task_name": f"{category}__{name}", "model_name": model, "mcp": args.mcp, "execution_result": result}
    (folder / "meta.json").write_text(json.dumps({**meta, "token_usage": usage, "turn_count": turns}))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mcp", default="filesystem", choices=SERVICES)
    parser.add_argument("--models", required=True)
    parser.add_argument("--tasks", default="all")
    parser.add_argument("--task-suite", default="standard", choices=("standard", "easy"))
    parser.add_argument("--exp-name", default=time.strftime("%Y-%m-%d-%H-%M-%S"))
    parser.add_argument("--k", type=int, default=4)
    parser.add_argument("--timeout", type=int, default=3600)
    parser.add_argument("--output-dir", type=Path, default=Path("./results"))
    args = parser.parse_args()
    assert args.timeout == 600
    for model in args.models.split(","):
        for number in range(1, args.k + 1):
            folder = f"{model.replace('.', '-')}__{args.mcp.replace('_webarena', '')}"
            for task in chosen(discover(args.mcp, args.task_suite), args.tasks):
                run(args, model, args.output_dir / args.exp_name / folder / f"run-{number}", *task)


if __name__ == "__main__":
    main()
