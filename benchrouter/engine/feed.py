"""Long answers of an engine, with cancellation: pulls, builds by the API, images as they leave and come in."""

from __future__ import annotations

import json
import queue
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from benchrouter.engine import deadlines
from benchrouter.engine.client import Engine
from benchrouter.engine.errors import BuildCancelled

_TICK = 0.2
_LAST = {"Connection": "close"}  # what was closed on our side only must not serve the next request
_BLOCK = 1 << 20
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
    url = api._url(path)
    told = {**_LAST, **(headers or {})}

    def send() -> Any:
        return api.post(url, params=params, data=body, headers=told, stream=True, timeout=api.timeout)

    yield from _feed(api, send, _objects, cancelled, ahead=1000, heard_out=True)


def get(engine: Engine, path: str, name: str, cancelled: threading.Event) -> Iterator[bytes]:
    """Ask for the bytes behind `path`, whose `{0}` is `name`, and yield them in large pieces; else as `post`."""
    api: Any = engine.slow
    url = api._url(path, name)

    def send() -> Any:
        return api.get(url, headers=_LAST, stream=True, timeout=api.timeout)

    yield from _feed(api, send, _blocks, cancelled, ahead=16, heard_out=False)


def _objects(response: Any) -> Iterator[dict[str, Any]]:
    for line in response.iter_lines(chunk_size=None):
        if line.strip():
            yield json.loads(line)


def _blocks(response: Any) -> Iterator[bytes]:
    while block := response.raw.read(_BLOCK):
        yield block


def _feed(
    api: Any,
    send: Callable[[], Any],
    items_of: Callable[[Any], Iterator[Any]],
    cancelled: threading.Event,
    *,
    ahead: int,
    heard_out: bool,
) -> Iterator[Any]:
    """Read an answer in a thread of its own, at most `ahead` items before they are wanted.

    An engine that is `heard_out` may say that it has given up before the connection is closed.
    """
    items: queue.Queue[Any] = queue.Queue(maxsize=ahead)
    closing = _Closing(api)

    def read() -> None:
        try:
            response = send()
            if closing.watch(response):
                api._raise_for_status(response)
                for item in items_of(response):
                    items.put(item)
            items.put(_DONE)
        except BaseException as error:  # handed over and raised where the caller can see it
            items.put(error)

    reader = threading.Thread(target=read, name="engine-feed", daemon=True)
    reader.start()
    try:
        yield from _until_done(items, cancelled)
    finally:
        if heard_out:
            closing.half_close()
        else:
            closing.close()
        _read_out(items, reader)
        closing.close()


def _until_done(items: queue.Queue[Any], cancelled: threading.Event) -> Iterator[Any]:
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
