"""What all tests share: which ones need an engine, and the engine itself."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark by place, so that `-m 'not engine'` is the fast half."""
    for item in items:
        place = item.path.relative_to(HERE).parts[0]
        if place in ("engine", "e2e"):
            item.add_marker(pytest.mark.engine)


@pytest.fixture(scope="session")
def repository() -> Path:
    """The checkout under test."""
    return HERE.parent
