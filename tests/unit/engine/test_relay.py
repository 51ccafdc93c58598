"""The relay over loopback: it listens at 127.0.0.2, where a caller comes from 127.0.0.1 unless it says otherwise."""

from __future__ import annotations

import http.client
import json
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from benchrouter.engine.relay import Relays
from benchrouter.engine.upstream import Upstream

GATEWAY, PEERS = IPv4Address("127.0.0.2"), IPv4Network("127.0.0.0/8")


class Endpoint(ThreadingHTTPServer):
    """Tells what it was asked; streams slowly, answers early, or never, where the path says so."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.gone = threading.Event()
        self.heads: list[str] = []
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def handle_error(self, request: object, client_address: object) -> None:
        pass

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Endpoint

    def do_GET(self) -> None:
        self.server.heads.append(str(self.headers))
        if self.path.endswith("/stream"):
            self._stream()
        elif self.path.endswith("/endless"):
            self._endless()
        else:
            self._tell(b"")

    def do_POST(self) -> None:
        self.server.heads.append(str(self.headers))
        if self.path.endswith("/early"):
            self.send_response(413)
            self.send_header("Content-Length", "0")
            self.end_headers()
            self.wfile.flush()
            self._body()
            return
        self._tell(self._body())

    do_PUT = do_DELETE = do_PATCH = do_POST

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _tell(self, body: bytes) -> None:
        said = {
            "method": self.command,
            "path": self.path,
            "host": self.headers["Host"],
            "authorization": self.headers["Authorization"],
            "size": len(body),
            "body": body[:100].decode("latin-1"),
        }
        data = json.dumps(said).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for index in range(3):
            data = f"data: {index}\n\n".encode()
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            time.sleep(0.3)
        self.wfile.write(b"0\r\n\r\n")

    def _endless(self) -> None:
        self.send_response(200)
        self.end_headers()
        try:
            while True:
                self.wfile.write(b"data: more\n\n")
                time.sleep(0.02)
        except OSError:
            self.server.gone.set()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def relays() -> Relays:
    return Relays()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def told(relays: Relays, endpoint: Endpoint) -> Iterator[str]:
    with relays.relay(Upstream(endpoint.url), GATEWAY, PEERS) as url:
        yield url


def ask(
    url: str, method: str = "GET", body: object = None, headers: Mapping[str, str] | None = None
) -> tuple[int, dict]:  # type: ignore[type-arg]
    parts = urlsplit(url)
    with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)) as connection:
        connection.request(method, parts.path, body, headers or {})  # type: ignore[arg-type]
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read() or b"{}")


def raw(url: str, data: bytes, source: str = "127.0.0.1") -> bytes:
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname or "", parts.port or 0), 5, (source, 0)) as peer:
        peer.sendall(data)
        got = b""
        try:
            while piece := peer.recv(65536):
                got += piece
        except ConnectionError:
            pass
        return got


def test_the_url_keeps_the_path_of_the_endpoint(told: str) -> None:
    assert urlsplit(told).hostname == "127.0.0.2"
    assert urlsplit(told).path == "/v1"


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_any_method_and_the_callers_key_arrive(told: str, endpoint: Endpoint, method: str) -> None:
    status, said = ask(f"{told}/chat/completions", method, b"x", {"Authorization": "Bearer k"})
    assert (status, said["method"], said["path"]) == (200, method, "/v1/chat/completions")
    assert said["authorization"] == "Bearer k"
    assert said["host"] == urlsplit(endpoint.url).netloc


def test_events_arrive_as_they_are_sent(told: str) -> None:
    parts = urlsplit(told)
    with closing(http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)) as connection:
        connection.request("GET", "/v1/stream")
        answer = connection.getresponse()
        began, times = time.monotonic(), []
        while line := answer.readline():
            if line.strip():
                times.append(time.monotonic() - began)
    assert len(times) == 3
    assert times[0] < 0.2 < times[1] < times[2]


def test_bodies_of_both_framings_arrive_whole(told: str) -> None:
    body = b"z" * (8 << 20)
    assert ask(f"{told}/a", "POST", body)[1]["size"] == len(body)
    pieces = (b"z" * 100_000 for _ in range(50))
    assert ask(f"{told}/a", "POST", pieces)[1]["size"] == 5_000_000


def test_an_answer_before_the_whole_question_arrives(told: str) -> None:
    status, _ = ask(f"{told}/early", "POST", b"z" * (16 << 20))
    assert status == 413


def test_a_peer_that_hangs_up_ends_the_endpoints_work(told: str, endpoint: Endpoint) -> None:
    parts = urlsplit(told)
    with socket.create_connection((parts.hostname or "", parts.port or 0), 5) as peer:
        peer.sendall(b"GET /v1/endless HTTP/1.1\r\nHost: x\r\n\r\n")
        assert peer.recv(100)
    assert endpoint.gone.wait(60)


@pytest.mark.parametrize("path", ["/", "/v2/x", "/v1x", "/v1/../admin", "/v1/%2e%2e/admin", "/v1/..%2fadmin", "*"])
def test_nothing_but_the_endpoint_can_be_reached(told: str, endpoint: Endpoint, path: str) -> None:
    got = raw(told, f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    assert got.startswith(b"HTTP/1.1 403 ")
    assert not endpoint.heads


def test_a_second_request_behind_the_first_is_not_passed_on(told: str, endpoint: Endpoint) -> None:
    raw(told, b"POST /v1/a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nzGET /admin HTTP/1.1\r\nHost: x\r\n\r\n")
    assert len(endpoint.heads) == 1


@pytest.mark.parametrize(
    "headers",
    [
        b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
        b"Content-Length: 1\r\nContent-Length: 2\r\n",
        b"Content-Length: +1\r\n",
        b"Transfer-Encoding: gzip, chunked\r\n",
        b"Content-Length : 1\r\n",
        b" folded\r\n",
    ],
)
def test_what_two_servers_could_read_differently_is_refused(told: str, endpoint: Endpoint, headers: bytes) -> None:
    got = raw(told, b"POST /v1/a HTTP/1.1\r\nHost: x\r\n" + headers + b"\r\nz")
    assert got.startswith(b"HTTP/1.1 400 ")
    assert not endpoint.heads


def test_headers_for_one_hop_stay_behind(told: str, endpoint: Endpoint) -> None:
    ask(f"{told}/a", headers={"Connection": "X-Own, close", "X-Own": "1", "Proxy-Authorization": "p", "X-Kept": "2"})
    (head,) = endpoint.heads
    assert "X-Kept: 2" in head
    assert "X-Own: 1" not in head
    assert "Proxy-Authorization" not in head


def test_strangers_and_the_hosts_own_processes_are_not_served(relays: Relays, endpoint: Endpoint) -> None:
    request = b"GET /v1/a HTTP/1.1\r\nHost: x\r\n\r\n"
    with relays.relay(Upstream(endpoint.url), GATEWAY, IPv4Network("127.1.0.0/16")) as url:
        assert raw(url, request) == b""
        assert raw(url, request, source="127.1.0.5").startswith(b"HTTP/1.1 200")
    with relays.relay(Upstream(endpoint.url), GATEWAY, PEERS) as url:
        assert raw(url, request, source=str(GATEWAY)) == b""


def test_an_endpoint_that_is_not_there_is_a_502_that_says_so(relays: Relays) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    with relays.relay(Upstream(f"http://127.0.0.1:{port}/v1"), GATEWAY, PEERS) as url:
        status, said = ask(f"{url}/models")
    assert status == 502
    assert "cannot be reached" in said["error"]["message"]


def test_nothing_answers_after_the_relay_is_closed(relays: Relays, endpoint: Endpoint) -> None:
    with relays.relay(Upstream(endpoint.url), GATEWAY, PEERS) as url:
        parts = urlsplit(url)
        idle = socket.create_connection((parts.hostname or "", parts.port or 0), 5)
        idle.sendall(b"GET /v1/endless HTTP/1.1\r\nHost: x\r\n\r\n")
        assert idle.recv(10)
    assert endpoint.gone.wait(60)
    with pytest.raises(OSError):
        socket.create_connection((parts.hostname or "", parts.port or 0), 5)
    idle.close()


def test_sixty_four_at_once(told: str) -> None:
    got: list[int] = []
    threads = [threading.Thread(target=lambda: got.append(ask(f"{told}/a")[0])) for _ in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert got == [200] * 64


@contextmanager
def a_proxy(seen: list[str]) -> Iterator[str]:
    """A forward proxy: CONNECT as a tunnel, anything else answered by itself."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                client, _ = server.accept()
            except OSError:
                return
            head = client.recv(65536).decode("latin-1")
            seen.append(head)
            if not head.startswith("CONNECT"):
                client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
                client.close()
                continue
            port = int(head.split()[1].rpartition(":")[2])
            there = socket.create_connection(("127.0.0.1", port))
            client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            for one, other in ((client, there), (there, client)):
                threading.Thread(target=pump, args=(one, other), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    yield f"http://user:p%40ss@127.0.0.1:{server.getsockname()[1]}"
    server.close()


def pump(one: socket.socket, other: socket.socket) -> None:
    try:
        while data := one.recv(65536):
            other.sendall(data)
        other.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def test_an_http_endpoint_behind_a_proxy(relays: Relays) -> None:
    seen: list[str] = []
    with a_proxy(seen) as proxy:
        upstream = Upstream("http://model.example/v1", proxies={"http": proxy})
        with relays.relay(upstream, GATEWAY, PEERS) as url:
            assert ask(f"{url}/models") == (200, {})
    assert seen[0].startswith("GET http://model.example/v1/models HTTP/1.1\r\nHost: model.example\r\n")
    assert "Proxy-Authorization: Basic dXNlcjpwQHNz\r\n" in seen[0]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificate")
    directory = tmp_path_factory.mktemp("tls")
    key, bundle = directory / "key.pem", directory / "ca.pem"
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=model.example"]
    make += ["-addext", "subjectAltName=DNS:model.example,IP:127.0.0.1", "-keyout", str(key), "-out", str(bundle)]
    subprocess.run(make, check=True, capture_output=True)
    return key, bundle


@pytest.mark.parametrize("proxied", [False, True])
def test_an_https_endpoint_with_the_sites_ca(relays: Relays, certificate: tuple[Path, Path], proxied: bool) -> None:
    key, bundle = certificate
    server = Endpoint()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(bundle, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    seen: list[str] = []
    with a_proxy(seen) as proxy:
        host = "model.example" if proxied else "127.0.0.1"
        upstream = Upstream(f"https://{host}:{server.server_port}/v1", bundle, {"https": proxy} if proxied else {})
        with relays.relay(upstream, GATEWAY, PEERS) as url:
            assert url.startswith("http://127.0.0.2:")
            assert ask(f"{url}/models")[0] == 200
        with relays.relay(Upstream(upstream.url, None, upstream.proxies), GATEWAY, PEERS) as url:
            status, said = ask(f"{url}/models")
    assert (status, "TLS" in said["error"]["message"]) == (502, True)
    assert len(seen) == (2 if proxied else 0)
    server.shutdown()
