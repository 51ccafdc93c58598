"""Find the grid that an answer gives: rows of digits, in a code block or not, or a list of lists as JSON."""

import json
import re

LARGEST = 30
"""Rows and columns that a grid may have at most."""

_BLOCK = re.compile(r"```[^\n]*\n(.*?)(?:```|\Z)", re.DOTALL)
_LISTS = re.compile(r"\[\s*\[[\d\s,\[\]]*\]\s*,?\s*\]")
_ROW = re.compile(r"[\s|>*]*(?:(?i:row)\s*\d+\s*[:.])?[\s|\[]*(\d(?:[\s,|]*\d)*)[\s|\],*]*")


def grid_of(answer):
    """Give the last grid in an answer, as rows of numbers from 0 to 9; None when the last is none.

    Code blocks count before the text around them. Rows of unequal length, and numbers above 9, are no grid.
    """
    for text in (*reversed(_BLOCK.findall(answer)), answer):
        grid = _last_grid(text)
        if grid is not None:
            return grid if _fits(grid) else None
    return None


def _last_grid(text):
    lists = _LISTS.findall(text)
    if lists:
        try:
            return json.loads(re.sub(r",\s*\]", "]", lists[-1]))
        except ValueError:
            pass  # brackets around plain rows
    rows, last = [], None
    for line in [*text.splitlines(), ""]:
        row = _ROW.fullmatch(line)
        if row:
            rows.append(_cells(row.group(1)))
        elif rows:
            last, rows = rows, []
    return last


def _cells(text):
    """Numbers stand apart or, all of one digit, side by side."""
    parts = re.split(r"[\s,|]+", text)
    return [int(cell) for cell in (parts if len(parts) > 1 else parts[0])]


def _fits(grid):
    cells = [cell for row in grid if isinstance(row, list) for cell in row]
    shaped = 0 < len(grid) <= LARGEST and all(isinstance(row, list) and len(row) == len(grid[0]) for row in grid)
    return shaped and 0 < len(grid[0]) <= LARGEST and all(type(cell) is int and 0 <= cell <= 9 for cell in cells)
