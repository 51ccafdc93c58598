"""The endpoint over HTTP with a stand-in for the model's process: crashes, clients that go, streams, errors."""

from __future__ import annotations

import http.client
import json
import os
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from benchrouter.models.smollm2.server import SmolEndpoint
from benchrouter.models.smollm2.worker import Launch, WorkerError

STANDIN = Path(__file__).with_name("standin.py")


def launch(directory: Path, **mark: str) -> Launch:
    node = directory / "node"
    node.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{STANDIN}"\n')
    node.chmod(0o755)
    return Launch(str(node), directory, directory / "weights", None, 1, 8192, directory / "logs" / "log", mark)


@pytest.fixture
def endpoint(tmp_path: Path) -> Iterator[SmolEndpoint]:
    served = SmolEndpoint(launch(tmp_path))
    served.start()
    yield served
    served.stop()


def ask(endpoint: SmolEndpoint, text: str, job: str = "a/b@m", **more: Any) -> tuple[int, Any]:
    body = json.dumps({"model": "smollm2", "messages": [{"role": "user", "content": text}], **more}).encode()
    request = urllib.request.Request(endpoint.endpoint_for(job) + "/chat/completions", body)
    try:
        with urllib.request.urlopen(request, timeout=20) as reply:
            return reply.status, reply.read().decode() if more.get("stream") else json.load(reply)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def hang_up(endpoint: SmolEndpoint, text: str, **more: Any) -> http.client.HTTPConnection:
    """Ask, and give what is to be closed without having read the answer."""
    connection = http.client.HTTPConnection(urlsplit(endpoint.start()).netloc, timeout=20)
    body = json.dumps({"model": "smollm2", "messages": [{"role": "user", "content": text}], **more})
    connection.request("POST", "/v1/chat/completions", body)
    return connection


def wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.01)


def log_of(endpoint: SmolEndpoint) -> str:
    return endpoint.worker._launch.log.read_text()


def test_a_text_whole_and_in_a_stream(endpoint: SmolEndpoint) -> None:
    status, whole = ask(endpoint, "chatter two words")
    assert status == 200
    assert whole["choices"][0]["message"]["content"] == "chatter two words "
    assert whole["usage"] == {"prompt_tokens": 3, "completion_tokens": 3, "total_tokens": 6}
    status, streamed = ask(endpoint, "chatter two words", stream=True)
    events = [event.removeprefix("data: ") for event in streamed.strip().split("\n\n")]
    assert events[-1] == "[DONE]"
    deltas = [json.loads(event)["choices"][0]["delta"] for event in events[:-1]]
    assert "".join(delta.get("content") or "" for delta in deltas) == "chatter two words "
    assert "this is no message" in log_of(endpoint)


def test_it_lists_itself(endpoint: SmolEndpoint) -> None:
    with urllib.request.urlopen(endpoint.start() + "/models", timeout=5) as reply:
        assert [model["id"] for model in json.load(reply)["data"]] == ["smollm2"]


def test_a_request_that_does_not_fit_is_400_in_openais_words(endpoint: SmolEndpoint) -> None:
    for more in ({}, {"stream": True}):
        status, refused = ask(endpoint, "overflow", **more)
        assert (status, refused["error"]["code"]) == (400, "context_length_exceeded")
        assert refused["error"]["type"] == "invalid_request_error"
    assert ask(endpoint, "x", n=2)[0] == 400


def test_a_crash_is_an_error_of_the_one_who_asked_and_the_next_is_answered(endpoint: SmolEndpoint) -> None:
    first = endpoint.worker.pid
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: ask(endpoint, "die" if n == 3 else f"word{n}", f"job{n}"), range(8)))
    assert [status for status, _ in answers] == [200, 200, 200, 503, 200, 200, 200, 200]
    refused = answers[3][1]["error"]
    assert refused["code"] == "model_process_ended" and refused["type"] == "server_error"
    assert "ended in the middle of an answer (status 3)" in refused["message"] and "about to die" in refused["message"]
    assert endpoint.worker.pid not in (None, first)


def test_a_stream_that_breaks_off_is_no_end_of_a_stream(endpoint: SmolEndpoint) -> None:
    with pytest.raises((http.client.IncompleteRead, ConnectionError)):
        ask(endpoint, "some words die", stream=True)
    assert ask(endpoint, "again")[0] == 200


