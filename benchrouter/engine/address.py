"""Where the engine is: an address given, DOCKER_HOST, the current docker context, else the usual sockets."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docker.tls import TLSConfig

DEFAULT = "unix:///var/run/docker.sock"
_START_HINT = (
    "start it (`systemctl start docker`, say; in a clone of BenchRouter `./doitw --with-engine`), "
    "or name another in DOCKER_HOST"
)


@dataclass(frozen=True)
class Address:
    """An engine's URL, who named it, and the directory of its TLS certificates."""

    url: str
    source: str
    cert_dir: str | None = None
    verify: bool = True

    @property
    def local(self) -> bool:
        """Tell whether the address is a socket of this machine."""
        return self.url.startswith("unix://")

    def tls(self) -> TLSConfig | bool:
        """Build the library's TLS settings, False without certificates."""
        if self.cert_dir is None:
            return False
        from docker.tls import TLSConfig

        certs = Path(self.cert_dir)
        return TLSConfig(
            client_cert=(str(certs / "cert.pem"), str(certs / "key.pem")),
            ca_cert=str(certs / "ca.pem") if self.verify else None,
            verify=self.verify,
        )

    def failure(self, error: BaseException) -> str:
        """Say why nobody answers here, and what to do."""
        if self.local:
            socket = Path(self.url.removeprefix("unix://"))
            if not os.path.exists(socket):
                return f"no container engine: {socket} ({self.source}) does not exist; {_START_HINT}"
            if not os.access(socket, os.R_OK | os.W_OK):
                return (
                    f"no permission for the engine's socket {socket}: add yourself to its group "
                    f"(`sudo usermod -aG docker $USER`, then log in again)"
                )
        return f"no container engine answers at {self.url} ({self.source}): {_short(error)}; {_START_HINT}"


def find_address(given: str | None, environ: Mapping[str, str]) -> Address:
    """Decide which engine is meant; nothing is contacted."""
    if given:
        return Address(_normal(given), "site.engine")
    if environ.get("DOCKER_HOST"):
        return _with_tls(environ["DOCKER_HOST"], "DOCKER_HOST", environ)
    from_context = _of_context(environ)
    if from_context is not None:
        return from_context
    rootless = Path(environ.get("XDG_RUNTIME_DIR", "/nonexistent")) / "docker.sock"
    # Not Path.exists, which raises an error in a directory that is closed to us: the variable may be another user's.
    if not os.path.exists("/var/run/docker.sock") and os.path.exists(rootless):
        return Address(f"unix://{rootless}", "the rootless engine of this user")
    return Address(DEFAULT, "the default socket")


def _of_context(environ: Mapping[str, str]) -> Address | None:
    config = Path(environ.get("DOCKER_CONFIG") or Path(environ.get("HOME", "/")) / ".docker")
    name = environ.get("DOCKER_CONTEXT") or _current_context(config)
    if not name or name == "default":
        return None
    for meta in config.glob("contexts/meta/*/meta.json"):
        try:
            found = json.loads(meta.read_text("utf-8"))
            if found["Name"] != name:
                continue
            endpoint = found["Endpoints"]["docker"]
            certs = config / "contexts" / "tls" / meta.parent.name / "docker"
            return Address(
                _normal(endpoint["Host"]),
                f"docker context {name}",
                str(certs) if certs.is_dir() else None,
                verify=not endpoint.get("SkipTLSVerify", False),
            )
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return None


def _current_context(config: Path) -> str:
    try:
        return str(json.loads((config / "config.json").read_text("utf-8")).get("currentContext", ""))
    except (OSError, ValueError, AttributeError):
        return ""


def _with_tls(url: str, source: str, environ: Mapping[str, str]) -> Address:
    verify = environ.get("DOCKER_TLS_VERIFY", "")
    certs = environ.get("DOCKER_CERT_PATH") or (
        str(Path(environ.get("HOME", "/")) / ".docker") if verify else None
    )
    return Address(_normal(url), source, certs, verify=bool(verify))


def _normal(url: str) -> str:
    return f"unix://{url}" if url.startswith("/") else url


def _short(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return text[0][:200] if text else type(error).__name__
