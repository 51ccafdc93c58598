"""The streams and the console through which everything is printed keep our styling, and nobody else's."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from rich.text import Text

from benchrouter.make.console import OurConsole
from benchrouter.make.interruption import LastingStream, as_is
from benchrouter.make.live import LiveReporter
from benchrouter.make.reporter import Work
from benchrouter.store.states import JobState, Outcome

TITLE = "\x1b]0;PWNED\x07"


class Terminal(io.StringIO):
    """Says that it is one."""

    def isatty(self) -> bool:
        """Say so."""
        return True


@contextmanager
def terminal() -> Iterator[Terminal]:
    """Let both streams of the process be a terminal that knows colours; within the test, since pytest sets them too."""
    made = Terminal()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERM", "xterm-256color")
        for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
            patch.delenv(name, raising=False)
        patch.setattr(sys, "stdout", LastingStream(made))
        patch.setattr(sys, "stderr", LastingStream(made))
        yield made


def test_plain_text_is_harmless_and_what_is_ours_is_passed_on() -> None:
    with terminal() as shown:
        print(f"name\x1b[31m{TITLE}\r")
        print("\x1b[32mok\x1b[0m", file=as_is(sys.stdout))
    assert shown.getvalue() == "name\n\x1b[32mok\x1b[0m\n"


def test_half_a_surrogate_pair_does_not_cost_the_stream() -> None:
    written = io.BytesIO()
    stream = LastingStream(io.TextIOWrapper(written, "utf-8"))
    print("a \ud800 \udcff", file=stream)
    print("b", file=stream)
    stream.flush()
    assert (written.getvalue().decode(), stream.lost) == ("a \ufffd \ufffd\nb\n", "")


def test_a_console_keeps_its_styles_and_makes_texts_harmless() -> None:
    with terminal() as shown:
        OurConsole(sys.stdout).print(Text.assemble(f"x{TITLE}\x1b[41m ", ("done", "green")))
    assert shown.getvalue() == "x \x1b[32mdone\x1b[0m\n"


def test_the_live_view_and_what_is_printed_meanwhile_is_harmless() -> None:
    with terminal() as made:
        before = sys.stdout, sys.stderr
        live = LiveReporter(sys.stdout)
        live.begin(Work(0, 1, 1))
        live.started(f"job:a{TITLE}\x1b[41m", None)
        live.line(f"job:a{TITLE}\x1b[41m", f"last{TITLE}\x1b[41m\x1b]8;;http://x\x1b\\")
        print(f"out{TITLE}\x1b[41m\x1b]8;;http://x\x1b\\")
        print(f"err{TITLE}\x1b[41m", file=sys.stderr)
        live.note(f"note{TITLE}\x1b[41m")
        live.ended("job:a", Outcome(JobState.FAILED))
        live.close()
        assert (sys.stdout, sys.stderr) == before
    shown = made.getvalue()
    assert not any(bad in shown for bad in ("\x1b]", "\x1b[41", "PWNED", "\x07"))
    assert all(word in shown for word in ("out", "err", "note", "last", "\x1b[31mFAILED"))
