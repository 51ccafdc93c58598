"""Image references as text: registry host, path, tag and digest (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass

DOCKER_HUB = "docker.io"
_ID = re.compile(r"sha256:[0-9a-f]{64}")
# The grammar of the distribution project (github.com/distribution/reference).
_PART = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_HOST = r"(?:localhost(?=[:/])|(?=[^/]*[.:])[A-Za-z0-9][A-Za-z0-9.-]*)(?::[0-9]+)?"
_NAME = re.compile(rf"(?:{_HOST}/)?{_PART}(?:/{_PART})*(?::[A-Za-z0-9_][A-Za-z0-9_.-]{{0,127}})?")
_HUB_NAMES = frozenset({"docker.io", "index.docker.io", "registry-1.docker.io"})


@dataclass(frozen=True)
class Reference:
    """A reference taken apart; the tag is `latest` when neither tag nor digest is written."""

    host: str
    path: str
    tag: str | None
    digest: str | None

    @property
    def repository(self) -> str:
        """Name the repository as the engine's pull expects it."""
        return self.path if self.host == DOCKER_HUB else f"{self.host}/{self.path}"

    @property
    def version(self) -> str:
        """Give the digest when pinned, else the tag."""
        return self.digest or self.tag or "latest"

    def at(self, mirror: str) -> str:
        """Name the same image in a mirror (`host`, `host/prefix` or a URL), library images spelled out."""
        place = mirror.split("://", 1)[-1].strip("/")
        separator = "@" if self.digest else ":"
        return f"{place}/{self.path}{separator}{self.version}"

    def familiar(self) -> str:
        """Spell the reference as people do, tag or digest always included: the one normal form of the archive."""
        short = self.host == DOCKER_HUB and not _is_host(self.path.partition("/"))
        path = self.path.removeprefix("library/") if short else self.path
        host = "" if short else f"{self.host}/"
        tag = f":{self.tag}" if self.tag and not self.digest else ""
        digest = f"@{self.digest}" if self.digest else ""
        return f"{host}{path}{tag}{digest}"

    def normal(self) -> str:
        """Spell the reference in full, so that two spellings of one image compare equal."""
        tag = f":{self.tag}" if self.tag else ""
        digest = f"@{self.digest}" if self.digest else ""
        return f"{self.host}/{self.path}{tag}{digest}"


def parse_reference(text: str) -> Reference:
    """Take a reference apart; `python:3` is `docker.io/library/python:3`."""
    rest, _, digest = text.partition("@")
    parts = rest.partition("/")
    if _is_host(parts):
        host, rest = parts[0], parts[2]
    else:
        host = DOCKER_HUB
    host = DOCKER_HUB if host in _HUB_NAMES else host
    path, colon, tag = rest.rpartition(":")
    if not colon or "/" in tag:
        path, tag = rest, ""
    if host == DOCKER_HUB and "/" not in path:
        path = f"library/{path}"
    return Reference(host, path, tag or (None if digest else "latest"), digest or None)


def _is_host(parts: tuple[str, str, str]) -> bool:
    first, slash, _ = parts
    return bool(slash) and ("." in first or ":" in first or first == "localhost")


def is_image_name(text: str) -> bool:
    """Tell whether an image can be given this name: Docker's grammar of repository and tag, no digest."""
    return _NAME.fullmatch(text) is not None


def normal_form(text: str) -> str:
    """Give the one spelling of a reference that all others of it share; an image's id is its own."""
    return text if _ID.fullmatch(text) else parse_reference(text).familiar()


def same_image(one: str, other: str) -> bool:
    """Tell whether two spellings mean the same reference."""
    return parse_reference(one).normal() == parse_reference(other).normal()
