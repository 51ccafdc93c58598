"""`benchrouter env`, `models`, `image`, `cache`, `clean`, `doctor`: their JSON, their mistakes, what they leave."""

from __future__ import annotations

import json
import shutil
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


def test_nothing_checked_was_a_success(workspace: Path, endpoint: str) -> None:
    """What `run` would ask is checked, by the same words; with nothing to check, status 2."""
    nothing = benchrouter(workspace, "models", "check", "--json")
    assert nothing.status == 2 and "BENCHROUTER_MODEL_NAME is not set" in nothing.json["message"]
    environ = {"BENCHROUTER_MODEL_ENDPOINT": endpoint, "OPENAI_API_KEY": "right-key-of-mine"}
    environ["BENCHROUTER_MODEL_NAME"] = "other"
    (workspace / "benchrouter.yaml").write_text("models: {declared: {endpoint: 'http://127.0.0.1:9/v1'}}\n")
    asked = {"": ["other"], "-m here,demo": ["here", "demo"], "here --model gone": ["here", "gone"]}
    for words, names in asked.items():
        told = benchrouter(workspace, "models", "check", *words.split(), "--json", **environ)
        assert [each["name"] for each in told.json["models"]] == names
        assert told.status == (0 if names == ["here", "demo"] else 1)


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


@pytest.fixture
def beside_a_faulty_one(workspace: Path) -> Path:
    """A workspace of which one benchmark lacks the Dockerfile that its tasks name."""
    faulty = workspace / "benchmarks" / "faulty"
    shutil.copytree(workspace / "benchmarks" / "b", faulty)
    (faulty / "benchmark.yaml").write_text("name: faulty\ntasks: [{name: one, environment: nowhere}]\n")
    (workspace / ".benchrouter").mkdir()
    (workspace / ".benchrouter/id").write_text("0123456789abcdef\n")  # something has run here
    return workspace


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("env list", 0),
        ("env status b/b", 1),
        ("clean --dry-run", 1),
        ("clean --results --dry-run", 1),
        ("clean --stale -m demo", 0),
        ("image export no/such:1 -o x.tar", 1),
        ("cache prune", 0),
    ],
)
def test_one_faulty_benchmark_does_not_block_what_is_not_about_it(
    beside_a_faulty_one: Path, words: str, status: int
) -> None:
    """The rest works as if it were not there (no engine answers here), and its faults are named on stderr."""
    called = benchrouter(beside_a_faulty_one, *words.split())
    assert "benchmark `faulty` has faults and is left out" in called.err
    assert "faulty/benchmark.yaml:2: environment `nowhere`" in called.err
    assert called.status == status, called
    assert ("b/b" in called.out) is words.startswith("env")


def test_what_was_left_out_of_a_build_is_no_success_to_a_program(beside_a_faulty_one: Path) -> None:
    """The status was 1, and the only object said COMPLETED."""
    shutil.rmtree(beside_a_faulty_one / "benchmarks/b")
    called = benchrouter(beside_a_faulty_one, "env", "build", "--json")
    built, told = map(json.loads, called.out.splitlines())
    assert (called.status, built["kind"], told["kind"]) == (1, "run", "error") and "left out" in told["message"]


def test_a_faulty_benchmark_that_is_meant_is_an_error(beside_a_faulty_one: Path) -> None:
    """Named, or because all are asked for."""
    for words in ("env status faulty", "env status faulty/nowhere", "plan faulty -m demo", "clean --bench faulty"):
        assert benchrouter(beside_a_faulty_one, *words.split()).status == 2, words
    assert benchrouter(beside_a_faulty_one, "env", "status").status == 1


def test_stale_keeps_everything_of_a_benchmark_that_cannot_be_read(beside_a_faulty_one: Path) -> None:
    """Which of its keys are current is not known."""
    kept = [
        beside_a_faulty_one / "results/faulty/demo/one" / ("0" * 32) / "job.json",
        beside_a_faulty_one / "results/faulty/demo/one/failed/1/job.json",
        beside_a_faulty_one / "cache/trees" / ("1" * 32) / "run.sh",
    ]
    for path in kept:
        path.parent.mkdir(parents=True)
        path.write_text("{}")
    assert benchrouter(beside_a_faulty_one, "clean", "--stale", "-m", "demo").status == 0
    assert all(path.exists() for path in kept)


def test_an_environment_that_no_benchmark_uses_has_no_image(workspace: Path) -> None:
    """`env build` says so, and asks for no model; `env status` of it is 1, since an image of it is nowhere."""
    (workspace / "environments/shared").mkdir(parents=True)
    (workspace / "environments/shared/Dockerfile").write_text("FROM python:3.12-slim\n")
    built = benchrouter(workspace, "env", "build", "shared")
    assert built.status == 2 and "used by no benchmark" in built.err and "model" not in built.err
    told = benchrouter(workspace, "env", "status", "shared")
    assert told.status == 1 and "used by no benchmark" in told.out
    shutil.rmtree(workspace / "benchmarks/b")
    nothing = benchrouter(workspace, "env", "build")
    assert nothing.status == 0 and "nothing to build" in nothing.out
