"""What others named, printed or wrote only shows: no terminal acts on it."""

from __future__ import annotations

import pytest

from benchrouter.jobs.terminal import Colours, harmless

HOSTILE = (
    "a\x1b[31mred\x1b[0m\x1b]0;PWNED\x07b\x1b]8;;http://x\x1b\\c\x1b[2Jd\x1bPq\x1b\\e"
    "\rf\x9bg\x1b(Bh\x1bci\u202ej\x08k\x00"
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (HOSTILE, "aredbcdefghijk"),
        (joined := "two\nlines\tand 日本語, 👩‍💻, café", joined),
        ("a\u3000b\u00a0c", "a\u3000b\u00a0c"),
        ("half \ud800 and \udcff", "half \ufffd and \ufffd"),
        ("10%\r20%\r\n", "10%20%\n"),
        ("cut \x1b[3", "cut 3"),
        ("unended \x1b]0;title", "unended "),
    ],
)
def test_a_text_loses_what_a_terminal_would_act_on(text: str, shown: str) -> None:
    assert harmless(text) == shown


@pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
def test_colours_and_returns_of_a_log_stay_wherever_it_is_cut(size: int) -> None:
    colours = Colours()
    pieces = [colours.feed(HOSTILE[at : at + size]) for at in range(0, len(HOSTILE), size)]
    assert "".join(pieces) == "a\x1b[31mred\x1b[0mbcde\rfghijk"
    assert colours.used


def test_an_escape_that_never_ends_is_not_waited_for() -> None:
    colours = Colours()
    assert colours.feed("a\x1b]0;" + "x" * 10_000) == "a"
    assert colours.feed("b\n") == "b\n" and not colours.used
