"""Certificates of this machine that a fresh Debian tree lacks (pure but for reading files)."""

from __future__ import annotations

import re
from pathlib import Path

HOST_BUNDLE = Path("/etc/ssl/certs/ca-certificates.crt")
_DISTRIBUTED = Path("/usr/share/ca-certificates")
_PEM = re.compile(r"-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----")


def split_bundle(text: str) -> list[str]:
    """Cut a PEM bundle into its certificates, each once, comments dropped."""
    return list(dict.fromkeys(_normal(found) for found in _PEM.findall(text)))


def local_certificates(bundle: Path = HOST_BUNDLE, distributed: Path = _DISTRIBUTED) -> list[str]:
    """List the certificates of a bundle that Debian's package ca-certificates does not bring itself."""
    brought: set[str] = set()
    for path in distributed.rglob("*.crt"):
        brought.update(split_bundle(_text(path)))
    return [each for each in split_bundle(_text(bundle)) if each not in brought]


def _normal(pem: str) -> str:
    return "\n".join(line.strip() for line in pem.splitlines() if line.strip()) + "\n"


def _text(path: Path) -> str:
    try:
        return path.read_text("ascii", errors="ignore")
    except OSError:
        return ""
