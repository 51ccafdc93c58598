"""The endpoint of `smollm2`: HTTP on 127.0.0.1 in our process, which asks the child process in turn."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from typing import Any

from benchrouter.models.local_api import ApiHandler, RequestError
from benchrouter.models.local_endpoint import LocalEndpoint
from benchrouter.models.smollm2.completion import (
    Said,
    completion,
    first_chunk,
    ident,
    last_chunks,
    text_chunk,
)
from benchrouter.models.smollm2.pins import NAME
from benchrouter.models.smollm2.request import Ask, parse
from benchrouter.models.smollm2.turns import Gone, Turns
from benchrouter.models.smollm2.worker import Launch, Worker, WorkerError


class SmolEndpoint:
    """Serves the model until stopped; each job has a URL of its own, so that the turns are fair between jobs."""

    def __init__(self, launch: Launch) -> None:
        self.worker = Worker(launch)
        self.turns = Turns()
        self._http = LocalEndpoint(SmolHandler, self)
        self._lock = threading.Lock()
        self.facts: Mapping[str, Any] = {}

    def start(self) -> str:
        """Load the model and start serving, once; return the base URL. Raise WorkerError when it cannot be loaded."""
        with self._lock:
            if not self.facts:
                self.facts = self.worker.start()
        return self._http.start()

    def endpoint_for(self, name: str) -> str:
        """Start if need be, and return the base URL of one job."""
        self.start()
        return self._http.endpoint_for(name)

    def stop(self) -> None:
        """Stop serving, and end the process."""
        self._http.stop()
        self.worker.stop()


class SmolHandler(ApiHandler):
    """Answers chat completions by `server.serves`; the prefix of the path is the job."""

    model_name = NAME

    def complete(self, body: bytes, prefix: str | None) -> None:
        """Serve a chat completion, when it is this job's turn."""
        ask, name, lane = parse(body), ident(body), prefix or ""
        served: SmolEndpoint = self.server.serves  # type: ignore[attr-defined]
        try:
            with ExitStack() as stack:
                stack.enter_context(served.turns.turn(lane, self.client_is_gone))
                said = stack.enter_context(closing(served.worker.answer(ask, lane, self.client_is_gone)))
                next(said)  # from here on nothing is wrong with the request
                if ask.stream:
                    self.stream(_chunks(ask, name, said))
                    return
                whole = [each for each in said if isinstance(each, Said)][-1]
            self.send_json(200, completion(ask, whole, name))
        except Gone:
            self.close_connection = True
        except WorkerError as error:
            self.close_connection = True
            if not self.streaming:
                raise RequestError(str(error), 503, "model_process_ended") from None


def _chunks(ask: Ask, name: str, said: Iterator[str | Said]) -> Iterator[dict[str, Any]]:
    yield first_chunk(ask, name)
    for each in said:
        if isinstance(each, Said):
            yield from last_chunks(ask, each, name)
        elif not ask.calls:
            yield text_chunk(ask, name, each)
