"""What all tests share: which ones need an engine, and the engine itself."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

# What starts the tests in the background may ignore these, and every process that a test starts would, too.
for _number, _handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _handler)

# Each worker reads all tests, and pytest rewrites what they assert: 5 seconds each, unless that is kept.
sys.dont_write_bytecode = False
HERE = Path(__file__).parent


LONGEST = (
    "090-a-fresh-machine",
    "372-lmms-eval",
    "310-tau2-bench",
    "350-smollm2",
    "374-mcpmark",
    "240-own-daemons-are-swept",
    "261-repo-repair",
    "370-swe-bench-pro",
    "330-agentdojo",
    "381-pages",
    "380-bring-your-benchmark",
    "096-bootstrap-image",
)
"""What takes longest, first: a worker that begins one of these at the end keeps the others waiting."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark by place, so that `-m 'not engine'` is the fast half; put what is short and many at the end."""
    for item in items:
        if _place(item)[0] in ("engine", "e2e"):
            item.add_marker(pytest.mark.engine)
    items.sort(key=_turn)


def _place(item: pytest.Item) -> tuple[str, ...]:
    return item.path.relative_to(HERE).parts


def _turn(item: pytest.Item) -> int:
    kind, directory = _place(item)[:2]
    if directory in LONGEST:
        return LONGEST.index(directory)
    return len(LONGEST) + (kind == "unit")


@pytest.fixture(scope="session")
def repository() -> Path:
    """The checkout under test."""
    return HERE.parent
