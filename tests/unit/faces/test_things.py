"""`benchrouter env`, `models`, `image`, `cache`, `clean`, `doctor`: their JSON, their mistakes, what they leave."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.unit.faces.workspaces import benchrouter, small_workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A small workspace."""
    return small_workspace(tmp_path / "w")


def test_an_environment_of_the_workspace_comes_and_goes(workspace: Path, tmp_path: Path) -> None:
    """From a Dockerfile or a directory; a benchmark that brings none of that name uses it."""
    file = tmp_path / "my.Dockerfile"
    file.write_text("FROM python:3.12-slim\n")
    told = benchrouter(workspace, "env", "register", "--name", "shared", "--dockerfile", "../my.Dockerfile", "--json")
    assert told.json["path"] == str(workspace / "environments" / "shared")
    listed = {e["name"]: e for e in benchrouter(workspace, "env", "list", "--json").json["environments"]}
    assert listed["shared"]["benchmark"] is None and listed["b"]["tag"].startswith("benchrouter/b-b:")
    (workspace / "benchmarks/b/benchmark.yaml").write_text("name: b\ntasks: [{name: one, environment: shared}]\n")
    used = benchrouter(workspace, "env", "status", "b/shared", "--json")
    assert used.status == 1 and used.json["environments"][0]["path"] == str(workspace / "environments" / "shared")
    again = benchrouter(workspace, "env", "register", "--name", "shared", "--path", workspace / "environments/shared")
    assert again.status == 2 and "--replace" in again.err
    assert benchrouter(workspace, "env", "delete", "shared").status == 0
    assert not (workspace / "environments" / "shared").exists()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("../x", "FROM a\n", "cannot be an environment's name"),
        ("x", "FRM a\n", "Dockerfile:1: "),
        ("x", "FROM a\nCOPY --from=${\n", "Dockerfile:2: "),
    ],
)
def test_an_environment_that_cannot_be_one_is_refused(workspace: Path, name: str, text: str, said: str) -> None:
    """Name and Dockerfile are looked at first; nothing is left."""
    (workspace / "Dockerfile").write_text(text)
    called = benchrouter(workspace, "env", "register", "--name", name, "--dockerfile", "Dockerfile")
    assert called.status == 2 and said in called.err
    assert not (workspace / "environments").exists() and not list((workspace / ".benchrouter").glob("tree-*"))


class _Endpoint(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        good = self.headers["Authorization"] == "Bearer right-key-of-mine"
        body = json.dumps({"data": [{"id": "here"}]}).encode() if good else b"{}"
        self.send_response(200 if good else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""


@pytest.fixture
def endpoint() -> Iterator[str]:
    """An endpoint that lists one model to who has the key."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def test_models_are_checked_by_one_cheap_call(workspace: Path, endpoint: str) -> None:
    """There, key right, listed: 0; not listed, key wrong, not there: 1, each with what it is. The key is not shown."""
    declared = f"models:\n  here: {{endpoint: '{endpoint}', api_key_env: MY}}\n"
    declared += f"  gone: {{endpoint: '{endpoint}', api_key_env: MY}}\n  shut: {{endpoint: 'http://127.0.0.1:9/v1'}}\n"
    (workspace / "benchrouter.yaml").write_text(declared)
    good = benchrouter(workspace, "models", "check", "here", "demo", "--json", MY="right-key-of-mine")
    assert good.status == 0 and [m["ok"] for m in good.json["models"]] == [True, True]
    bad = benchrouter(workspace, "models", "check", "--json", MY="right-key-of-mine")
    found = {m["name"]: m for m in bad.json["models"]}
    assert bad.status == 1 and found["here"]["ok"] and "right-key-of-mine" not in bad.out + bad.err
    assert (found["gone"]["reached"], found["gone"]["listed"]) == (True, False)
    assert not found["shut"]["reached"] and "does not answer" in found["shut"]["detail"]
    refused = benchrouter(workspace, "models", "check", "here", MY="wrong")
    assert refused.status == 1 and "check the value of MY" in refused.out
    listed = benchrouter(workspace, "models", "list")
    assert "benchrouter models install smollm2" in listed.out and "doit" not in listed.out


def test_the_doctor_tells_what_is_essential(workspace: Path) -> None:
    """No engine: exit status 1, and each finding that is not well says what follows and how to mend it."""
    called = benchrouter(workspace, "doctor", "--json")
    findings = {each["what"]: each for each in called.json["findings"]}
    assert called.status == 1 and not called.json["ok"]
    assert findings["engine"]["level"] == "broken" and findings["workspace"]["level"] == "ok"
    for each in findings.values():
        assert each["level"] == "ok" or (each["follows"] and each["mend"])
    assert {"settings", "disk", "registry", "certificates", "proxies", "open files"} <= findings.keys()
    (workspace / "benchrouter.yaml").write_text("site: {networks: 10}\n")
    told = benchrouter(workspace, "doctor", "--json", HTTPS_PROXY="http://proxy:3128").json
    findings = {each["what"]: each for each in told["findings"]}
    assert "benchrouter.yaml:1" in findings["settings"]["found"] and findings["proxies"]["level"] == "lacking"
    assert not (workspace / "runs").exists() and not (workspace / "cache").exists()


def test_what_looks_at_the_cache_writes_nothing(workspace: Path) -> None:
    """An empty archive, an empty cache; a size that is none is a mistake."""
    assert benchrouter(workspace, "image", "list", "--json").json["images"] == []
    assert benchrouter(workspace, "cache", "list", "--json").json["parts"] == []
    assert benchrouter(workspace, "cache", "prune", "--max-size", "lots").status == 2
    cleaned = benchrouter(workspace, "clean", "--dry-run", "--json")
    assert cleaned.json["removed"] == [] and benchrouter(workspace, "clean", "--stale").status == 2
    missing = benchrouter(workspace, "image", "export", "no/such:1", "-o", "x.tar", "--json")
    assert missing.status == 1 and missing.json["kind"] == "error" and not (workspace / "x.tar").exists()
    assert benchrouter(workspace, "eval", "list", "--json").json["evaluations"] == []
    assert "no attempt at a job" in benchrouter(workspace, "logs", "b/one").err
    assert sorted(path.name for path in workspace.iterdir()) == ["benchmarks", "dodo.py", "doit.cfg"]
