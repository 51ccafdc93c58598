"""Tables that a notebook shows as HTML and a terminal as text (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TypeVar, overload

from benchrouter.scores.table import cells, padded

One = TypeVar("One", covariant=True)


@dataclass(frozen=True)
class Table:
    """Texts under a head; columns in `right` are aligned to the right; `more` counts rows that are not shown."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int] = frozenset()
    more: int = 0

    @property
    def html(self) -> str:
        """Give an HTML table; all text in it is escaped."""
        head = "".join(f"<th{self._align(at)}>{escape(cell)}</th>" for at, cell in enumerate(self.head))
        rows = "".join(f"<tr>{''.join(map(self._cell, range(len(row)), row))}</tr>" for row in self.rows)
        more = f"<tr><td colspan={len(self.head)}>and {self.more} more</td></tr>" if self.more else ""
        caption = f'<caption style="text-align:left">{escape(self.title)}</caption>'
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}{more}</tbody></table>"

    @property
    def text(self) -> str:
        """Give aligned lines."""
        every = (self.head, *self.rows)
        widths = [max(cells(row[at]) for row in every) for at in range(len(self.head))]
        lines = ["  ".join(map(self._padded, range(len(row)), row, widths)).rstrip() for row in every]
        lines += [f"and {self.more} more"] if self.more else []
        return "\n".join([self.title, *(f"  {line}" for line in lines)])

    def _padded(self, at: int, cell: str, width: int) -> str:
        return padded(cell, width, right=at in self.right)

    def _cell(self, at: int, cell: str) -> str:
        return f"<td{self._align(at)}>{escape(cell)}</td>"

    def _align(self, at: int) -> str:
        return f' style="text-align:{"right" if at in self.right else "left"}"'


def shortened(rows: Sequence[tuple[str, ...]], most: int = 200) -> tuple[tuple[tuple[str, ...], ...], int]:
    """Give the first rows, and how many there are beside them."""
    return tuple(rows[:most]), max(0, len(rows) - most)


class Shown:
    """What shows itself as a table."""

    @property
    def table(self) -> Table:
        """Give the table."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return self.table.html

    def __str__(self) -> str:
        return self.table.text


class ShownInTurn(Shown, Sequence[One]):
    """A sequence that shows itself as one table."""

    def __init__(self, each: Iterable[One]) -> None:
        self._each = tuple(each)

    @overload
    def __getitem__(self, at: int) -> One: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[One]: ...

    def __getitem__(self, at: int | slice) -> One | Sequence[One]:
        return self._each[at]

    def __len__(self) -> int:
        return len(self._each)
