"""Pictures as inline SVG, in percent of whatever width there is: scores with intervals, and what ran when (pure)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise

from benchrouter.scores.boards import Standing
from benchrouter.scores.statistics.intervals import Interval
from benchrouter.scores.table import duration, one_line, score
from benchrouter.store.jobid import JobId
from benchrouter.store.runs import RunRecord, Span
from benchrouter.store.states import JobState

_LANE, _BAR = 22, 18
_TREND = 60
_THIN = 0.2  # percent: what is shorter could not be seen


def plot(value: float | None, interval: Interval | None = None) -> str:
    """Draw a score in 0..1 on its axis, with its confidence interval where there is one."""
    grid = "".join(f'<line class="grid" x1="{at}%" x2="{at}%" y1="0" y2="20"/>' for at in (0, 25, 50, 75, 100))
    if value is None:
        return _svg("no score", f'{grid}<text class="none" x="50%" y="14" text-anchor="middle">no score</text>', 20)
    label, marks = f"score {score(value)}", ""
    if interval is not None:
        low, high = 100 * interval.low, 100 * interval.high
        label += f", 95 % interval {score(interval.low)} to {score(interval.high)}"
        marks = f'<rect class="span" x="{low:.2f}%" width="{max(0.0, high - low):.2f}%" y="5" height="10" rx="3"/>'
        marks += f'<line class="range" x1="{low:.2f}%" x2="{high:.2f}%" y1="10" y2="10"/>'
    return _svg(label, f'{grid}{marks}<circle class="dot" cx="{100 * value:.2f}%" cy="10" r="4.5"/>', 20)


def trend(standings: Sequence[Standing]) -> str:
    """Draw scores over time, one point for each result, hollow where jobs have no score; nothing for fewer than two."""
    known = sorted((one for one in standings if one.overall is not None), key=lambda one: one.when)
    if len(known) < 2:
        return ""
    begin, whole = known[0].when, max(known[-1].when - known[0].when, 0.001)
    places = [(100 * (one.when - begin) / whole, _TREND * (1 - (one.overall or 0.0))) for one in known]
    marks = [f'<line class="grid" x1="0" x2="100%" y1="{y:g}" y2="{y:g}"/>' for y in (0, _TREND / 2, _TREND)]
    for (x1, y1), (x2, y2) in pairwise(places):
        marks.append(f'<line class="range" x1="{x1:.2f}%" y1="{y1:.1f}" x2="{x2:.2f}%" y2="{y2:.1f}"/>')
    for (x, y), one in zip(places, known, strict=True):
        words = f"{moment(one.when)}: {score(one.overall)}, coverage {one.coverage}"
        kind = "dot" if one.complete else "hollow"
        marks.append(f'<circle class="{kind}" cx="{x:.2f}%" cy="{y:.1f}" r="4"><title>{words}</title></circle>')
    ends = f"{moment(known[0].when)} to {moment(known[-1].when)}"
    return _svg(f"{len(known)} results from {ends}", "".join(marks), _TREND, "plot trend")


def moment(seconds: float | None) -> str:
    """Write a time as people do, in UTC; nothing for None."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds)) if seconds else ""


def timeline(record: RunRecord, anchors: Mapping[tuple[JobId, str], str]) -> str:
    """Draw what ran when in a run, a lane for each slot; nothing for a record without times.

    Bars of jobs are links to their rows, as far as `anchors` knows them.
    """
    bars = list(_bars(record, anchors))
    if not bars:
        return ""
    begin = min(record.started, *(span.started for span, *_ in bars))
    end = max(record.finished or 0, *(span.started + span.seconds for span, *_ in bars))
    whole = max(end - begin, 0.001)
    lanes = {slot: lane for lane, slot in enumerate(sorted({span.slot for span, *_ in bars}))}
    in_time = sorted(bars, key=lambda bar: bar[0].started)
    drawn = [_bar(*bar, lane=lanes[bar[0].slot], begin=begin, whole=whole) for bar in in_time]
    height = len(lanes) * _LANE
    axis = "".join(_tick(part, part * whole, height) for part in (0, 0.25, 0.5, 0.75, 1))
    label = f"timeline of {len(bars)} stretches on {len(lanes)} slots"
    return _svg(label, axis + "".join(drawn), height + 16, "timeline")


def _bars(record: RunRecord, anchors: Mapping[tuple[JobId, str], str]) -> Iterator[tuple[Span, str, str, str, str]]:
    """Give each stretch with its name, class, further words and anchor."""
    for node in record.nodes:
        yield from ((span, node.name, "node", "", "") for span in node.spans)
    for job in record.jobs:
        for span in job.spans:
            last = span is job.spans[-1]
            killed = record.ended is not None and job.state is JobState.QUEUED  # at work when the run was killed
            state = ("KILLED" if killed else job.state.value) if last else "FAILED"
            reason = f" {job.reason.word}" if last and job.reason else ""
            result = f" {score(job.overall)}" if last and job.overall is not None else ""
            words = f"{state}{reason}{result}" if last else "tried again"
            yield span, str(job.id), state, words, anchors.get((job.id, job.key), "")


def _bar(
    span: Span, name: str, kind: str, words: str, anchor: str, *, lane: int, begin: float, whole: float
) -> str:
    left, width = 100 * (span.started - begin) / whole, max(_THIN, 100 * span.seconds / whole)
    place = f'x="{max(0.0, left):.3f}%" y="{lane * _LANE + 1}" width="{width:.3f}%" height="{_BAR}"'
    name = one_line(name, 120)
    text = f"{name} {words}, {duration(span.seconds)}, slot {span.slot + 1}"
    inner = f'<title>{escape(text)}</title><rect rx="3" width="100%" height="{_BAR}"/>'
    if width > 3:
        inner += f'<text x="4" y="13">{escape(name)}</text>'
    picture = f'<svg {place} style="overflow:hidden">{inner}</svg>'
    if not anchor:
        return f'<g class="{kind}">{picture}</g>'
    return f'<a href="#{anchor}" class="{kind}" aria-label="{escape(text)}">{picture}</a>'


def _tick(part: float, seconds: float, height: int) -> str:
    anchor = "start" if part == 0 else "end" if part == 1 else "middle"
    at = f"{part * 100:.0f}%"
    line = f'<line class="grid" x1="{at}" x2="{at}" y1="0" y2="{height}"/>'
    return f'{line}<text class="label" x="{at}" y="{height + 13}" text-anchor="{anchor}">{duration(seconds)}</text>'


def _svg(label: str, inner: str, height: int, name: str = "plot") -> str:
    role = "group" if name == "timeline" else "img"
    words = f'class="{name}" role="{role}" aria-label="{escape(label)}"'
    return f'<svg {words} width="100%" height="{height}">{inner}</svg>'
