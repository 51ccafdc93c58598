"""Servers that tests put in the way: a real registry, a gate before it, a recording proxy, a package index."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import http.client
import io
import shutil
import socket
import ssl
import subprocess
import threading
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

REGISTRY = shutil.which("docker-registry")


@dataclass
class Heard:
    """What a server heard: method, path or URL, and the credentials that came along, decoded."""

    url: str = ""
    requests: list[tuple[str, str, str]] = field(default_factory=list)

    def asked(self, part: str) -> list[tuple[str, str, str]]:
        """List the requests for something."""
        return [each for each in self.requests if part in each[1]]


class _Quiet(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def note(self, heard: Heard, header: str = "Authorization") -> str:
        """Remember a request; return its credentials, decoded."""
        word = self.headers.get(header, "").removeprefix("Basic ")
        given = base64.b64decode(word).decode() if word else ""
        heard.requests.append((self.command, self.path, given))
        return given

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        """Send a whole answer."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler], tls: ssl.SSLContext | None = None) -> Iterator[int]:
    """Serve on a port of 127.0.0.1; give the port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def registry(place: Path, login: tuple[str, str]) -> Iterator[str]:
    """Run Debian's docker-registry with one user; give its host and port."""
    assert REGISTRY is not None
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    place.mkdir()
    script = 'print "$ARGV[0]:", crypt(<STDIN>, q($2y$05$benchrouterbenchrouterbe)), "\\n"'
    line = subprocess.run(["perl", "-e", script, login[0]], input=login[1], capture_output=True, text=True, check=True)
    (place / "users").write_text(line.stdout)
    (place / "config.yml").write_text(
        f"version: 0.1\nstorage: {{filesystem: {{rootdirectory: {place}/data}}}}\nhttp: {{addr: '{address}'}}\n"
        f"auth: {{htpasswd: {{realm: test, path: {place}/users}}}}\n"
    )
    with (place / "log").open("wb") as log:
        process = subprocess.Popen([REGISTRY, "serve", str(place / "config.yml")], stdout=log, stderr=log)
    try:
        _wait_for(address)
        yield address
    finally:
        process.terminate()
        process.wait(20)


@contextmanager
def gate(upstream: str, refusals: list[int]) -> Iterator[tuple[str, Heard]]:
    """Stand before a registry; the first requests for manifests get the given refusals. Gives host and port."""
    heard = Heard()

    class Handler(_Quiet):
        def do_GET(self) -> None:
            given = self.note(heard)
            if "/manifests/" in self.path and given and refusals:
                self.answer(refusals.pop(0), b'{"errors":[{"code":"TOOMANYREQUESTS","message":"slow down"}]}')
                return
            connection = http.client.HTTPConnection(upstream, timeout=30)
            connection.request(self.command, self.path, headers={**dict(self.headers), "Host": upstream})
            said = connection.getresponse()
            body = said.read()
            self.send_response(said.status)
            for name, value in said.getheaders():
                if name.lower() not in ("connection", "transfer-encoding"):
                    self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
            connection.close()

        do_HEAD = do_GET

    with serving(Handler) as port:
        yield f"127.0.0.1:{port}", heard


@contextmanager
def recording_proxy(login: str) -> Iterator[Heard]:
    """Be a proxy for plain HTTP that answers everything itself, if asked with `user:password`."""
    heard = Heard()

    class Handler(_Quiet):
        def do_GET(self) -> None:
            if self.note(heard, "Proxy-Authorization") == login:
                self.answer(200, b"through the proxy\n")
            else:
                self.answer(407, b"", Proxy_Authenticate='Basic realm="test"')

        do_HEAD = do_CONNECT = do_GET

    with serving(Handler) as port:
        heard.url = f"127.0.0.1:{port}"
        yield heard


@contextmanager
def package_index(certificates: Path, login: str) -> Iterator[Heard]:
    """Serve one wheel, `canarypackage` 1.0, over TLS to whoever comes with `user:password`."""
    heard = Heard()
    wheel, name = _wheel(), "canarypackage-1.0-py3-none-any.whl"
    page = f'<a href="/files/{name}#sha256={hashlib.sha256(wheel).hexdigest()}">{name}</a>'.encode()
    answers = {"/simple/canarypackage/": (page, "text/html"), f"/files/{name}": (wheel, "application/zip")}

    class Handler(_Quiet):
        def do_GET(self) -> None:
            given = self.note(heard)
            if self.path == "/hello":
                self.answer(200, b"over TLS\n")
            elif given != login:
                self.answer(401, b"", WWW_Authenticate='Basic realm="test"')
            elif self.path in answers:
                body, kind = answers[self.path]
                self.answer(200, body, Content_Type=kind)
            else:
                self.answer(404)

    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificates / "server.pem", certificates / "server.key")
    with serving(Handler, tls) as port:
        heard.url = f"localhost:{port}"  # pip's own TLS wants a name, not an address
        yield heard


def make_certificates(place: Path) -> Path:
    """Make a CA of our own and a certificate for localhost; give the file with the CA's certificate."""
    place.mkdir()
    key = ["-newkey", "rsa:2048", "-nodes", "-days", "2"]
    usage = ["-addext", "keyUsage=critical,keyCertSign,cRLSign"]
    _openssl(place, "req", "-x509", *key, *usage, "-subj", "/CN=canary CA", "-keyout", "ca.key", "-out", "ca.pem")
    _openssl(place, "req", *key, "-subj", "/CN=localhost", "-keyout", "server.key", "-out", "server.csr")
    extensions = "subjectAltName=DNS:localhost\nauthorityKeyIdentifier=keyid\nsubjectKeyIdentifier=hash\n"
    (place / "ext").write_text(extensions)
    signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "ext"]
    _openssl(place, "x509", "-req", "-in", "server.csr", *signed, "-out", "server.pem")
    return place / "ca.pem"


def _openssl(place: Path, *words: str) -> None:
    subprocess.run(["openssl", *words], cwd=place, capture_output=True, check=True)


def _wheel() -> bytes:
    packed = io.BytesIO()
    about = "canarypackage-1.0.dist-info"
    with zipfile.ZipFile(packed, "w") as wheel:
        wheel.writestr("canarypackage.py", "text = 'installed'\n")
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: canarypackage\nVersion: 1.0\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")
    return packed.getvalue()


def _wait_for(address: str, deadline: float = 20.0) -> None:
    end = time.monotonic() + deadline
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"http://{address}/", timeout=2).close()
            return
        time.sleep(0.05)
    raise AssertionError(f"nothing answers at {address}")
