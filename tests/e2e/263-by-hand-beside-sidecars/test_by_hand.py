"""A job with sidecars, repeated by hand as its kept files say: compose.yaml for the sidecars, run.sh for the rest."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from own_daemons import SERVING_DOCKERFILE
from project import Project
from shipped import LONG

from benchrouter.engine.client import Engine
from benchrouter.engine.compose import find_compose
from benchrouter.engine.dind.daemons import planned_choice

SIDECAR = """\
    sidecars:
      - name: web
        build: b
        command: [python3, -m, http.server, "8000", --directory, /srv]
        ports: ["%d:8000"]
        healthcheck: {test: "curl --fail --silent localhost:8000", interval: 1s, retries: 100}
        post_start: ["echo served >/srv/word"]
"""
BESIDE = """\
    set -eu
    curl --silent --fail http://web:8000/word >"$BENCHROUTER_OUTPUT_DIR/word"
    curl --silent --fail --max-time 20 "$BENCHROUTER_MODEL_ENDPOINT/models" >/dev/null
    echo '{"overall": 1}' >"$BENCHROUTER_OUTPUT_DIR/result.json"
"""
BOTH = """\
    docker run --rm benchrouter-env-b curl --silent --fail http://web:8000/word >"$BENCHROUTER_OUTPUT_DIR/inside"
"""


def a_free_port() -> int:
    """Find a port that a person could publish."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def brought_up(config: Path, project: Project, name: str) -> Iterator[None]:
    """Do what compose.yaml's first lines say, but for the evaluation."""
    lines = [line.removeprefix("#   ") for line in (config / "compose.yaml").read_text().splitlines()]
    first = next(line for line in lines if line.startswith("docker compose --project-name NAME"))
    compose = " ".join(find_compose(os.environ).argv)
    task = project.root / "benchmarks" / "b" / "t"
    first = first.replace("docker compose", compose, 1).replace("NAME", name)
    first = first.replace("DIRECTORY_OF_THE_TASK", str(task))
    again = first.partition(" up ")[0]
    after = [line.replace("docker compose ...", again) for line in lines if " exec web " in line]
    try:
        for command in (first, *after):
            done = subprocess.run(["sh", "-c", command], cwd=config, capture_output=True, text=True, check=False)
            assert done.returncode == 0, command + done.stderr
        yield
    finally:
        subprocess.run(["sh", "-c", f"{again} down --volumes -t 0"], cwd=config, capture_output=True, check=False)


class _Model(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"data": []}')

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def model_on_this_machine() -> Iterator[str]:
    """Serve an endpoint that containers reach as run.sh's first lines say."""
    with ThreadingHTTPServer(("0.0.0.0", 0), _Model) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://host.docker.internal:{server.server_port}/v1"
        server.shutdown()


def rights() -> str:
    """Say in the words of run.sh what a daemon runs with here."""
    engine = Engine.connect()
    try:
        return planned_choice(engine.info).runtime.word
    finally:
        engine.close()


def run_by_hand(config: Path, where: Path, more: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run run.sh as a person would, in an empty directory."""
    where.mkdir()
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("BENCHROUTER_", "OPENAI_"))}
    command = ["sh", str(config / "run.sh")]
    return subprocess.run(command, cwd=where, env={**clean, **more}, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("docker", [False, True], ids=["sidecars", "sidecars and daemon"])
def test_a_job_with_sidecars_could_not_be_repeated_by_hand(project: Project, tmp_path: Path, docker: bool) -> None:
    """With a daemon as well, compose.yaml wanted --privileged and files that nobody made; run.sh saw no sidecar."""
    yaml = SIDECAR % a_free_port() + ("    docker: true\n" if docker else "")
    project.benchmark("b", {"t": BESIDE + (BOTH if docker else "")}, dockerfile=SERVING_DOCKERFILE, task_yaml=yaml)
    done = project.doit("run", "model=demo", "bench=b", deadline=LONG)
    assert done.status == 0, done.text
    (artifact,) = project.artifacts("b", "t")
    name = f"by-hand-{project.id[:8]}"
    environment = {"BENCHROUTER_NETWORK": f"{name}_default", "BENCHROUTER_DIND_RIGHTS": rights() if docker else ""}
    with brought_up(artifact / "config", project, name), model_on_this_machine() as endpoint:
        environment["BENCHROUTER_MODEL_ENDPOINT"] = endpoint
        repeated = run_by_hand(artifact / "config", tmp_path / "hand", environment)
    assert repeated.returncode == 0, repeated.stderr
    outputs = {path.name: path.read_bytes() for path in (tmp_path / "hand/results-by-hand").iterdir()}
    assert outputs == {path.name: path.read_bytes() for path in (artifact / "output").iterdir()}
    assert outputs["word"] == b"served\n" and outputs.get("inside", b"served\n") == b"served\n"
