"""Which engine is meant, and what a person is told when it does not answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchrouter.engine.address import DEFAULT, find_address
from benchrouter.engine.client import Engine
from benchrouter.engine.errors import EngineError


def test_order_of_sources(tmp_path: Path) -> None:
    assert find_address("/x.sock", {"DOCKER_HOST": "unix:///y"}).url == "unix:///x.sock"
    assert find_address(None, {"DOCKER_HOST": "unix:///y", "DOCKER_CONTEXT": "c"}).url == "unix:///y"
    assert find_address(None, {"HOME": str(tmp_path)}).url == DEFAULT


def test_current_context_counts(tmp_path: Path) -> None:
    meta = tmp_path / ".docker/contexts/meta/abc/meta.json"
    meta.parent.mkdir(parents=True)
    meta.write_text(json.dumps({"Name": "lab", "Endpoints": {"docker": {"Host": "unix:///lab.sock"}}}))
    (tmp_path / ".docker/config.json").write_text(json.dumps({"currentContext": "lab"}))
    found = find_address(None, {"HOME": str(tmp_path)})
    assert (found.url, found.source) == ("unix:///lab.sock", "docker context lab")


def test_missing_socket_says_where_and_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"does not exist; start it.*--with-engine"):
        Engine.connect(str(tmp_path / "none.sock"))


def test_nobody_listens_is_not_a_traceback(tmp_path: Path) -> None:
    import socket

    path = tmp_path / "dead.sock"
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(path))
    with pytest.raises(EngineError, match="no container engine answers"):
        Engine.connect(str(path))
