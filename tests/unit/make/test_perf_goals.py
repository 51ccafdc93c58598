"""What `doit perf` says of its goals."""

from __future__ import annotations

import pytest

from benchrouter.make.commands.perf import Goals


def test_a_missed_goal_ended_with_0_and_looked_like_one_that_was_reached(capsys: pytest.CaptureFixture[str]) -> None:
    goals = Goals()
    goals.report("saving", "by hand", [(1.0, 1.0), (9.0, 2.0), (3.0, 2.0)], 1.25)
    goals.report("written", "by hand", [(1.0, 10.0)], 0.1, "MiB")
    assert goals.missed == ["saving"]
    assert capsys.readouterr().out.splitlines() == [
        "saving: 3.00 s, by hand: 2.00 s, ratio 1.50 (goal: at most 1.25: missed)",
        "written: 1.00 MiB, by hand: 10.00 MiB, ratio 0.10 (goal: at most 0.1)",
    ]
