"""Scanning an environment: Dockerfile, build context and options, from the cache where nothing changed."""

from __future__ import annotations

import os
import time
from pathlib import Path

from benchrouter.keys.cache import StatCache
from benchrouter.keys.canonical import digest, digest_bytes
from benchrouter.keys.facts import EnvironmentFacts
from benchrouter.keys.ignore import load_ignore
from benchrouter.keys.tree import hash_tree, signature
from benchrouter.spec.benchmark import EnvironmentOptions
from benchrouter.spec.inputs import read_input
from benchrouter.spec.problems import Problem, SpecError


def environment_facts(root: Path, options: EnvironmentOptions, cache: StatCache) -> EnvironmentFacts:
    """Give the facts of the environment whose Dockerfile is in `root`; raise SpecError with file:line."""
    looked = time.time_ns()
    ignore = load_ignore(root)
    now = signature(root, ignore=ignore)
    # An ignore file may exclude the Dockerfile from the context: its text counts all the same.
    dockerfile = _read(root / "Dockerfile")
    text_digest = digest_bytes(dockerfile)
    read = digest([text_digest, dict(options.build_args)])
    name = os.fspath(root)
    record = cache.get("environments", name)
    if record is None or record[0] != now.hex() or record[1] != read:
        tree = hash_tree(root, ignore=ignore)
        record = [tree.signature.hex(), read, tree.digest, *_references(root, dockerfile, options)]
        cache.keep("environments", name, record, tree.newest, looked)
    return EnvironmentFacts(
        name=root.name,
        root=root,
        signature=bytes.fromhex(record[0]),
        dockerfile_digest=text_digest,
        context_digest=record[2],
        build_args=options.build_args,
        platform=options.platform,
        base_refs=tuple(record[3]),
        sibling_refs=tuple(record[4]),
        needs_buildkit=record[5],
        syntax=record[6],
        supplied=options.supplied,
    )


def _read(path: Path) -> bytes:
    try:
        return read_input(path)
    except OSError as error:
        raise SpecError([Problem(str(path), None, f"cannot be read: {error.strerror}")]) from None


def _references(
    root: Path, dockerfile: bytes, options: EnvironmentOptions
) -> tuple[list[str], list[str], str | None, str | None]:
    from benchrouter.spec.dockerfile import DockerfileError, decode, parse, siblings

    try:
        parsed = parse(decode(dockerfile), options.build_args)
    except DockerfileError as error:
        raise SpecError([Problem(str(root / "Dockerfile"), error.line, str(error))]) from None
    outside = [ref for ref in parsed.external_refs if not siblings(ref)]
    beside = [ref for ref in parsed.external_refs if siblings(ref)]
    return outside, beside, parsed.needs_buildkit, parsed.syntax
