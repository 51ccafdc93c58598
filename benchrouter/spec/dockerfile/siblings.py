"""References to sibling environments: `benchrouter-env-<env>` and `benchrouter-env-<bench>.<env>`."""

from __future__ import annotations

PREFIX = "benchrouter-env-"


def sibling(ref: str) -> tuple[str | None, str] | None:
    """Read a reference to a sibling: (benchmark or None, environment); None when it is an ordinary image.

    A dot splits at its first place; `siblings` gives every reading where names hold dots themselves.
    """
    readings = siblings(ref)
    return readings[1] if len(readings) > 1 else readings[0] if readings else None


def siblings(ref: str) -> tuple[tuple[str | None, str], ...]:
    """Give every (benchmark or None, environment) that it can mean; the whole name as one comes first."""
    if not ref.startswith(PREFIX):
        return ()
    name = ref.removeprefix(PREFIX).removesuffix(":latest")
    if not name or "/" in name or ":" in name or "@" in name:
        return ()
    dots = [index for index, char in enumerate(name) if char == "." and 0 < index < len(name) - 1]
    return ((None, name), *((name[:dot], name[dot + 1 :]) for dot in dots))
