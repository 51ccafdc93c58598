"""Answer files of the demo model: what it says to which question, and where it is wrong on purpose.

`answers.jsonl` lies at a benchmark's root, outside every task directory, one JSON object a line, a task's
items in the order in which the task asks them:

    {"task": "capitals", "item": "1", "question": "…", "answer": "Paris", "wrong": "Lyon"}

`question` is the text of the last user message (runs of white space count as one blank). Without `wrong`,
UNKNOWN is the wrong answer. Each task's first item, its tenth, and every fifth after that is answered
wrongly: of the first n items of a task that is floor(n/5), but at least 1, for every n.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchrouter.models.model import ModelError

FILE = "answers.jsonl"
UNKNOWN = "I do not know."
RULE = 1
"""Version of the rule above; part of the demo model's identity."""

_FIELDS = {"task": True, "item": True, "question": True, "answer": True, "wrong": False}


@dataclass(frozen=True)
class Answers:
    """What the demo model says: per benchmark, the reply to each normalised question."""

    replies: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def reply(self, question: str, benchmark: str | None = None) -> str:
        """Answer a question, from one benchmark's file or (None) from the first file that knows it."""
        known = normalise(question)
        if benchmark is not None:
            return self.replies.get(benchmark, {}).get(known, UNKNOWN)
        return next((replies[known] for replies in self.replies.values() if known in replies), UNKNOWN)


def normalise(text: str) -> str:
    """Make every run of white space one blank."""
    return " ".join(text.split())


def is_wrong(position: int) -> bool:
    """Tell whether the item at this position of its task (from 1) is answered wrongly on purpose."""
    return position == 1 or (position >= 10 and position % 5 == 0)


def expected_wrong(items: int) -> int:
    """Count the wrong answers among the first `items` items of a task."""
    return min(items, max(1, items // 5))


def load_answers(roots: Mapping[str, Path]) -> Answers:
    """Read the answer files of benchmarks (name to root); one without a file is answered with UNKNOWN only.

    Raises ModelError with file:line for a file that does not follow the form.
    """
    files = {name: roots[name] / FILE for name in sorted(roots)}
    return Answers({name: _parse(_content(path), path) for name, path in files.items()})


def demo_identity(roots: Iterable[Path]) -> dict[str, Any]:
    """Digest the answer files at these roots: the demo model's part of a job's key.

    Raises ModelError for a file that does not follow the form, so that this shows before anything runs.
    """
    import xxhash

    digests: list[str] = []
    for root in roots:
        content = _content(root / FILE)
        _parse(content, root / FILE)
        digests.append(xxhash.xxh3_128_hexdigest(content) if content else "none")
    return {"name": "demo", "rule": RULE, "answers": ",".join(digests)}


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror})") from None


def _parse(content: bytes, path: Path) -> dict[str, str]:
    replies: dict[str, str] = {}
    positions: Counter[str] = Counter()
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        entry = _entry(line, f"{path}:{number}")
        positions[entry["task"]] += 1
        question = normalise(entry["question"])
        if question in replies:
            raise ModelError(f"{path}:{number}: this question is there already; a benchmark's must differ")
        wrong = is_wrong(positions[entry["task"]])
        replies[question] = entry.get("wrong", UNKNOWN) if wrong else entry["answer"]
    return replies


def _entry(line: bytes, where: str) -> dict[str, str]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        raise ModelError(f"{where}: not a JSON object") from None
    if not isinstance(entry, dict):
        raise ModelError(f"{where}: found {type(entry).__name__}, expected a JSON object")
    for name, needed in _FIELDS.items():
        if (needed or name in entry) and not isinstance(entry.get(name), str):
            raise ModelError(f"{where}: `{name}` must be a text")
    unknown = sorted(entry.keys() - _FIELDS.keys())
    if unknown:
        raise ModelError(f"{where}: unknown field `{unknown[0]}`; known are {', '.join(_FIELDS)}")
    if normalise(entry["answer"]) == normalise(entry.get("wrong", UNKNOWN)):
        raise ModelError(f"{where}: `answer` and `wrong` are the same")
    return entry
