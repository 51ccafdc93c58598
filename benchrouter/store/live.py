"""What a living run tells of itself: `runs/<run-id>.live`, a line of JSON for each event, gone when the run is."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any, TextIO

from benchrouter.store import layout
from benchrouter.store.workspace import Workspace


def open_live(ws: Workspace, run_id: str) -> TextIO:
    """Open the file of a run that begins; on a disk that is full, nothing is told."""
    try:
        return open(layout.live_file(ws, run_id), "w", encoding="ascii")
    except OSError:
        return open(os.devnull, "w", encoding="ascii")


def close_live(file: TextIO) -> None:
    """Close the file; what a full disk did not take is lost, the run is not."""
    try:
        file.close()
    except OSError:
        pass


def forget_live(ws: Workspace, run_id: str) -> None:
    """Remove the file of a run that has ended."""
    layout.live_file(ws, run_id).unlink(missing_ok=True)


def read_live(ws: Workspace, run_id: str) -> Iterator[dict[str, Any]]:
    """Read the events so far; what is torn, as the last line may be, is left out."""
    try:
        with open(layout.live_file(ws, run_id), encoding="ascii", errors="replace") as file:
            for line in file:
                try:
                    event = json.loads(line)
                except ValueError:
                    continue
                if isinstance(event, dict):
                    yield event
    except OSError:
        return
