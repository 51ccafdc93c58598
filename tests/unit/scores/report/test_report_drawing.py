"""Pictures: every mark where the numbers say."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchrouter.scores.aggregate import JobScore, aggregate
from benchrouter.scores.boards import Standing
from benchrouter.scores.report.draw import plot, timeline, trend
from benchrouter.scores.statistics.intervals import Interval
from benchrouter.store.jobid import JobId
from benchrouter.store.runs import RunJob, RunNode, RunRecord, Span
from benchrouter.store.states import JobState, Reason

ONE, TWO = JobId("b", "x", "m"), JobId("b", "y", "m<&>")


def record(*jobs: RunJob, nodes: tuple[RunNode, ...] = ()) -> RunRecord:
    """Make a record that lasted from 100 to 200."""
    return RunRecord("r", (), {}, ("m",), ("b",), 100.0, 200.0, jobs=jobs, nodes=nodes)


def standing(when: float, overall: float | None, declared: int = 1) -> Standing:
    """Make a result of one job."""
    state = JobState.FAILED if overall is None else JobState.COMPLETED
    scored = aggregate("b", "m", declared, [JobScore(ONE, "k", state, overall)])
    return Standing("m", when, scored, Path("x"))


def places(picture: str) -> list[tuple[str, ...]]:
    """Give x, y and width of each bar."""
    return re.findall(r'<svg x="([^"]+)%" y="(\d+)" width="([^"]+)%"', picture)


def test_a_score_and_its_interval_are_where_they_belong() -> None:
    picture = plot(0.5, Interval(0.25, 0.75))
    assert ElementTree.fromstring(picture).attrib["aria-label"] == "score 0.5000, 95 % interval 0.2500 to 0.7500"
    assert 'cx="50.00%"' in picture and 'x="25.00%" width="50.00%"' in picture


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_the_ends_of_the_scale_are_drawn(value: float) -> None:
    assert f'cx="{100 * value:.2f}%"' in plot(value) and "range" not in plot(value)


def test_no_score_is_said_and_not_drawn_as_0() -> None:
    assert "no score" in plot(None) and "circle" not in plot(None)


def test_bars_lie_on_their_slots_at_their_times() -> None:
    jobs = (
        RunJob(ONE, "k", JobState.COMPLETED, overall=0.5, spans=(Span(0, 100.0, 25.0), Span(2, 150.0, 50.0))),
        RunJob(TWO, "k", JobState.FAILED, Reason.TIMEOUT, spans=(Span(1, 110.0, 10.0),)),
    )
    picture = timeline(record(*jobs, nodes=(RunNode("image:b/e", (Span(1, 100.0, 5.0),)),)), {(ONE, "k"): "r7"})
    assert sorted(places(picture)) == [
        ("0.000", "1", "25.000"), ("0.000", "23", "5.000"), ("10.000", "23", "10.000"), ("50.000", "45", "50.000")
    ]  # fmt: skip
    root = ElementTree.fromstring(picture)
    titles = [title.text for title in root.iter("title")]
    assert "b/x@m tried again, 25.0s, slot 1" in titles and "b/x@m COMPLETED 0.5000, 50.0s, slot 3" in titles
    assert "b/y@m<&> FAILED timeout, 10.0s, slot 2" in titles and "image:b/e , 5.0s, slot 2" in titles
    assert [link.attrib["href"] for link in root.iter("a")] == ["#r7", "#r7"]


def test_a_record_without_times_has_no_picture() -> None:
    assert timeline(record(RunJob(ONE, "k", JobState.COMPLETED, overall=1.0)), {}) == ""


def test_a_clock_that_was_set_back_breaks_nothing() -> None:
    picture = timeline(record(RunJob(ONE, "k", JobState.COMPLETED, spans=(Span(0, 50.0, 5.0),))), {})
    ((left, _, width),) = places(picture)
    assert float(left) == 0 and 0 < float(width) < 100


def test_scores_over_time_are_where_they_belong() -> None:
    """A result of which jobs have no score is hollow."""
    standings = [standing(200.0, 1.0), standing(100.0, 0.5), standing(125.0, 0.0, declared=2), standing(150.0, None)]
    picture = trend(standings)
    root = ElementTree.fromstring(picture)
    dots = [(dot.attrib["class"], dot.attrib["cx"], dot.attrib["cy"]) for dot in root.iter("circle")]
    assert dots == [("dot", "0.00%", "30.0"), ("hollow", "25.00%", "60.0"), ("dot", "100.00%", "0.0")]
    assert [title.text for title in root.iter("title")][1] == "1970-01-01 00:02 UTC: 0.0000, coverage 1/2"
    assert trend(standings[:1]) == ""
