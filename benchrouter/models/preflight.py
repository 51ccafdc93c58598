"""Ask an endpoint once, before the first job: does it answer, and does it take the key?"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from benchrouter.models.model import Model, no_endpoint

if TYPE_CHECKING:
    from benchrouter.models.asker import Answer, Asker


@dataclass(frozen=True)
class Preflight:
    """What the endpoint said; `ok` is False when no job can succeed, `refused` when the key was not taken.

    With `ok`, a `detail` that is not empty is a warning; `failing` says that it answers, but with an error that
    may pass (429, 500 and above).
    """

    ok: bool
    detail: str = ""
    refused: bool = False
    failing: bool = False


def preflight(
    model: Model,
    endpoint: str | None = None,
    ca_bundle: Path | str | None = None,
    proxies: Mapping[str, str] | None = None,
    deadline: float = 10.0,
) -> Preflight:
    """Ask `GET /models`, else for a one-token completion; give up after `deadline` seconds in all.

    `proxies` may hold `http`, `https` and `no_proxy`; None takes the environment's.
    """
    url = endpoint or model.endpoint
    if url is None:
        return Preflight(False, no_endpoint(model.name))
    from http.client import HTTPException

    from benchrouter.models.asker import Asker

    found: list[Preflight] = []

    def ask() -> None:
        try:
            found.append(_ask(Asker(url, model.api_key, ca_bundle, proxies, deadline), model))
        except (OSError, HTTPException, ValueError) as error:
            found.append(Preflight(False, f"{url} does not answer: {_cause(error)}"))

    # A thread, because a server that trickles bytes renews every timeout of a socket.
    thread = threading.Thread(target=ask, name="preflight", daemon=True)
    thread.start()
    thread.join(deadline)
    answer = found[0] if found else Preflight(False, f"{url} does not answer within {deadline:g} s")
    shown = answer.detail.replace(model.api_key, "***") if len(model.api_key) >= 8 else answer.detail
    return replace(answer, detail=shown)


def _ask(asker: Asker, model: Model) -> Preflight:
    listed = asker.get("/models")
    names = _model_names(listed) if listed.status == 200 else None
    if names is not None:
        return Preflight(True, _unlisted(model, names))
    if _verdict(asker, model, listed) is None and listed.status != 429:
        message = {"role": "user", "content": "Hi"}
        listed = asker.post("/chat/completions", {"model": model.id, "messages": [message], "max_tokens": 1})
    verdict = _verdict(asker, model, listed)
    if verdict is not None:
        return verdict
    if listed.status == 200:
        return Preflight(True)
    failing = listed.status == 429 or listed.status >= 500
    return Preflight(True, f"{asker.url} answers with status {listed.status}", failing=failing)


def _verdict(asker: Asker, model: Model, answer: Answer) -> Preflight | None:
    if answer.status in (401, 403):
        return Preflight(
            False, f"{asker.url} refuses the key (status {answer.status}): {key_advice(model)}", True
        )
    if 300 <= answer.status < 400:
        # Followed, a redirect would carry the key to whoever it names.
        where = urlsplit(answer.location)._replace(query="", fragment="").geturl()
        return Preflight(False, f"{asker.url} redirects to {where}; give that as the endpoint")
    return None


def key_advice(model: Model) -> str:
    """Say what to look at where an endpoint refuses a model's key."""
    if model.has_key:
        return f"check the value of {model.api_key_env}"
    if model.api_key_env:
        return f"{model.api_key_env} is not set"
    return f"name the key's variable by models.{model.name}.api_key_env in benchrouter.yaml"


def _model_names(answer: Answer) -> list[str] | None:
    try:
        data = json.loads(answer.body)["data"]
        return [str(entry["id"]) for entry in data]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _unlisted(model: Model, names: list[str]) -> str:
    if model.id in names or not names:
        return ""
    from difflib import get_close_matches

    near = get_close_matches(model.id, names, n=1)
    return f"the endpoint does not list `{model.id}`" + (f" (nearest: `{near[0]}`)" if near else "")


def _cause(error: BaseException) -> str:
    import ssl

    reason = getattr(error, "reason", None) or error
    if isinstance(reason, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({reason.verify_message}); set site.ca_bundle"
    return getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
