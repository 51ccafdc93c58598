"""One browser for all tests of this directory."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "scores"))  # for the shelf that results are put on

from browser import PROGRAM, Browser, browser


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A headless Chromium."""
    if PROGRAM is None:
        pytest.skip("no Chromium here: `apt-get install chromium` (.ci/run does)")
    with browser(tmp_path_factory.mktemp("profile")) as made:
        yield made


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Where pictures go."""
    return tmp_path
