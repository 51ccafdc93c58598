"""Dockerfiles as text: what they build on, what they need, and the same file with references replaced."""

from __future__ import annotations

from benchrouter.spec.dockerfile.lex import DockerfileError, decode, encode
from benchrouter.spec.dockerfile.parse import Dockerfile, Stage, line_of, parse
from benchrouter.spec.dockerfile.rewrite import rewrite
from benchrouter.spec.dockerfile.siblings import PREFIX as SIBLING_PREFIX
from benchrouter.spec.dockerfile.siblings import sibling, siblings

__all__ = [
    "SIBLING_PREFIX",
    "Dockerfile",
    "DockerfileError",
    "Stage",
    "decode",
    "encode",
    "line_of",
    "parse",
    "rewrite",
    "sibling",
    "siblings",
]
