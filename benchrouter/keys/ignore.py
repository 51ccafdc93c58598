"""`.dockerignore`: which files of a build context the builder does not see, by Docker's own rules."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from pathlib import Path

from benchrouter.spec.inputs import is_there, read_input
from benchrouter.spec.problems import Problem, SpecError

_FILE = ".dockerignore"


@dataclass(frozen=True)
class Ignore:
    """Patterns in order, each with whether it takes files back in; `sent_anyway` reach the builder only."""

    patterns: tuple[tuple[re.Pattern[str], bool], ...] = ()
    sent_anyway: frozenset[str] = frozenset()

    @property
    def has_exceptions(self) -> bool:
        """Tell whether files inside an excluded directory can be taken back in."""
        return any(back for _, back in self.patterns)

    def excludes(self, path: str) -> bool:
        """Tell whether a relative path is kept from COPY; the last pattern that matches decides."""
        excluded = False
        steps = [path[: match.start()] for match in re.finditer("/", path)] + [path]
        for pattern, back in self.patterns:
            if back == excluded and any(pattern.fullmatch(step) for step in steps):
                excluded = not back
        return excluded

    def sends(self, path: str) -> bool:
        """Tell whether the builder gets a file at all: the Dockerfile and its ignore file always are sent."""
        return path in self.sent_anyway or not self.excludes(path)


def load_ignore(context: Path, dockerfile: Path | None = None) -> Ignore:
    """Read `<Dockerfile>.dockerignore`, else the context's; raise SpecError for a bad pattern."""
    dockerfile = context / "Dockerfile" if dockerfile is None else dockerfile
    own = dockerfile.with_name(dockerfile.name + _FILE)
    sent = {_FILE, dockerfile.name, own.name}
    for path in (own, context / _FILE):
        if is_there(path):
            try:
                data = read_input(path)
            except OSError as error:
                raise SpecError([Problem(str(path), None, f"cannot be read: {error.strerror}")]) from None
            return Ignore(parse(data, str(path)), frozenset(sent))
    return Ignore((), frozenset(sent))


def parse(data: bytes, where: str = _FILE) -> tuple[tuple[re.Pattern[str], bool], ...]:
    """Parse the text of an ignore file; raise SpecError with the line of each bad pattern."""
    patterns: list[tuple[re.Pattern[str], bool]] = []
    problems: list[Problem] = []
    for number, raw in enumerate(data.decode("utf-8-sig", "surrogateescape").split("\n"), 1):
        line = raw.strip()
        if raw.startswith("#") or not line:
            continue
        back = line.startswith("!")
        text = line[1:].strip() if back else line
        if not text:
            problems.append(Problem(where, number, "`!` alone excludes nothing; expected a pattern after it"))
            continue
        clean = posixpath.normpath(text).lstrip("/")
        try:
            patterns.append((re.compile(_translate(clean), re.DOTALL | re.ASCII), back))
        except re.error as error:
            problems.append(Problem(where, number, f"`{text}` is no pattern: {error}"))
    if problems:
        raise SpecError(problems)
    return tuple(patterns)


def _translate(pattern: str) -> str:
    """Turn a pattern into a regular expression: `**` crosses directories, `*` and `?` do not."""
    out: list[str] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        at += 1
        if char == "*" and pattern.startswith("*", at):
            at += 1
            at += pattern.startswith("/", at)
            out.append(".*" if at >= len(pattern) else "(?:.*/)?")
        elif char == "*":
            out.append("[^/]*")
        elif char == "?":
            out.append("[^/]")
        elif char == "[":
            end = pattern.find("]", at + 1 + pattern.startswith("^", at))
            if end < 0:
                raise re.error("`[` without `]`")
            out.append(f"[{pattern[at:end]}]")
            at = end + 1
        elif char == "\\" and at < len(pattern):
            out.append(_escaped(pattern[at]))
            at += 1
        else:
            out.append(re.escape(char))
    return "".join(out)


def _escaped(char: str) -> str:
    """Take an escape as Docker does, which hands it to a regular expression: `\\d` is a digit, `\\[` a bracket."""
    if not (char.isascii() and char.isalnum()):
        return re.escape(char)
    if char not in "dDwWsSbBafnrtv":
        raise re.error(f"`\\{char}` is no escape")
    return "\\" + char
