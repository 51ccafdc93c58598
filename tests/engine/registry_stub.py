"""A small image registry of ours for tests: one image, and answers of 429, 503 or 401 when told to."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
_CONFIG = "application/vnd.docker.container.image.v1+json"
_LAYER = "application/vnd.docker.image.rootfs.diff.tar.gzip"


class RegistryStub:
    """Serves `library/tiny:1` on 127.0.0.1, which engines speak plain HTTP with."""

    def __init__(self, refusals: list[int] | None = None, login: tuple[str, str] | None = None) -> None:
        self.refusals = refusals or []
        self.asked = 0
        self._login = login
        self._blobs, self._manifest = _image()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def host(self) -> str:
        """Give host and port."""
        return f"127.0.0.1:{self._server.server_port}"

    @property
    def digest(self) -> str:
        """Give the digest of the one manifest."""
        return _digest(self._manifest)

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str, authorization: str) -> tuple[int, str, bytes]:
        """Answer one request: status, type, content."""
        if self._login is not None:
            wanted = base64.b64encode(":".join(self._login).encode()).decode()
            if authorization != f"Basic {wanted}":
                return 401, "application/json", b'{"errors":[{"code":"UNAUTHORIZED"}]}'
        if path.rstrip("/") == "/v2":
            return 200, "application/json", b"{}"
        if "/manifests/" in path:
            self.asked += 1
            if self.refusals:
                return self.refusals.pop(0), "application/json", b'{"errors":[{"code":"TOOMANYREQUESTS"}]}'
            if path in (f"/v2/library/tiny/manifests/{ref}" for ref in ("1", self.digest)):
                return 200, _MANIFEST, self._manifest
        blob = self._blobs.get(path.rpartition("/")[2])
        if blob is not None and path.startswith("/v2/library/tiny/blobs/"):
            return 200, "application/octet-stream", blob
        return 404, "application/json", b'{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}'


def _handler(stub: RegistryStub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._send(body=True)

        def do_HEAD(self) -> None:
            self._send(body=False)

        def _send(self, body: bool) -> None:
            status, kind, content = stub.answer(self.path, self.headers.get("Authorization", ""))
            self.send_response(status)
            self.send_header("Docker-Distribution-Api-Version", "registry/2.0")
            if status == 401:
                self.send_header("WWW-Authenticate", 'Basic realm="test"')
            self.send_header("Content-Type", kind)
            self.send_header("Docker-Content-Digest", _digest(content))
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if body:
                self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


def _image() -> tuple[dict[str, bytes], bytes]:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        info = tarfile.TarInfo("tiny")
        info.size = 4
        tar.addfile(info, io.BytesIO(b"tiny"))
    layer = gzip.compress(raw.getvalue(), mtime=0)
    config = json.dumps(
        {
            "architecture": "amd64",
            "os": "linux",
            "config": {"Cmd": ["/tiny"]},
            "rootfs": {"type": "layers", "diff_ids": [_digest(raw.getvalue())]},
        }
    ).encode()
    manifest = json.dumps(
        {
            "schemaVersion": 2,
            "mediaType": _MANIFEST,
            "config": {"mediaType": _CONFIG, "size": len(config), "digest": _digest(config)},
            "layers": [{"mediaType": _LAYER, "size": len(layer), "digest": _digest(layer)}],
        }
    ).encode()
    return {_digest(config): config, _digest(layer): layer}, manifest


def _digest(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()
