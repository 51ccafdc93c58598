from __future__ import annotations

from pathlib import Path

import pytest
from shelf import Shelf


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    root = tmp_path / "results"
    root.mkdir()
    return Shelf(root)


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """The place of a gate's policy."""
    return tmp_path / "gate.yaml"
