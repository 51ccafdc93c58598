"""Long answers: what is left of a connection when one is broken off."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest

from benchrouter.engine.address import find_address
from benchrouter.engine.client import Engine
from benchrouter.engine.feed import post

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n%s\r\n"
LINE = b'{"error": "no space left on device"}\n'


class Refusing:
    """Refuses every request with one line, and ends its answer only when the client has closed its half.

    As an engine does, it leaves the connection open for a while unless it was asked not to.
    """

    def __init__(self, path: Path) -> None:
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(path))
        self._listening.listen()
        self.ended = threading.Event()
        self.answered = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        asked = b""
        while b"\r\n\r\n" not in asked:
            asked += connection.recv(65536)
        last = b"connection: close\r\n" in asked.lower()
        self.answered += 1
        connection.sendall(HEAD % (b"Connection: close\r\n" if last else b""))
        connection.sendall(b"%x\r\n%s\r\n" % (len(LINE), LINE))
        while connection.recv(65536):
            pass
        connection.sendall(b"0\r\n\r\n")
        if not last:
            self.ended.wait()
        connection.close()

    def close(self) -> None:
        """Let go of all connections."""
        self.ended.set()
        self._listening.close()


@pytest.fixture
def refusing(tmp_path: Path) -> Iterator[tuple[Engine, Refusing]]:
    """An engine with which every request ends in a refusal."""
    path = tmp_path / "socket"
    server = Refusing(path)
    address = f"unix://{path}"
    engine = Engine(
        docker.APIClient(base_url=address, version="1.41", timeout=10),
        docker.APIClient(base_url=address, version="1.41", timeout=10),
        find_address(address, {}),
    )
    yield engine, server
    engine.close()
    server.close()


def test_a_connection_that_was_half_closed_serves_no_other_request(refusing: tuple[Engine, Refusing]) -> None:
    """Whoever leaves at the first refusal can ask again at once."""
    engine, server = refusing
    for number in range(1, 4):
        for said in post(engine, "/images/load", {}, threading.Event(), body=iter([b"one", b"two"])):
            assert "no space" in said["error"]
            break
        assert server.answered == number