def test_a_client_that_goes_stops_its_answer(endpoint: SmolEndpoint) -> None:
    """Also one that waits for a whole answer, while words come all the time."""
    for more in ({}, {"stream": True}):
        connection = hang_up(endpoint, "forever", **more)
        wait_until(lambda: endpoint.turns._taken)
        time.sleep(0.1)
        connection.close()
        began = time.monotonic()
        assert ask(endpoint, "next")[0] == 200
        assert time.monotonic() - began < 5
    assert log_of(endpoint).count("cancelled") == 2


def test_a_client_that_goes_while_it_waits_frees_its_place(endpoint: SmolEndpoint) -> None:
    busy = hang_up(endpoint, "forever")
    wait_until(lambda: endpoint.turns._taken)
    waiting = hang_up(endpoint, "unheard")
    wait_until(lambda: endpoint.turns.waiting == 1)
    waiting.close()
    wait_until(lambda: endpoint.turns.waiting == 0)
    busy.close()
    assert ask(endpoint, "next")[0] == 200
    assert "request 2 : " not in log_of(endpoint)


def test_turns_are_fair_between_jobs(endpoint: SmolEndpoint) -> None:
    """One job that asks four times at once does not hold up another one that asks once."""
    busy = hang_up(endpoint, "forever")
    wait_until(lambda: endpoint.turns._taken)
    with ThreadPoolExecutor(6) as pool:
        for number in range(5):
            pool.submit(ask, endpoint, "word", "greedy/t@m" if number < 4 else "modest/t@m")
            wait_until(lambda wanted=number + 1: endpoint.turns.waiting == wanted)
        busy.close()
    lanes = [line.split()[2].rstrip(":") for line in log_of(endpoint).splitlines() if line.startswith("request")]
    assert lanes.index("modest/t@m") < 3, lanes


def test_it_ends_when_it_is_stopped_and_is_not_begun_again(endpoint: SmolEndpoint) -> None:
    connection = hang_up(endpoint, "forever", stream=True)
    wait_until(lambda: endpoint.turns._taken)
    process = endpoint.worker._process
    assert process is not None
    endpoint.stop()
    endpoint.stop()
    assert process.poll() is not None
    with pytest.raises(WorkerError, match="the run is ending"):
        endpoint.worker.start()
    connection.close()


def test_a_process_that_does_not_start_says_why(tmp_path: Path) -> None:
    endpoint = SmolEndpoint(launch(tmp_path, STANDIN="broken"))
    with pytest.raises(WorkerError, match=r"ended while it started \(status 1\); its log is .*cannot load the model"):
        endpoint.endpoint_for("a/b@m")
    endpoint.stop()


def test_it_ends_with_us_however_we_end(tmp_path: Path) -> None:
    """The end of its stdin is the sign; nothing but that is ours when we are killed."""
    code = f"""
import sys, time
sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
from test_server import SmolEndpoint, launch
endpoint = SmolEndpoint(launch(Path({str(tmp_path)!r})))
endpoint.start()
print(endpoint.worker.pid, flush=True)
time.sleep(60)
"""
    import subprocess

    ours = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert ours.stdout is not None
    pid = int(ours.stdout.readline())
    os.kill(pid, 0)
    ours.kill()
    ours.wait()
    wait_until(lambda: not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text().split()[2])


def test_its_environment_holds_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary-in-the-environment")
    monkeypatch.setenv("NODE_OPTIONS", "--inspect")
    endpoint = SmolEndpoint(launch(tmp_path, BENCHROUTER_OWNER="run-1"))
    endpoint.start()
    seen = Path(f"/proc/{endpoint.worker.pid}/environ").read_bytes()
    endpoint.stop()
    assert b"canary" not in seen and b"NODE_OPTIONS" not in seen
    assert b"BENCHROUTER_OWNER=run-1" in seen


def test_threads_that_start_it_at_once_start_one(tmp_path: Path) -> None:
    endpoint = SmolEndpoint(launch(tmp_path))
    barrier = threading.Barrier(8)

    def begin(number: int) -> str:
        barrier.wait(10)
        return endpoint.endpoint_for(f"job{number}")

    with ThreadPoolExecutor(8) as pool:
        urls = list(pool.map(begin, range(8)))
    assert len(urls) == len(set(urls)) and len({urlsplit(url).port for url in urls}) == 1
    endpoint.stop()
