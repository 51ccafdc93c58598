"""Judging by gates that a test writes."""

from __future__ import annotations

from pathlib import Path

from shelf import Shelf

from benchrouter.scores.gate.judge import judge
from benchrouter.scores.gate.policy import load_policy


def told(shelf: Shelf, policy: Path, text: str) -> list[str]:
    """Judge by gates, each given as the keys of one; the lines that come out."""
    policy.write_text("gates:\n" + "".join(f"- {{{line}}}\n" for line in text.splitlines()))
    return [line for each in judge(load_policy(policy), policy, shelf.root) for line in each.lines()]
