"""Settings from the cache, as long as the bytes of their files are the same; values of variables are never kept."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from benchrouter.keys.cache import StatCache
from benchrouter.keys.canonical import digest_bytes
from benchrouter.spec.inputs import read_input
from benchrouter.spec.problems import Problem
from benchrouter.spec.settings import PlainSettings, Settings, load_plain_settings, settings_files
from benchrouter.spec.settings_make import make_settings

_KIND = "settings"


def scan_settings(
    root: Path, cache: StatCache, environ: Mapping[str, str] | None = None
) -> tuple[Settings, list[Problem]]:
    """Give settings and all problems, without parsing anything that was parsed before.

    With errors among the problems, the settings hold the groups alone, as far as they are sound.
    """
    now = _digest(settings_files(root))
    record = cache.get(_KIND, _KIND)
    if record is not None and now is not None and record[0] == now:
        plain = PlainSettings(record[1], {name: (where, line) for name, (where, line) in record[2].items()})
        problems = [Problem(*problem) for problem in record[3]]
    else:
        plain, problems = load_plain_settings(root)
        if all(problem.warning for problem in problems):
            places = {name: [where, line] for name, (where, line) in plain.places.items()}
            record = [now, dict(plain.data), places, [[w.where, w.line, w.message, w.warning] for w in problems]]
            cache.keep(_KIND, _KIND, record, newest=0, looked=1 << 62)
    settings, unset = make_settings(plain, root, os.environ if environ is None else environ)
    return settings, [*problems, *unset]


def _digest(files: Iterable[Path]) -> str | None:
    try:
        return digest_bytes(b"".join(f"{path}\0".encode() + read_input(path) for path in files))
    except OSError:  # reading it as YAML says why
        return None
