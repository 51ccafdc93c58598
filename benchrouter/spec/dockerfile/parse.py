"""What a Dockerfile builds on: stages, images from outside, and whether only BuildKit can build it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from benchrouter.spec.dockerfile.lex import DockerfileError, Instruction, Source, Word, lex
from benchrouter.spec.dockerfile.words import expand, names_in

_AUTOMATIC = frozenset(
    f"{side}{part}" for side in ("BUILD", "TARGET") for part in ("PLATFORM", "OS", "ARCH", "VARIANT")
)
_BUILDKIT_FLAGS = {
    "RUN": ("--mount", "--network", "--security", "--device"),
    "COPY": ("--link", "--chmod", "--parents", "--exclude"),
    "ADD": ("--link", "--chmod", "--checksum", "--keep-git-dir", "--exclude", "--unpack"),
}
_GIT = re.compile(r"(git@|https?://[^\s#]+\.git(#|$))")


@dataclass(frozen=True)
class Stage:
    """One FROM: its base as written and after substitution, its name in lower case, its platform if fixed."""

    line: int
    base_as_written: str
    base_resolved: str
    alias: str | None = None
    platform: str | None = None


@dataclass(frozen=True)
class Dockerfile:
    """What a Dockerfile says: `needs_buildkit` names a feature and its line, `syntax` a frontend."""

    stages: tuple[Stage, ...]
    external_refs: tuple[str, ...]
    needs_buildkit: str | None = None
    syntax: str | None = None


@dataclass(frozen=True)
class Reference:
    """A place that names an image from outside: offsets of the word, and what stays around the reference."""

    ref: str
    line: int
    start: int
    end: int
    before: str = ""
    after: str = ""


@dataclass
class _Scope:
    """Variables as the parser walks down a file."""

    build_args: Mapping[str, str]
    escape: str
    globals: dict[str, str] = field(default_factory=dict)
    stage: dict[str, str] | None = None

    def variables(self) -> dict[str, str]:
        return self.globals if self.stage is None else self.stage

    def declare(self, instruction: Instruction) -> None:
        for word in instruction.words:
            name, equals, default = word.text.partition("=")
            if name in self.build_args:
                self.variables()[name] = self.build_args[name]
            elif equals:
                self.variables()[name] = self.value(default, instruction.line)
            elif name in self.globals:
                self.variables()[name] = self.globals[name]

    def assign(self, instruction: Instruction) -> None:
        for word in instruction.words:
            name, equals, value = word.text.partition("=")
            if equals:
                self.variables()[name] = self.value(value, instruction.line)

    def value(self, word: str, line: int, variables: Mapping[str, str] | None = None) -> str:
        try:
            return expand(word, self.variables() if variables is None else variables, self.escape)
        except ValueError as error:
            raise DockerfileError(line, str(error)) from None


def parse(text: str, build_args: Mapping[str, str] | None = None) -> Dockerfile:
    """Parse a Dockerfile; raise DockerfileError with the line of the first fault."""
    source = lex(text)
    stages, references = walk(source, build_args or {})
    if not stages:
        raise DockerfileError(1, "there is no FROM")
    syntax = source.directives.get("syntax")
    return Dockerfile(
        stages=tuple(stages),
        external_refs=tuple(dict.fromkeys(reference.ref for reference in references)),
        needs_buildkit=next(_buildkit_features(source), None),
        syntax=syntax[0] if syntax else None,
    )


def line_of(text: str, ref: str, build_args: Mapping[str, str] | None = None) -> int | None:
    """Find the first line that names an image from outside; None when none does, or the text cannot be parsed."""
    try:
        references = walk(lex(text), build_args or {})[1]
    except DockerfileError:
        return None
    return next((reference.line for reference in references if reference.ref == ref), None)


def walk(source: Source, build_args: Mapping[str, str]) -> tuple[list[Stage], list[Reference]]:
    """Walk down a file: its stages, and every place that names an image from outside."""
    scope = _Scope(build_args, source.escape)
    stages: list[Stage] = []
    references: list[Reference] = []
    aliases = {word.text.lower() for i in source.instructions if i.name == "FROM" for word in _alias(i)}
    for instruction in source.instructions:
        if instruction.name == "FROM":
            stage = _stage(instruction, scope)
            earlier = {known.alias for known in stages}
            if stage.base_resolved.lower() not in earlier and stage.base_resolved != "scratch":
                word = instruction.words[0]
                references.append(Reference(stage.base_resolved, stage.line, word.start, word.end))
            stages.append(stage)
            scope.stage = {}
        elif instruction.name == "ARG":
            scope.declare(instruction)
        elif scope.stage is None:
            raise DockerfileError(instruction.line, f"found {instruction.name} before the first FROM")
        elif instruction.name == "ENV":
            scope.assign(instruction)
        else:
            references += _in_flags(instruction, scope, aliases, len(stages))
    return stages, references


def _alias(instruction: Instruction) -> tuple[Word, ...]:
    words = instruction.words
    return words[2:3] if len(words) == 3 and words[1].text.upper() == "AS" else ()


def _stage(instruction: Instruction, scope: _Scope) -> Stage:
    words, line = instruction.words, instruction.line
    alias = _alias(instruction)
    if len(words) not in (1, 3) or (len(words) == 3 and not alias):
        raise DockerfileError(line, "expected `FROM image` or `FROM image AS name`")
    written = words[0].text
    base = scope.value(written, line, scope.globals)
    if not base:
        missing = ", ".join(sorted(names_in(written) - set(scope.globals))) or written
        message = (
            f"`FROM {written}` names no image: {missing} has no value; give ARG a default or set build_args"
        )
        raise DockerfileError(line, message)
    platform = None
    for flag in instruction.flags:
        name, _, value = flag.text.partition("=")
        if name == "--platform" and not names_in(value) & (_AUTOMATIC - set(scope.globals)):
            platform = scope.value(value, line, scope.globals) or None
    return Stage(line, written, base, alias[0].text.lower() if alias else None, platform)


def _in_flags(instruction: Instruction, scope: _Scope, aliases: set[str], count: int) -> Iterator[Reference]:
    """Find images named by `COPY --from=` and by `from=` of `RUN --mount=`."""
    for flag in instruction.flags:
        name, _, value = flag.text.partition("=")
        if instruction.name in ("COPY", "ADD") and name == "--from":
            before, written, after = f"{name}=", value, ""
        elif instruction.name == "RUN" and name == "--mount":
            found = re.search(r"(?:^|,|[\"'])from=([^,\"']*)", value)
            if not found:
                continue
            at = len(name) + 1
            before, written = flag.text[: at + found.start(1)], found[1]
            after = flag.text[at + found.end(1) :]
        else:
            continue
        ref = scope.value(written, instruction.line)
        if not ref or ref == "scratch" or ref.lower() in aliases or (ref.isdigit() and int(ref) < count):
            continue
        yield Reference(ref, instruction.line, flag.start, flag.end, before, after)


def _buildkit_features(source: Source) -> Iterator[str]:
    if "syntax" in source.directives:
        value, line = source.directives["syntax"]
        yield f"`# syntax={value}` on line {line}"
    for instruction in source.instructions:
        name, line = instruction.name, instruction.line
        for flag in instruction.flags:
            option = flag.text.partition("=")[0]
            if option in _BUILDKIT_FLAGS.get(name, ()):
                yield f"`{name} {option}` on line {line}"
            if name == "FROM" and names_in(flag.text) & _AUTOMATIC:
                yield f"`FROM {flag.text}` on line {line}"
        if instruction.heredocs:
            yield f"the heredoc `<<{instruction.heredocs[0]}` on line {line}"
        if name == "ARG" and any(word.text in _AUTOMATIC for word in instruction.words):
            yield f"`ARG {instruction.words[0].text}` on line {line}"
        if name == "ADD" and any(_GIT.match(word.text) for word in instruction.words[:-1]):
            yield f"`ADD` of a git repository on line {line}"
