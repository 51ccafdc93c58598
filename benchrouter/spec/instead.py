"""What a directory holds in place of a file that it should have: a name with another suffix, mostly."""

from __future__ import annotations

from pathlib import Path

_NAMED = 5


def instead(directory: Path, wanted: str) -> str:
    """Say what is there instead, to be appended to a message that a file is not."""
    if near := near_miss(directory, wanted):
        return f", but `{near}`; rename it"
    try:
        names = sorted(f"{path.name}/" if path.is_dir() else path.name for path in directory.iterdir())
    except OSError:
        return ""
    listed = ", ".join(f"`{name}`" for name in names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
    return f", but {listed or 'nothing'}"


def near_miss(directory: Path, wanted: str) -> str | None:
    """Find a file that differs from the wanted one only by case or by its suffix."""
    try:
        there = sorted(path.name for path in directory.iterdir() if not path.is_dir())
    except OSError:
        return None
    stem = wanted.rpartition(".")[0] or wanted
    alike = {name.lower() for name in (wanted, f"{stem}.yml", f"{stem}.yaml", f"{stem}.yaml.txt", stem)}
    return next((name for name in there if name != wanted and name.lower() in alike), None)


def no_benchmark(path: Path, wanted: str) -> str:
    """Say why what is there under a path is no benchmark, for lack of its file `wanted`; "" where nothing is there."""
    if path.is_dir():
        return f"{path}: no {wanted} in it{instead(path, wanted)}; a benchmark is a directory with one"
    return f"{path} is no directory; a benchmark is one, with a {wanted}" if path.exists() else ""
