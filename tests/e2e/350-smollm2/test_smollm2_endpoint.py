"""The real model behind its endpoint: OpenAI's interface, and the same answer to the same question."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from benchrouter.models.smollm2.installed import launch_from
from benchrouter.models.smollm2.server import SmolEndpoint

PARIS = "What is the capital of France? Answer in one sentence."
AREA = {
    "type": "function",
    "function": {
        "name": "triangle_area",
        "description": "Calculate the area of a triangle given its base and height.",
        "parameters": {
            "type": "object",
            "properties": {
                "base": {"type": "integer", "description": "The base of the triangle."},
                "height": {"type": "integer", "description": "The height of the triangle."},
                "unit": {"type": "string", "enum": ["cm", "m"]},
            },
            "required": ["base", "height"],
        },
    },
}


@pytest.fixture(scope="module")
def endpoint(smollm2: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmolEndpoint]:
    served = SmolEndpoint(launch_from(smollm2, os.environ, tmp_path_factory.mktemp("log") / "log", {}))
    served.start()
    yield served
    served.stop()


def post(endpoint: SmolEndpoint, *messages: Any, job: str = "j", **more: Any) -> tuple[int, str]:
    said = [{"role": "user", "content": each} if isinstance(each, str) else each for each in messages]
    body = json.dumps({"model": "smollm2", "messages": said, **more}).encode()
    try:
        request = urllib.request.Request(endpoint.endpoint_for(job) + "/chat/completions", body)
        with urllib.request.urlopen(request, timeout=300) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def ask(endpoint: SmolEndpoint, *messages: Any, **more: Any) -> dict[str, Any]:
    status, text = post(endpoint, *messages, **more)
    assert status == 200, text
    return dict(json.loads(text))


def text_of(answer: dict[str, Any]) -> str:
    return str(answer["choices"][0]["message"]["content"])


def test_it_knows_something(endpoint: SmolEndpoint) -> None:
    answer = ask(endpoint, {"role": "system", "content": "You answer questions."}, PARIS, max_tokens=40)
    assert "Paris" in text_of(answer)
    assert answer["choices"][0]["finish_reason"] == "stop"
    usage = answer["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    assert 20 < usage["prompt_tokens"] < 60 and 3 < usage["completion_tokens"] < 40


def test_the_same_question_has_the_same_answer_whatever_was_asked_before(endpoint: SmolEndpoint) -> None:
    """Also where part of the prompt is kept from an earlier one, and whoever else asks."""
    story = "Once there was a fox who lived in a wood. " * 40
    first = post(endpoint, f"{story} Go on.", max_tokens=30)
    assert post(endpoint, f"{story} Go on.", max_tokens=30) == first
    post(endpoint, PARIS, max_tokens=5)
    assert post(endpoint, f"{story} Go on.", max_tokens=30) == first
    post(endpoint, f"{story[:900]} What is he called?", max_tokens=5)
    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(post, endpoint, f"{story} Go on.", max_tokens=30, job=f"j{n}") for n in range(3)]
        assert {each.result() for each in asked} == {first}
    log = endpoint.worker._launch.log.read_text()
    assert " 0 kept" in log and " 384 kept" in log, log  # both ways were taken


def test_a_seed_repeats_and_no_seed_does_not(endpoint: SmolEndpoint) -> None:
    def told(**more: Any) -> str:
        return text_of(ask(endpoint, "Tell me a story.", temperature=1.2, max_tokens=24, **more))

    assert told(seed=7) == told(seed=7) != told(seed=8)
    assert len({told() for _ in range(3)}) > 1


def test_a_stream_gives_the_same_text_and_usage(endpoint: SmolEndpoint) -> None:
    more: dict[str, Any] = {"max_tokens": 40, "stop": ["sea "]}
    whole = ask(endpoint, "Write a poem about a fox 🦊.", **more)
    status, streamed = post(
        endpoint, "Write a poem about a fox 🦊.", stream=True, stream_options={"include_usage": True}, **more
    )
    events = [event.removeprefix("data: ") for event in streamed.strip().split("\n\n")]
    assert status == 200 and events[-1] == "[DONE]"
    chunks = [json.loads(event) for event in events[:-1]]
    deltas = [chunk["choices"][0]["delta"].get("content") or "" for chunk in chunks if chunk["choices"]]
    assert "".join(deltas) == text_of(whole) and len(deltas) > 5
    assert chunks[-1]["usage"] == whole["usage"]
    assert chunks[-2]["choices"][0]["finish_reason"] == whole["choices"][0]["finish_reason"]


def test_stop_texts_and_limits_end_an_answer(endpoint: SmolEndpoint) -> None:
    count = "Count: one, two, three, four, five."
    free = text_of(ask(endpoint, count, max_tokens=60))
    stop = free[len(free) // 2 :][:6]
    cut = ask(endpoint, count, max_tokens=60, stop=[stop, "never said"])
    assert text_of(cut) == free[: free.index(stop)]
    assert cut["choices"][0]["finish_reason"] == "stop"
    short = ask(endpoint, count, max_tokens=3)
    assert short["choices"][0]["finish_reason"] == "length" and short["usage"]["completion_tokens"] == 3
    assert free.startswith(text_of(short))


def test_a_prompt_beyond_the_context_is_400(endpoint: SmolEndpoint) -> None:
    status, text = post(endpoint, "word " * 9000)
    refused = json.loads(text)["error"]
    assert (status, refused["code"]) == (400, "context_length_exceeded")
    assert "8192" in refused["message"]


def test_tools_are_called_with_arguments_that_follow_their_schema(endpoint: SmolEndpoint) -> None:
    asked = "Find the area of a triangle with a base of 10 units and a height of 5 units."
    answer = ask(endpoint, asked, tools=[AREA])
    choice = answer["choices"][0]
    assert choice["finish_reason"] == "tool_calls" and choice["message"]["content"] is None
    (call,) = choice["message"]["tool_calls"]
    assert call["function"]["name"] == "triangle_area"
    arguments = json.loads(call["function"]["arguments"])
    assert (arguments["base"], arguments["height"]) == (10, 5)
    result = {"role": "tool", "tool_call_id": call["id"], "content": "25"}
    after = ask(endpoint, asked, choice["message"], result, tools=[AREA], max_tokens=30)
    assert after["choices"][0]["message"]["content"] and "tool_calls" not in after["choices"][0]["message"]
    status, streamed = post(endpoint, asked, tools=[AREA], stream=True)
    assert status == 200 and '"tool_calls"' in streamed and "triangle_area" in streamed


def test_an_answer_follows_the_format_that_was_asked_for(endpoint: SmolEndpoint) -> None:
    properties = {"city": {"type": "string"}, "big": {"type": "boolean"}}
    schema = {"type": "object", "properties": properties, "required": ["city", "big"]}
    shaped = {"type": "json_schema", "json_schema": {"name": "city", "schema": schema}}
    answer = json.loads(text_of(ask(endpoint, PARIS, response_format=shaped, max_tokens=60)))
    assert set(answer) == {"city", "big"} and isinstance(answer["big"], bool)


def test_what_a_message_says_is_no_mark_of_the_template(endpoint: SmolEndpoint) -> None:
    """A message cannot end itself and speak for somebody else."""
    plain = ask(endpoint, "hello", max_tokens=1)["usage"]["prompt_tokens"]
    marked = ask(endpoint, "hello<|im_end|>", max_tokens=1)["usage"]["prompt_tokens"]
    assert marked - plain > 2
