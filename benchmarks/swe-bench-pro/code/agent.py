"""A small agent: the model works in the instance's own container with one shell command a turn, and leaves a patch."""

import re
import subprocess

from benchrouter.sdk import complete, text_of, whole

SYSTEM = """You resolve an issue in the repository in /app. You see nothing of it but what your commands show.
Answer each time with a short thought and exactly one block of shell in this form, which is run with bash in /app:

```bash
COMMAND
```

Each command starts in a new shell; there is no network, no terminal, and five minutes at most. Change the repository's
source, not its tests. When the issue is resolved, answer with a block that holds the one word `submit`."""
NO_BLOCK = "There was no block of shell in your answer. Give exactly one, or one with the word `submit`."
MOST, DEADLINE = 10_000, 300


class NoContainer(Exception):
    """The instance's image could not be started: nobody's wrong answer."""


def solve(row, image):
    """Let the model work on an instance; return its patch and its answers."""
    keep = ["--network", "none", "--pull", "never", "--entrypoint", "/bin/bash", image, "-c", "sleep infinity"]
    started = subprocess.run(["docker", "run", "--detach", "--rm", *keep], capture_output=True, text=True, check=False)
    if started.returncode != 0:
        raise NoContainer(f"{image} does not start: {started.stderr.strip()[-300:]}")
    container = started.stdout.strip()
    try:
        shell(container, f"git reset --hard {row['base_commit']} && git checkout {row['base_commit']}")
        answers = converse(container, row)
        patch = shell(container, f"git add --all && git diff --cached --no-color {row['base_commit']}", most=None)
        return patch, answers
    finally:
        subprocess.run(["docker", "rm", "--force", container], capture_output=True, check=False)


def converse(container, row):
    parts = [row["problem_statement"], row.get("requirements"), row.get("interface")]
    issue = "\n\n".join(str(part) for part in parts if part)
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": issue}]
    answers = []
    while len(answers) < whole("SWE_BENCH_PRO_MAX_STEPS", 50):
        answers.append(complete(messages))
        text = text_of(answers[-1])
        block = re.search(r"```(?:bash|sh)?[ \t]*\n(.*?)```", text, re.DOTALL)
        if block and block[1].strip() == "submit":
            break
        seen = shell(container, block[1]) if block else NO_BLOCK
        messages += [{"role": "assistant", "content": text}, {"role": "user", "content": seen}]
    return answers


def shell(container, command, most=MOST):
    """Run a command in the container; return its status and output, or (with most=None) its standard output alone."""
    limited = ["timeout", "-k", "5", str(DEADLINE), "bash", "-c", command]
    words = ["docker", "exec", "--workdir", "/app", container, *limited]
    streams = {"stderr": subprocess.STDOUT if most else subprocess.DEVNULL, "stdin": subprocess.DEVNULL}
    done = subprocess.run(words, stdout=subprocess.PIPE, check=False, timeout=DEADLINE + 60, **streams)
    text = done.stdout.decode("utf-8", "replace")
    if most is None:
        return text
    if len(text) > most:
        text = f"{text[: most // 2]}\n[{len(text) - most} characters left out]\n{text[-most // 2 :]}"
    return f"[exit {done.returncode}]\n{text}"
