from __future__ import annotations

import json
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from benchrouter.models.answers import Answers
from benchrouter.models.demo import DemoEndpoint
from benchrouter.models.model import Model
from benchrouter.models.preflight import preflight

KEY = "sk-canary-0123456789"
Reply = tuple[int, bytes] | tuple[int, bytes, str]


@contextmanager
def serving(
    answer: Callable[[str, str], Reply], seen: list[str] | None = None, tls: ssl.SSLContext | None = None
) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._do("GET")

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self._do("POST")

        def _do(self, method: str) -> None:
            if seen is not None:
                seen.append(f"{method} {self.path} {self.headers.get('Authorization')}")
            status, body, *location = answer(method, self.path)
            self.send_response(status)
            for where in location:
                self.send_header("Location", where)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        server.handle_error = lambda *_: None  # type: ignore[method-assign]
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"http{'s' if tls else ''}://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()


def model(key: str = KEY, key_env: str | None = "OPENAI_API_KEY") -> Model:
    return Model(name="m", id="m-id", api_key=key, api_key_env=key_env)


def listing(*names: str) -> bytes:
    return json.dumps({"data": [{"id": name} for name in names]}).encode()


def test_the_demo_endpoint_passes() -> None:
    with DemoEndpoint(Answers()) as endpoint:
        answer = preflight(Model(name="demo", id="demo", embedded=True), endpoint.start())
    assert (answer.ok, answer.detail, answer.refused) == (True, "", False)


def test_a_listing_is_enough_and_the_key_is_sent() -> None:
    seen: list[str] = []
    with serving(lambda *_: (200, listing("m-id")), seen) as url:
        assert preflight(model(), url).detail == ""
    assert seen == [f"GET /v1/models Bearer {KEY}"]


def test_a_model_that_is_not_listed_is_a_warning_with_the_nearest_name() -> None:
    with serving(lambda *_: (200, listing("x", "m-id2"))) as url:
        answer = preflight(model(), url)
    assert answer.ok
    assert "`m-id`" in answer.detail
    assert "`m-id2`" in answer.detail


@pytest.mark.parametrize("listed", [(404, b""), (405, b""), (200, b"<html>"), (200, b"[]"), (500, b"")])
def test_without_a_listing_a_completion_is_asked_for(listed: Reply) -> None:
    seen: list[str] = []
    with serving(lambda method, _: listed if method == "GET" else (200, b"{}"), seen) as url:
        answer = preflight(model(), url)
    assert (answer.ok, answer.detail) == (True, "")
    assert [entry.split()[:2] for entry in seen] == [["GET", "/v1/models"], ["POST", "/v1/chat/completions"]]


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("only", ["GET", "POST"])
def test_a_refused_key_says_which_variable_to_mend(status: int, only: str) -> None:
    with serving(lambda method, _: (status if method == only else 404, KEY.encode())) as url:
        given, missing = preflight(model(), url), preflight(model("EMPTY"), url)
        undeclared = preflight(model("EMPTY", None), url)
    assert (given.ok, given.refused) == (False, True)
    assert "check the value of OPENAI_API_KEY" in given.detail
    assert "OPENAI_API_KEY is not set" in missing.detail
    assert "models.m.api_key_env" in undeclared.detail
    assert KEY not in given.detail


@pytest.mark.parametrize("status", [429, 500, 503, 418])
def test_other_statuses_are_an_answer_with_a_warning(status: int) -> None:
    with serving(lambda *_: (status, b"")) as url:
        answer = preflight(model(), url)
    assert answer.ok
    assert str(status) in answer.detail


def test_a_redirect_is_not_followed_with_the_key() -> None:
    seen: list[str] = []
    with serving(lambda *_: (200, listing("m-id")), seen) as other:
        target = other.replace("/v1", f"/v2/models?key={KEY}")
        with serving(lambda *_: (302, b"", target)) as url:
            answer = preflight(model(), url)
    assert not answer.ok
    assert other.replace("/v1", "/v2/models") in answer.detail
    assert KEY not in answer.detail
    assert seen == []


def test_nothing_listens() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        answer = preflight(model(), url)
    assert (answer.ok, answer.refused) == (False, False)
    assert f"{url} does not answer: Connection refused" in answer.detail


def test_no_endpoint_says_what_to_set() -> None:
    answer = preflight(model())
    assert not answer.ok
    assert "BENCHROUTER_MODEL_ENDPOINT" in answer.detail


def test_a_host_that_does_not_exist() -> None:
    assert "does not answer" in preflight(model(), "http://no-such-host.invalid/v1").detail


@pytest.mark.skipif(not shutil.which("openssl"), reason="needs openssl to make a certificate")
def test_an_untrusted_certificate_names_the_setting_that_trusts_it(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    make = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=x"
    more = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*make.split(), *more], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with serving(lambda *_: (200, listing("m-id")), tls=context) as url:
        untrusted, trusted = preflight(model(), url), preflight(model(), url, certificate)
    assert not untrusted.ok
    assert "site.ca_bundle" in untrusted.detail
    assert (trusted.ok, trusted.detail) == (True, "")
    missing = preflight(model(), "https://127.0.0.1:9/v1", tmp_path / "none.pem")
    assert not missing.ok
    assert "site.ca_bundle" in missing.detail


@pytest.mark.parametrize("trickle", [False, True])
def test_the_deadline_holds_for_silence_and_for_a_trickle(trickle: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        stop = threading.Event()

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\n" if trickle else b"")
                while not stop.wait(0.1):
                    connection.sendall(b"X-A: b\r\n" if trickle else b"")

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        started = time.monotonic()
        answer = preflight(model(), f"http://127.0.0.1:{listener.getsockname()[1]}/v1", deadline=0.5)
        took = time.monotonic() - started
        stop.set()
        thread.join()
    assert not answer.ok
    assert "does not answer" in answer.detail
    assert took < 5


def test_proxies_are_used_but_not_for_localhost_or_exceptions() -> None:
    seen: list[str] = []
    with serving(lambda *_: (200, listing("m-id")), seen) as url:
        proxies = {"http": url.removesuffix("/v1"), "no_proxy": "example.org, .internal"}
        assert preflight(model(), "http://model.example.com/v1", proxies=proxies).ok
        assert preflight(model(), url, proxies={"http": "http://127.0.0.1:9"}).ok
        assert not preflight(
            model(), "http://a.example.org.invalid/v1", proxies={"http": "http://127.0.0.1:9"}
        ).ok
        assert not preflight(model(), "http://x.internal/v1", proxies=proxies).ok
    assert [entry.split()[1] for entry in seen] == ["http://model.example.com/v1/models", "/v1/models"]
