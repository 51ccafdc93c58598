"""A daemon of the task's own beside a sidecar: what the task reaches, and what the containers in it reach."""

from __future__ import annotations

import json

from own_daemons import SERVING_DOCKERFILE
from project import Project
from shipped import LONG, check_nothing_left

SIDECAR = """\
    docker: true
    sidecars:
      - name: web
        build: b
        command: [python3, -m, http.server, "8000"]
        ports: ["8000:8000"]
        healthcheck: {test: "curl --fail --silent localhost:8000", interval: 1s, retries: 100}
"""
SCRIPT = """\
    set -eu
    image=benchrouter-env-b:latest
    get() { curl --silent --show-error --fail --max-time 20 "$@"; }
    inside() { docker run --rm "$@"; }
    web=$(getent hosts web | cut -d' ' -f1)

    get "$BENCHROUTER_MODEL_ENDPOINT/models" >"$BENCHROUTER_OUTPUT_DIR/endpoint.json"
    get http://web:8000/ >/dev/null
    inside "$image" curl --silent --fail "$BENCHROUTER_MODEL_ENDPOINT/models" >"$BENCHROUTER_OUTPUT_DIR/inside.json"
    inside "$image" curl --silent --fail "http://$web:8000/" >/dev/null
    inside "$image" curl --silent --fail http://web:8000/ >/dev/null
    docker network create inner >/dev/null
    inside --network inner "$image" curl --silent --fail http://web:8000/ >/dev/null
    printf 'FROM %s\\nRUN curl --silent --fail http://web:8000/\\n' "$image" | docker build --quiet -
    docker run --detach --name own --publish 8000:8000 "$image" python3 -m http.server 8000
    tries=0
    until get http://localhost:8000/ >/dev/null 2>&1; do
        tries=$((tries + 1)); [ "$tries" -lt 100 ]; sleep 0.1
    done
    echo '{"overall": 1}' >"$BENCHROUTER_OUTPUT_DIR/result.json"
"""


def test_a_task_reaches_its_sidecar_its_own_containers_and_the_model(project: Project) -> None:
    """Two of them at once: the sidecars and the containers inside want the same port."""
    project.benchmark("b", {"one": SCRIPT, "two": SCRIPT}, dockerfile=SERVING_DOCKERFILE, task_yaml=SIDECAR)
    done = project.doit("run", "model=demo", "bench=b", deadline=LONG)
    logs = "\n".join(
        path.read_text() for path in project.root.glob("results/b/demo/*/failed/*/logs/std*.log")
    )
    assert done.status == 0, done.text + logs
    for artifact in project.artifacts("b", model="demo"):
        for name in ("endpoint.json", "inside.json"):
            (model,) = json.loads((artifact / "output" / name).read_text())["data"]
            assert model["id"] == "demo"
    check_nothing_left(project)
