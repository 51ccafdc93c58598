"""How aggregates stand: what is in the place of the file is never waited for."""

from __future__ import annotations

import os
from pathlib import Path

from benchrouter.make import standing


def test_a_fifo_in_place_of_an_aggregate_hung_a_run(tmp_path: Path) -> None:
    """It says nothing, so that the aggregate is written anew."""
    os.mkfifo(tmp_path / "aggregate.json")
    assert standing._content(tmp_path / "aggregate.json") == b""
    (tmp_path / "whole.json").write_bytes(b"{}")
    assert standing._content(tmp_path / "whole.json") == b"{}"
