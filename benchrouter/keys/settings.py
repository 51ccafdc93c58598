"""Settings from the cache, as long as the bytes of their files are the same; values of variables are never kept."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from benchrouter.keys.cache import StatCache
from benchrouter.keys.canonical import digest_bytes
from benchrouter.spec.problems import Problem
from benchrouter.spec.settings import PlainSettings, Settings, load_plain_settings, settings_files
from benchrouter.spec.settings_make import make_settings

_KIND = "settings"


def scan_settings(
    root: Path, cache: StatCache, environ: Mapping[str, str] | None = None
) -> tuple[Settings, tuple[Problem, ...]]:
    """Give what `load_settings` gives, without parsing anything that was parsed before."""
    now = digest_bytes(b"".join(f"{path}\0".encode() + path.read_bytes() for path in settings_files(root)))
    record = cache.get(_KIND, _KIND)
    if record is None or record[0] != now:
        plain, warnings = load_plain_settings(root)
        places = {name: [where, line] for name, (where, line) in plain.places.items()}
        record = [now, dict(plain.data), places, [[w.where, w.line, w.message, w.warning] for w in warnings]]
        cache.keep(_KIND, _KIND, record, newest=0, looked=1 << 62)
    plain = PlainSettings(record[1], {name: (where, line) for name, (where, line) in record[2].items()})
    settings = make_settings(plain, root, os.environ if environ is None else environ)
    return settings, tuple([Problem(*problem) for problem in record[3]])
