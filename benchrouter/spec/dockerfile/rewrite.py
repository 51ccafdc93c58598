"""The same Dockerfile with references replaced, labels on every stage and mounts on every RUN."""

from __future__ import annotations

from collections.abc import Mapping

from benchrouter.spec.dockerfile.lex import lex
from benchrouter.spec.dockerfile.parse import walk


def rewrite(
    text: str,
    build_args: Mapping[str, str] | None = None,
    mapping: Mapping[str, str] | None = None,
    stage_labels: Mapping[str, str] | None = None,
    run_mounts: tuple[str, ...] = (),
) -> str:
    """Replace references, add a LABEL after each FROM and `--mount=` options to each RUN.

    Keys of `mapping` are references after substitution. Everything else stays byte for byte.
    Raise DockerfileError as `parse` does.
    """
    source = lex(text)
    _, references = walk(source, build_args or {})
    edits: list[tuple[int, int, str]] = []
    for reference in references:
        use = (mapping or {}).get(reference.ref, reference.ref)
        if use != reference.ref:
            edits.append((reference.start, reference.end, f"{reference.before}{use}{reference.after}"))
    mounts = "".join(f" --mount={mount}" for mount in run_mounts)
    label = _label(stage_labels or {}, source.escape)
    for instruction in source.instructions:
        if instruction.name == "RUN" and mounts:
            edits.append((instruction.keyword.end, instruction.keyword.end, mounts))
        if instruction.name == "FROM" and label:
            newline = "" if text[: instruction.end].endswith("\n") else "\n"
            edits.append((instruction.end, instruction.end, f"{newline}{label}\n"))
    return _apply(text, edits)


def _label(labels: Mapping[str, str], escape: str) -> str:
    pairs = " ".join(f"{_quoted(key, escape)}={_quoted(value, escape)}" for key, value in labels.items())
    return f"LABEL {pairs}" if pairs else ""


def _quoted(text: str, escape: str) -> str:
    if "\n" in text or "\r" in text:
        raise ValueError(f"a label must be one line, found {text!r}")
    for special in (escape, '"', "$"):
        text = text.replace(special, escape + special)
    return f'"{text}"'


def _apply(text: str, edits: list[tuple[int, int, str]]) -> str:
    for start, end, new in sorted(edits, key=lambda edit: edit[0], reverse=True):
        text = text[:start] + new + text[end:]
    return text
