"""Long answers of an engine, one JSON object a line, with cancellation: pulls, builds by the API."""

from __future__ import annotations

import json
import queue
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

from benchrouter.engine import deadlines
from benchrouter.engine.client import Engine
from benchrouter.engine.errors import BuildCancelled

_TICK = 0.2
_DONE = object()


def post(
    engine: Engine,
    path: str,
    params: Mapping[str, Any],
    cancelled: threading.Event,
    *,
    headers: Mapping[str, str] | None = None,
    body: Any = None,
) -> Iterator[dict[str, Any]]:
    """Send a request and yield the objects of its answer.

    Raises BuildCancelled soon after the run is, however silent the engine: our half of the connection is closed,
    which makes the engine give up, and it gets a moment to say that it has, because until then it may still make
    a layer. The caller translates the library's errors.
    """
    api: Any = engine.slow
    items: queue.Queue[Any] = queue.Queue(maxsize=1000)
    closing = _Closing(api)
    url = api._url(path)

    def read() -> None:
        try:
            response = api.post(
                url, params=params, data=body, headers=dict(headers or {}), stream=True, timeout=api.timeout
            )
            if closing.watch(response):
                api._raise_for_status(response)
                for line in response.iter_lines(chunk_size=None):
                    if line.strip():
                        items.put(json.loads(line))
            items.put(_DONE)
        except BaseException as error:  # handed over and raised where the caller can see it
            items.put(error)

    reader = threading.Thread(target=read, name="engine-feed", daemon=True)
    reader.start()
    try:
        yield from _until_done(items, cancelled)
    finally:
        closing.half_close()
        _read_out(items, reader)
        closing.close()


def _until_done(items: queue.Queue[Any], cancelled: threading.Event) -> Iterator[dict[str, Any]]:
    while True:
        if cancelled.is_set():
            raise BuildCancelled("stopped because the run was")
        try:
            item = items.get(timeout=_TICK)
        except queue.Empty:
            continue
        if item is _DONE:
            return
        if isinstance(item, BaseException):
            raise item
        yield item


def _read_out(items: queue.Queue[Any], reader: threading.Thread) -> None:
    until = time.monotonic() + deadlines.BUILD_STOP
    while reader.is_alive() and time.monotonic() < until:
        try:
            items.get(timeout=_TICK / 10)
        except queue.Empty:
            pass


class _Closing:
    """The connection of a feed, closed at most once, from whichever thread comes first."""

    def __init__(self, api: Any) -> None:
        self._api = api
        self._lock = threading.Lock()
        self._closed = self._half_closed = False
        self._response: Any = None

    def watch(self, response: Any) -> bool:
        """Remember the response; False, and closed, when nobody waits for it any more."""
        with self._lock:
            self._response = response
            if self._half_closed:
                _shut(self._api, response, socket.SHUT_WR)
            if self._closed:
                _shut(self._api, response)
            return not self._closed

    def half_close(self) -> None:
        """Tell the engine that we do not wait any more, and go on reading."""
        with self._lock:
            if not self._half_closed and self._response is not None:
                _shut(self._api, self._response, socket.SHUT_WR)
            self._half_closed = True

    def close(self) -> None:
        """Close the connection, waking whoever reads it."""
        with self._lock:
            if not self._closed and self._response is not None:
                _shut(self._api, self._response)
            self._closed = True


def _shut(api: Any, response: Any, how: int = socket.SHUT_RDWR) -> None:
    # Closing a socket does not wake a thread that reads it; shutting it down does.
    try:
        raw = api._get_raw_response_socket(response)
        getattr(raw, "_sock", raw).shutdown(how)
    except (AttributeError, OSError, ValueError):
        pass
