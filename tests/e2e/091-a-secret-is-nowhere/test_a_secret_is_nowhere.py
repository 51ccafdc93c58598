"""A key and passed variables that tasks print, split, escape, publish and crash with are in nothing that we wrote."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

import pytest
from leaks import SEEN, Canary
from project import Done, Project, containers_of, wait_until

SPILL = Path(__file__).with_name("spill.py").read_text()
SPILLING = {
    "prints": "COMPLETED",
    "encodes": "COMPLETED",
    "splits": "COMPLETED",
    "files": "COMPLETED",
    "escaped": "COMPLETED",
    "quoted": "FAILED invalid_result",
    "crashes": "FAILED exit_code",
    "wrong_score": "FAILED invalid_result",
    "wrong_key": "FAILED invalid_result",
    "not_json": "FAILED invalid_result",
    "endpoint": "FAILED endpoint",
    "sleeps": "FAILED timeout",
}
KEY = "sk-QZXKJVW/XQZJKVXWQ+KJXVZQWK&JZQVXKWJ<QVXZKJWQ\"ZKXJQVWZ%JQKZXVWQ='XZVKQJWX"
SITE = "VKXQJZWKQ é ü \\ QJXWVZKQX\tWZQXKVJQ"
TASK = "-----BEGIN KEY-----\nJXQVKZWQXJKVWZQX/QKXZ+VJWQKZ==\nXWVQJKZXQVWKJZQX\n-----END KEY-----\n"
OTHER = "sk-WXQJVKZQWXKJVZQW"
SECRETS = {"OPENAI_API_KEY": KEY, "SITE_TOKEN": SITE, "TASK_TOKEN": TASK, "DECLARED_KEY": OTHER}
SETTINGS = """
models:
  declared:
    endpoint: http://127.0.0.1:9/v1
    api_key_env: DECLARED_KEY
pass_env: [SITE_TOKEN]
site:
  limits: {log_bytes: 200k}
"""
YAML = "name: {name}\ncommand: python3 spill.py {name}\ntimeout: {timeout}\npass_env: [TASK_TOKEN]\n"


@pytest.fixture
def spilling(project: Project) -> Project:
    """A workspace whose tasks spill their secrets in all ways, and whose environment holds canaries."""
    project.benchmark("b", dict.fromkeys(SPILLING, ""), dockerfile="FROM python:3.12-slim\n")
    for name in SPILLING:
        timeout = 3 if name == "sleeps" else 60
        project.write(f"benchmarks/b/{name}/task.yaml", YAML.format(name=name, timeout=timeout))
        project.write(f"benchmarks/b/{name}/spill.py", SPILL)
    project.write("benchrouter.yaml", SETTINGS)
    project.environment.update(SECRETS, BENCHROUTER_MODEL_ENDPOINT="http://127.0.0.1:9/v1")
    return project


def test_a_canary_is_in_no_byte_that_a_run_wrote_and_on_no_command_line(spilling: Project) -> None:
    """Run every kind of spilling with both kinds of model; search workspace, terminal, arguments and labels."""
    canary = Canary(*SECRETS.values())
    with canary.watched(spilling) as seen:
        done = spilling.doit("run", "model=m,declared", "preflight=0")
    assert done.status == 1, done.text
    states = {(job["model"], job["task"]): job for job in spilling.newest_run()["jobs"]}
    for model in ("m", "declared"):
        for task, expected in SPILLING.items():
            job = states[model, task]
            assert " ".join(filter(None, (job["state"], job["reason"]))) == expected, (model, task, job)
    assert SEEN in seen
    assert not set(seen) - {SEEN}
    check_nowhere(canary, spilling, done)
    log = (spilling.artifacts("b", "prints", "m")[0] / "logs" / "stdout.log").read_text()
    assert "Bearer [redacted]" in log and "https://user:[redacted]@host.example/path" in log
    for words in (["list", "--all"], ["explain", "job:b/*"], ["plan"], ["info", "job:b/prints@m"]):
        check_nowhere(canary, spilling, spilling.doit(*words, "model=m"))


def test_a_canary_is_gone_after_a_kill_and_the_next_start(spilling: Project) -> None:
    """Kill a run while tasks hold their secrets in output and log; after the next start nothing has them."""
    canary = Canary(*SECRETS.values())
    spilling.write("benchmarks/b/sleeps/task.yaml", YAML.format(name="sleeps", timeout=60))
    process = spilling.start("run", "model=m", "preflight=0", "tasks=sleeps")
    wait_until(lambda: any((spilling.root / "cache" / "attempts").glob("*/*/output/partial.txt")), 60)
    process.send_signal(signal.SIGKILL)
    killed = Done(-9, *process.communicate())
    assert containers_of(spilling.id)
    # What tasks write into their own mounts is theirs until it is taken over; all else is ours already.
    ours = [found for found in canary.below(spilling.root) if "/output/" not in found]
    assert not ours
    done = spilling.run("tasks=prints")
    check_nowhere(canary, spilling, killed)
    check_nowhere(canary, spilling, done)


@pytest.mark.parametrize("status", [401, 500])
def test_an_endpoint_that_sends_the_key_back_does_not_make_us_show_it(spilling: Project, status: int) -> None:
    """Ask an endpoint whose errors hold the key that it was asked with."""
    canary = Canary(*SECRETS.values())
    with echoing_endpoint(status) as (url, heard):
        env = {"BENCHROUTER_MODEL_ENDPOINT": url}
        done = spilling.doit("run", "model=m", "tasks=sleeps", env=env)
    assert any(canary.found_in(each.encode()) for each in heard)
    assert done.status == 1
    check_nowhere(canary, spilling, done)


@contextmanager
def echoing_endpoint(status: int) -> Iterator[tuple[str, list[str]]]:
    """Serve errors that quote the key; also give what was heard."""
    heard: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(self.headers.get("Authorization", ""))
            body = json.dumps({"error": {"message": f"Incorrect API key provided: {heard[-1]}"}}).encode()
            self.send_response(status, f"not with {quote(heard[-1])}")
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", heard
    finally:
        server.shutdown()
        server.server_close()


def check_nowhere(canary: Canary, project: Project, done: Done) -> None:
    """Search both streams and every byte below the workspace."""
    assert not canary.found_in(done.out.encode()), canary.found_in(done.out.encode())
    assert not canary.found_in(done.err.encode()), canary.found_in(done.err.encode())
    assert not canary.below(project.root)
