"""Names: which are accepted, how any name becomes a path or Docker name, which known one was meant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_PLAIN = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_COMPONENT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_REPOSITORY = re.compile(r"[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
OWN_VARIABLES = re.compile(r"BENCHROUTER_.*|OPENAI_API_KEY|PYTHONPATH", re.DOTALL)
"""Variables that BenchRouter sets itself in the environment of a job."""

_SLUG = 40
LONGEST_NAME = 100
RESERVED = frozenset(
    {"aggregates", "aggregate.json", "environments", "failed", "report.html", "leaderboard.json"}
)


@lru_cache(maxsize=4096)
def encode(name: str) -> str:
    """Encode any name for paths, Docker names and node names.

    Plain names (`[a-z0-9][a-z0-9._-]{0,63}`) stay as they are. Others become `_<readable part>.<26 letters>`:
    the leading underscore is never plain, and the letters are 128 bits of SHA-256 over the whole name.
    Only lower case comes out, so a file system that ignores case keeps twins apart.
    """
    if _PLAIN.fullmatch(name):
        return name
    from hashlib import sha256

    digest = sha256(name.encode("utf-8", "surrogatepass")).digest()[:16]
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:_SLUG]
    return f"_{slug}.{_base32(digest)}"


def repository(benchmark: str, environment: str) -> str:
    """Name an environment's image repository, `benchrouter/<benchmark>-<environment>`, valid for Docker."""
    name = f"{benchmark}-{environment}"
    if not (_REPOSITORY.fullmatch(name) and len(name) <= LONGEST_NAME):
        name = encode(f"{benchmark}/{environment}")[1:].replace(".", "-").lstrip("-")
    return f"benchrouter/{name}"


def component_fault(name: str) -> str | None:
    """Say why a benchmark, task or environment may not be called so; None when it may."""
    if not name:
        return "the name is empty"
    if name in (".", "..") or "/" in name or "\\" in name:
        return "a name must not be a path"
    if name[0] in ".-":
        return f"a name must not start with `{name[0]}`"
    if len(name) > LONGEST_NAME:
        return f"the name has {len(name)} characters, at most {LONGEST_NAME} are allowed"
    if name.lower() in RESERVED:
        return f"`{name}` is a name that BenchRouter uses itself"
    if not _COMPONENT.fullmatch(name):
        odd = next(char for char in name if not _COMPONENT.fullmatch("_" + char))
        return f"{odd!r} is not allowed in a name; use letters, digits, `.`, `_` and `-`"
    return None


def variable_fault(name: str) -> str | None:
    """Say why this cannot be the name of an environment variable that is passed; None when it can."""
    if _VARIABLE.fullmatch(name):
        return None
    return f"{name!r} is no name of an environment variable; use letters, digits and `_`, a digit not first"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Find the known word that was probably meant, or None."""
    from difflib import get_close_matches

    folded: dict[str, str] = {}
    for candidate in known:
        folded.setdefault(candidate.lower(), candidate)
    close = get_close_matches(word.lower()[:LONGEST_NAME], list(folded), n=1, cutoff=0.6)
    return folded[close[0]] if close else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Make a suggestion to append to a message: ` (did you mean `x`?)`, or nothing."""
    close = nearest(word, known)
    return f" (did you mean `{close}`?)" if close else ""


def _base32(data: bytes) -> str:
    import base64

    return base64.b32encode(data).decode("ascii").rstrip("=").lower()
