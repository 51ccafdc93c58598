"""Ask the model that the task is evaluated against."""

from __future__ import annotations

import json
import os
import sys
import time
import urllib.error
import urllib.request
from typing import Any

from benchrouter.sdk.result import ENDPOINT_FAILED

_TRANSIENT = (408, 409, 425, 429, 500, 502, 503, 504)
_LONGEST_WAIT = 60.0


class EndpointError(SystemExit):
    """The endpoint failed, which is not the model's fault: uncaught, the script ends with status 75.

    It is no subclass of Exception, so that a broad `except Exception` around one item does not score it as 0.
    """

    def __init__(self, message: str) -> None:
        super().__init__(ENDPOINT_FAILED)
        self.message = message
        print(f"endpoint: {message}", file=sys.stderr)

    def __str__(self) -> str:
        return self.message


def chat(messages: Any, timeout: float = 600.0, attempts: int = 4, **parameters: Any) -> str:
    """Send chat messages (a list, or one string for a single user message); return the answer's text.

    Declared model parameters are sent along, `parameters` win over them. Raise EndpointError when the
    endpoint refuses, or still fails after `attempts` tries.
    """
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    body = json.loads(os.environ.get("BENCHROUTER_MODEL_PARAMETERS") or "{}")
    body.update(parameters)
    body.update(model=os.environ["BENCHROUTER_MODEL_NAME"], messages=messages)
    answer = _post("/chat/completions", body, timeout, attempts)
    try:
        text = answer["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        raise EndpointError(f"no choices[0].message.content in the answer {answer!r:.200}") from None
    return str(text or "")


def _post(path: str, body: Any, timeout: float, attempts: int) -> Any:
    url = os.environ["BENCHROUTER_MODEL_ENDPOINT"].rstrip("/") + path
    headers = {
        "Content-Type": "application/json",
        "Authorization": "Bearer " + os.environ.get("OPENAI_API_KEY", "EMPTY"),
    }
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    for attempt in range(attempts):
        wait = min(2.0**attempt, _LONGEST_WAIT)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as response:
                return json.loads(response.read().decode("utf-8"))
        except urllib.error.HTTPError as error:
            problem = f"status {error.code}: {error.read(300).decode('utf-8', 'replace')}"
            if error.code not in _TRANSIENT:
                break
            wait = _retry_after(error, wait)
        except (OSError, ValueError) as error:  # no connection, a timeout, an answer that is not JSON
            problem = f"{type(error).__name__}: {error}"
        if attempt + 1 < attempts:
            time.sleep(wait)
    raise EndpointError(f"{path}: {problem}")


def _retry_after(error: urllib.error.HTTPError, default: float) -> float:
    try:
        return min(max(float(error.headers["Retry-After"]), 0.0), _LONGEST_WAIT)
    except (KeyError, TypeError, ValueError):
        return default
