"""Rows and results as text: CSV, JSON lines, Markdown, JUnit XML (pure)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from benchrouter.scores.collected import JobResult
from benchrouter.scores.export.rows import Exported
from benchrouter.scores.table import score
from benchrouter.store.states import JobState

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_MARKUP = {"&": "&amp;", "<": "&lt;", **{char: f"\\{char}" for char in "\\`*_[]|"}}


def to_csv(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Write rows as CSV with a header (RFC 4180).

    A text that a spreadsheet would take for a formula gets an apostrophe before it, which spreadsheets do not show.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return out.getvalue()


def to_jsonl(rows: Iterable[Mapping[str, Any]]) -> str:
    """Write rows as JSON, one object a line, in ASCII."""
    return "".join(json.dumps(row, allow_nan=False) + "\n" for row in rows)


def to_markdown(found: Sequence[Exported]) -> str:
    """Write a table for each board, the best first."""
    parts = []
    for words in dict.fromkeys((one.board.benchmark, *one.board.words) for one in found):
        rows = [one.standing for one in found if (one.board.benchmark, *one.board.words) == words]
        rows.sort(key=lambda one: (one.overall is None, -(one.overall or 0.0), one.model))
        lines = ["| model | score | 95 % interval | coverage | state |", "|---|---:|---|---:|---|"]
        for one in rows:
            limits = f"{score(one.interval.low)} – {score(one.interval.high)}" if one.interval else ""
            cells = (_mark(one.model), score(one.overall), limits, str(one.coverage), one.state.value)
            lines.append(f"| {' | '.join(cells)} |")
        parts.append(f"## {', '.join(map(_mark, words))}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def to_junit(found: Sequence[Exported]) -> str:
    """Write JUnit XML: a suite for each result, a case for each job, in the first suite that has it.

    A task's own failure is a `failure`, one of the infrastructure an `error`, a job that did not run `skipped`.
    """
    root = ElementTree.Element("testsuites", name="benchrouter")
    for one in found:
        if one.own:
            root.append(_suite(one))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _suite(one: Exported) -> ElementTree.Element:
    name = " ".join((f"{one.board.benchmark} @ {one.standing.model}", *one.board.words))
    suite = ElementTree.Element("testsuite", name=_xml(name))
    cases = [_case(job) for job in one.own]
    for kind, count in (("tests", len(cases)), *((f"{kind}s", _with(cases, kind)) for kind in ("failure", "error"))):
        suite.set(kind, str(count))
    suite.set("skipped", str(_with(cases, "skipped")))
    suite.set("time", f"{sum(job.seconds for job in one.own):.3f}")
    suite.extend(cases)
    return suite


def _case(job: JobResult) -> ElementTree.Element:
    name = job.id.task + (f"#{job.id.repeat}" if job.id.repeat else "")
    names = {"classname": _xml(f"{job.id.benchmark}.{job.id.model}"), "name": _xml(name)}
    case = ElementTree.Element("testcase", names, time=f"{job.seconds:.3f}")
    if job.overall is not None:
        properties = ElementTree.SubElement(case, "properties")
        ElementTree.SubElement(properties, "property", name="overall", value=repr(job.overall))
    if job.state is JobState.FAILED:
        reason, detail = job.reason, _xml(str(job.facts.get("detail", "")))
        kind = "error" if reason is None or reason.infrastructure else "failure"
        fault = ElementTree.SubElement(case, kind, type=reason.word if reason else "unknown", message=detail)
        fault.text = _xml(f"{reason.description if reason else 'it failed'}\n{detail}")
    elif job.state is not JobState.COMPLETED:
        ElementTree.SubElement(case, "skipped")
    return case


def _with(cases: Sequence[ElementTree.Element], kind: str) -> int:
    return sum(case.find(kind) is not None for case in cases)


def _xml(text: str) -> str:
    """Leave out what no XML document may hold."""
    return "".join(char if char.isprintable() or char in "\n\t" else "\N{REPLACEMENT CHARACTER}" for char in text)


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        value = value.encode("utf-8", "replace").decode()
        return f"'{value}" if value.startswith(_FORMULA) else value
    return value


def _mark(text: str) -> str:
    """Keep a text one cell, and no markup."""
    line = "".join(char if char.isprintable() else " " for char in text)
    return "".join(_MARKUP.get(char, char) for char in line)
