"""docs/incremental-reruns.md: whatever a plan says of why a job runs stands in its table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchrouter.graph.inputs import DIRECTORY, EXECUTABLE, LINK
from benchrouter.graph.wording import Change, say

ROOT = Path(__file__).parents[3]
TABLE = (ROOT / "docs" / "incremental-reruns.md").read_text(encoding="utf-8").split("can say\n")[1]
DOCUMENTED = re.findall(r"`([^`]+)`", "\n".join(re.findall(r"^\| (`.+?) \|", TABLE, re.MULTILINE)))
INPUTS = ("variables", "model", "data", "templates", "bases", "build_args", "epoch", "task")
KINDS = ("aa", "aa" + EXECUTABLE, LINK + "there", LINK + "elsewhere", DIRECTORY)


def documented(text: str) -> bool:
    """Tell whether the table has a text, `…` being anything; added and removed are changed, links are files."""
    again = re.sub(r" (added|removed)$", " changed: x", text)
    likewise = {text, again, re.sub(r"^(link|directory) (?=\S+ (added|removed)$)", "file ", text)}
    return any(
        re.fullmatch(".*".join(map(re.escape, pattern.split("…"))), each) for pattern in DOCUMENTED for each in likewise
    )


@pytest.mark.parametrize("change", Change)
@pytest.mark.parametrize("kind", INPUTS)
def test_every_input_that_changes_is_in_the_table(kind: str, change: Change) -> None:
    text = say((kind, "x"), "1", "2", change, {"task": "benchmarks/b/t"}, "b/e")
    assert documented(text.replace(change.value, "changed") if kind == "templates" else text), text


@pytest.mark.parametrize(("old", "new"), [(old, new) for old in KINDS for new in KINDS if old != new])
def test_every_change_of_a_file_is_in_the_table(old: str, new: str) -> None:
    for change in Change:
        text = say(("files", "x"), old, new, change, {"task": "benchmarks/b/t"}, "")
        assert documented(text), text


def test_every_cause_of_another_kind_is_in_the_table() -> None:
    files = [ROOT / "benchrouter" / part for part in ("graph/reasons.py", "make/why.py")]
    causes = [text for path in files for text in re.findall(r'Cause\(f?"([^"]+)"', path.read_text(encoding="utf-8"))]
    assert len(causes) >= 7
    for text in causes:
        assert documented(re.sub(r"\{[^}]+\}", "x", text)), text
    assert not documented("the moon is full")
