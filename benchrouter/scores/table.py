"""The table at the end of a run: one per benchmark and model, as plain lines and as a rich table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchrouter.scores.aggregate import MEAN, Aggregate, JobScore

if TYPE_CHECKING:
    from rich.console import Group

HEADER = ("task", "state", "score", "items", "time", "reason")
SHORT = 100
"""Most characters of a failure's detail in a row."""
_WARNINGS = 200  # which stand nowhere else on the terminal

_RIGHT = ("score", "items", "time")


@dataclass(frozen=True)
class Row:
    """One job as it is shown; `seconds` None when it did not run now, `detail` one line for people.

    `earlier` marks a result that a run was to make anew and did not: it stays, and is none of this run.
    """

    job: JobScore
    seconds: float | None = None
    detail: str = ""
    earlier: bool = False

    def cells(self) -> tuple[str, ...]:
        """Give the texts under HEADER."""
        job = self.job
        repeat = f"#{job.id.repeat}" if job.id.repeat else ""
        reason = job.reason.word if job.reason else ""
        return (
            job.id.task + repeat,
            job.state.value,
            score(job.overall),
            str(job.items or ""),
            duration(self.seconds),
            ": ".join(part for part in (reason, one_line(self.detail, SHORT if job.reason else _WARNINGS)) if part),
        )


def p_words(p: float) -> str:
    """Write the p of a test."""
    return "p < 0.0001" if p < 0.0001 else f"p {p:.4f}"


def score(value: float | None) -> str:
    """Show a score with four digits, or a dash when there is none."""
    return "-" if value is None else f"{value:.4f}"


def duration(seconds: float | None) -> str:
    """Show a duration: `4.2s`, `3m07s`, `2h05m`; nothing for None."""
    if seconds is None:
        return ""
    if seconds < 59.95:
        return f"{seconds:.1f}s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}m{rest:02}s" if minutes < 60 else f"{minutes // 60}h{minutes % 60:02}m"


def one_line(text: str, width: int = 200) -> str:
    """Make any text one printable line of at most `width` characters."""
    line = "".join(char if char.isprintable() else " " for char in " ".join(text.split()))
    return line if len(line) <= width else line[: width - 1] + "…"


def natural(name: str) -> tuple[str | int, ...]:
    """Give what names are sorted by: item 10 after item 9."""
    return tuple(int(part) if n % 2 else part for n, part in enumerate(re.split("([0-9]{1,18})", name)))


def cells(text: str) -> int:
    """Count the columns that a text takes on a terminal: two for most of CJK and emoji."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def padded(text: str, width: int, *, right: bool = False) -> str:
    """Fill a text up to so many columns of a terminal, from the left with `right`."""
    fill = " " * max(0, width - cells(text))
    return fill + text if right else text + fill


def title(aggregate: Aggregate) -> str:
    """Name the benchmark and the model."""
    return f"{aggregate.benchmark} @ {one_line(aggregate.model, 80)}"


def summary(aggregate: Aggregate, earlier: int = 0) -> str:
    """Say the overall score, never without its coverage; with failures as 0 where that differs.

    `earlier` counts the results in it that are not of the run at whose end it is said.
    """
    rule = "" if aggregate.rule == MEAN else f" ({aggregate.rule.rule})"
    text = f"overall {score(aggregate.overall)}{rule} · coverage {aggregate.coverage} · {aggregate.state.value}"
    items = aggregate.items
    if items:
        text += f" · items {items}" + (f", {items.errors} not judged" if items.errors else "")
    if aggregate.overall_failures_as_zero != aggregate.overall:
        text += f" · with the task's own failures as 0: {score(aggregate.overall_failures_as_zero)}"
    if earlier:
        text += f" · {earlier} earlier result{'s' * (earlier != 1)} in it, not made anew now"
    return text


def plain_table(aggregate: Aggregate, rows: Sequence[Row]) -> list[str]:
    """Draw the table as lines of text, for pipes and logs."""
    table = _without_empty([HEADER, *(row.cells() for row in rows)])
    header = table[0]
    widths = [max(cells(line[column]) for line in table) for column in range(len(header))]
    lines = [title(aggregate)]
    for line in table:
        aligned = [padded(line[n], width, right=header[n] in _RIGHT) for n, width in enumerate(widths)]
        lines.append(("  " + "  ".join(aligned)).rstrip())
    return [*lines, "  " + summary(aggregate, sum(row.earlier for row in rows))]


def _without_empty(table: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Leave out the column of items where no job has any."""
    at = HEADER.index("items")
    if any(line[at] for line in table[1:]):
        return table
    return [line[:at] + line[at + 1 :] for line in table]


def rich_table(aggregate: Aggregate, rows: Sequence[Row]) -> Group:
    """Draw the table for a terminal."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title(aggregate)), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    header, *lines = _without_empty([HEADER, *(row.cells() for row in rows)])
    for name in header:
        table.add_column(name, justify="right" if name in _RIGHT else "left", overflow="fold")
    for row, (task, state, *rest) in zip(rows, lines, strict=True):
        table.add_row(Text(task), Text(state, style=row.job.state.style), *(Text(cell) for cell in rest))
    style = {"COMPLETED": "bold green", "PARTIAL": "bold yellow"}.get(aggregate.state.value, "bold red")
    return Group(table, Text(summary(aggregate, sum(row.earlier for row in rows)), style=style))
