"""What is in a data volume: its tree hash, from the cache where its stats did not change."""

from __future__ import annotations

import os
import time
from pathlib import Path

from benchrouter.keys.cache import StatCache
from benchrouter.keys.tree import hash_tree, signature

_KIND = "data"


def content_of(root: Path, cache: StatCache) -> tuple[str, bytes]:
    """Give the digest of a directory and the signature of its stats; raise SpecError for one that cannot be read.

    Links count as links: what they lead to outside the directory is not in the container either.
    """
    looked = time.time_ns()
    now = signature(root)
    name = os.fspath(root)
    record = cache.get(_KIND, name)
    if record is not None and record[0] == now.hex():
        return str(record[1]), now
    tree = hash_tree(root)
    cache.keep(_KIND, name, [tree.signature.hex(), tree.digest], tree.newest, looked)
    return tree.digest, tree.signature


def signature_now(root: Path) -> bytes:
    """Sign the directory as it is now; differs from what `content_of` gave when something in it was touched since."""
    return signature(root)
