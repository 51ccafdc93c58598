"""What the environment must have before a shop is started for it: WebArena's source, and the data of its evaluators."""

import json
import subprocess
import sys

FILES = ("run.py", "scripts/generate_test_data.py", "config_files/test.raw.json")
# An evaluator takes the answer apart where a single character is looked for, in a task that has run for minutes.
TOKENIZE = "from nltk.tokenize import word_tokenize; word_tokenize('0')"


def check(upstream):
    """End the script, with the reason, where tasks could come to no verdict."""
    for name in FILES:
        if not (upstream / name).is_file():
            sys.exit(f"the tree supplied as webarena-src is not that of README.md: it has no {name}")
    try:
        listed = json.loads((upstream / FILES[-1]).read_text(encoding="utf-8"))
        assert all(isinstance(task["sites"], list) for task in listed)
    except (AssertionError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"{FILES[-1]} of webarena-src is no list of tasks ({error!r})")
    command = [sys.executable, "-c", TOKENIZE]
    done = subprocess.run(command, cwd=upstream, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode and "LookupError" in done.stderr:
        sys.exit("nltk has no data for punkt, which evaluators need: see `Packages, and data of nltk` in README.md")
    if done.returncode:
        sys.exit(f"nltk, which evaluators need, does not work: {done.stderr.strip().splitlines()[-1]}")
