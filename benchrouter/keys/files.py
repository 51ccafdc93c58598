"""Single files: their digest, from the cache as long as their stats are the same."""

from __future__ import annotations

import os
import time
from pathlib import Path

from benchrouter.keys.cache import StatCache
from benchrouter.keys.contents import digest_file

_KIND = "files"


def file_digest(path: Path, cache: StatCache) -> str | None:
    """Digest a file's bytes, links followed; None when it is not there. Raise OSError when it cannot be read."""
    looked = time.time_ns()
    name = os.fspath(path)
    signature, newest = sign_file(name)
    if signature is None:
        return None
    record = cache.get(_KIND, name)
    if record is not None and record[0] == signature:
        return str(record[1])
    digest = digest_file(name, path.stat().st_size)
    cache.keep(_KIND, name, [signature, digest], newest, looked)
    return digest


def sign_file(path: str) -> tuple[str | None, int]:
    """Sign one file by its stat, links followed, and give its ctime (ns); None when it is not there."""
    try:
        s = os.stat(path)
    except OSError:
        return None, 0
    signature = f"{s.st_mode} {s.st_size} {s.st_mtime_ns} {s.st_ctime_ns} {s.st_ino} {s.st_dev}"
    return signature, s.st_ctime_ns
