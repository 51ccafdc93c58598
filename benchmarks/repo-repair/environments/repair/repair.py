"""Have the model repair repositories: build each with its patch, run the repository's own tests, score.

    repair.py instances.jsonl

An instance is {"id", "image", "issue", "files", "fail_to_pass", "test_command"?}: `image` holds a repository in
/repo and the tests of its next release in /suite, `files` are shown to the model. It is repaired when the tests of
`fail_to_pass` pass and none fails that passed before.
"""

import json
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from benchrouter.sdk import EndpointError, chat, select, write_result

TELL = """You repair a Python repository. Answer with one unified diff in a code block, paths relative to its root
(--- a/file, +++ b/file), that resolves the issue. These are its files as they are now:"""
BUILD = """FROM {image}
COPY model.patch /tmp/
RUN patch --batch --strip 1 --fuzz 5 --directory /repo --input /tmp/model.patch \\
    && pip install --quiet --no-index --no-deps --no-build-isolation --force-reinstall /repo
"""
TESTS = """cd /suite
timeout 300 python -m pytest -q --tb=short -W ignore -p no:cacheprovider --junitxml /tmp/report.xml . >&2
[ ! -e /tmp/report.xml ] || cat /tmp/report.xml"""
DEADLINE = 600


def main(path):
    instances = [json.loads(line) for line in Path(path).read_text().splitlines()]
    before, items = {}, []
    for instance in select(instances, id=lambda instance: instance["id"]):
        image = instance["image"]
        if image not in before:
            before[image] = passing(image, instance)
        items.append({"id": instance["id"], **judge(instance, before[image])})
        print("{id}: {score} {note}".format(**items[-1]), flush=True)
    if not any(item["patch"].strip() for item in items):
        raise EndpointError(f"nothing is said in any of {len(items)} answers")
    write_result(sum(item["score"] for item in items) / len(items), items=items)


def judge(instance, before):
    wanted = set(instance["fail_to_pass"])
    if wanted & before:
        raise SystemExit(f"{instance['id']}: {sorted(wanted & before)} pass before the repair")
    patch = patch_in(ask(instance))
    if not build(instance["image"], patch):
        return {"score": 0, "note": "the patch does not apply or the repository does not build", "patch": patch}
    after = passing("repaired", instance)
    missing, broken = sorted(wanted - after), sorted(before - after)
    note = f"still failing: {missing}" if missing else f"broken: {broken[:5]}" if broken else ""
    return {"score": int(not note), "note": note, "patch": patch}


def ask(instance):
    files = [f"{name}\n```python\n{inside(instance['image'], f'cat /repo/{name}')}```" for name in instance["files"]]
    system = "\n\n".join([TELL, *files])
    return chat([{"role": "system", "content": system}, {"role": "user", "content": instance["issue"]}])


def patch_in(answer):
    answer = re.sub(r"<think>.*?</think>", "", answer, flags=re.DOTALL)
    block = re.search(r"```[^\n]*\n(.*?)(?:```|\Z)", answer, flags=re.DOTALL)
    return (block.group(1) if block else answer).rstrip("\n") + "\n"


def build(image, patch):
    """Build the image `repaired`; a build that the daemon could not even try is no wrong answer."""
    docker("image", "inspect", image)
    with tempfile.TemporaryDirectory() as context:
        Path(context, "Dockerfile").write_text(BUILD.format(image=image))
        Path(context, "model.patch").write_text(patch)
        command = ["docker", "build", "--network", "none", "--tag", "repaired", context]
        built = subprocess.run(command, check=False, stdout=sys.stderr, timeout=DEADLINE).returncode == 0
    docker("version")
    return built


def passing(image, instance):
    """Run the tests in a fresh container and name those that pass: none when they do not even start, or never end."""
    report = inside(image, instance.get("test_command", TESTS))
    try:
        cases = ElementTree.fromstring(report).iter("testcase")
    except ElementTree.ParseError:
        return set()
    return {f"{case.get('classname')}::{case.get('name')}" for case in cases if len(case) == 0}


def inside(image, command):
    return docker("run", "--rm", "--pull", "never", "--network", "none", image, "sh", "-c", command)


def docker(*words):
    done = subprocess.run(["docker", *words], check=False, stdout=subprocess.PIPE, text=True, timeout=DEADLINE)
    if done.returncode != 0:
        raise SystemExit(f"docker {' '.join(words)[:200]} ended with {done.returncode}")
    return done.stdout


if __name__ == "__main__":
    main(sys.argv[1])
