"""A console whose styles are ours, and whose texts may be anybody's: no escape in one reaches the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from benchrouter.jobs.terminal import harmless
from benchrouter.make.interruption import as_is


class OurConsole(Console):
    """Draws on a stream, past what that leaves out of plain text."""

    def __init__(self, out: TextIO) -> None:
        super().__init__(file=as_is(out))

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render with texts made harmless; what moves the cursor is rich's own."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else harmless(text), style, control)
