"""Ask the model that the task is evaluated against."""

from __future__ import annotations

import json
import os
import sys
import time
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any

from benchrouter.sdk.result import ENDPOINT, ENDPOINT_FAILED, wellformed

_TRANSIENT = (408, 409, 425, 429, 500, 502, 503, 504)
_LONGEST_WAIT = 60.0


class EndpointError(SystemExit):
    """The endpoint failed, which is not the model's fault: uncaught, the script ends with status 75.

    It is no subclass of Exception, so that a broad `except Exception` around one item does not score it as 0. Its
    text begins with "endpoint: ", and serves as the `error` of an item. `status` is that of its HTTP answer, if any.
    """

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(ENDPOINT_FAILED)
        self.message = ENDPOINT + message
        self.told = message
        self.status = status
        print(self.message, file=sys.stderr)

    def __str__(self) -> str:
        return self.message


def chat(messages: Any, timeout: float = 600.0, attempts: int = 4, **parameters: Any) -> str:
    """Send chat messages (a list, or one string for a single user message); return the answer's text.

    Takes what `complete` takes; an answer without a text is "".
    """
    answer = complete(messages, timeout=timeout, attempts=attempts, **parameters)
    return str(answer["choices"][0]["message"].get("content") or "")


def complete(
    messages: Any,
    tools: Any = None,
    timeout: float = 600.0,
    attempts: int = 4,
    defaults: Any = None,
    **parameters: Any,
) -> dict[str, Any]:
    """Send chat messages and return the whole answer object: `choices[0].message`, and mostly `usage`.

    What is sent beside them, each winning over those before it: BENCHROUTER_SEED as `seed`, `defaults`, the
    parameters declared for the model, `parameters`. Raise EndpointError when the endpoint refuses, answers what is no
    chat completion, or still fails after `attempts` tries.
    """
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    seed = os.environ.get("BENCHROUTER_SEED")
    body: dict[str, Any] = {"seed": int(seed)} if seed else {}
    body.update(defaults or {})
    body.update(json.loads(os.environ.get("BENCHROUTER_MODEL_PARAMETERS") or "{}"))
    body.update(parameters)
    body.update(model=os.environ["BENCHROUTER_MODEL_NAME"], messages=messages)
    if tools:
        body["tools"] = tools
    answer = _post("/chat/completions", body, timeout, attempts)
    try:
        message = answer["choices"][0]["message"]
        sound = isinstance(message, dict) and ("content" in message or "tool_calls" in message)
    except (KeyError, IndexError, TypeError):
        sound = False
    if not sound:
        raise EndpointError(f"no choices[0].message with `content` or `tool_calls` in the answer {answer!r:.200}")
    return dict(answer)


def _post(path: str, body: Any, timeout: float, attempts: int) -> Any:
    url = os.environ["BENCHROUTER_MODEL_ENDPOINT"].rstrip("/") + path
    headers = {
        "Content-Type": "application/json",
        "Authorization": "Bearer " + os.environ.get("OPENAI_API_KEY", "EMPTY"),
    }
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    for attempt in range(attempts):
        status = None
        wait = min(2.0**attempt, _LONGEST_WAIT)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as response:
                # What is no UTF-8 in an answer is the model's, and costs it that answer at most.
                return wellformed(json.loads(response.read().decode("utf-8", "replace")))
        except urllib.error.HTTPError as error:
            status = error.code
            problem = f"status {error.code}: {error.read(300).decode('utf-8', 'replace')}"
            if error.code not in _TRANSIENT:
                break
            wait = _retry_after(error, wait)
        except (OSError, HTTPException, ValueError) as error:  # no connection, a timeout, cut off, no JSON
            problem = f"{type(error).__name__}: {error}"
        if attempt + 1 < attempts:
            time.sleep(wait)
    raise EndpointError(f"{path}: {problem}", status)


def _retry_after(error: urllib.error.HTTPError, default: float) -> float:
    try:
        return min(max(float(error.headers["Retry-After"]), 0.0), _LONGEST_WAIT)
    except (KeyError, TypeError, ValueError):
        return default
