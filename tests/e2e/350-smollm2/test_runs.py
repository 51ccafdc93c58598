"""Runs with the real model: scores that repeat, eight jobs at once, crashes and kills, a network of its own."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

from local_models import LONG, lend, log_of, models_of, processes, wait_for_process
from project import MAY_DIFFER, Done, Project, contents, wait_until
from shipped import ship
from soaking import only_in_soak

# In the words of hello's, so that BuildKit does it once for both.
DOCKERFILE = """\
FROM debian:bookworm-slim
RUN apt-get update \\
    && apt-get install -y --no-install-recommends ca-certificates curl \\
    && rm -rf /var/lib/apt/lists/*
"""
ASKS = """
    set -eu
    for n in $(seq {times}); do
        ask='{{"role": "user", "content": "Tell {topic} %s"}}'
        printf "{{\\"model\\": \\"smollm2\\", \\"max_tokens\\": {tokens}, \\"messages\\": [$ask]}}" "$n" |
            curl -sf --max-time {patience} --data-binary @- "$BENCHROUTER_MODEL_ENDPOINT/chat/completions" >/tmp/said ||
            {otherwise}
        cat /tmp/said >>"$BENCHROUTER_OUTPUT_DIR/said.jsonl"
    done
    printf '{{"overall": 1}}' >"$BENCHROUTER_OUTPUT_DIR/result.json"
"""


def asks(topic: str, times: int = 2, tokens: int = 12, patience: int = 300, otherwise: str = "exit 75") -> str:
    """Write a task that asks several times."""
    return ASKS.format(topic=topic, times=times, tokens=tokens, patience=patience, otherwise=otherwise)


def run(project: Project, *words: str, status: int = 0) -> Done:
    done = project.doit("run", "model=smollm2", *words, deadline=LONG)
    assert done.status == status, f"exit {done.status}, expected {status}\n{done.text}"
    return done


def test_a_real_benchmark_has_the_same_scores_in_two_workspaces(
    project: Project, second_project: Project, smollm2: Path
) -> None:
    for each in (project, second_project):
        lend(smollm2, each)
        ship(each, ["hello"])
        run(each, "bench=hello", "tasks=capitals,opposites", "BENCH_LIMIT=2")
        assert not processes(each)
    first, second = (contents(each.root / "results", MAY_DIFFER) for each in (project, second_project))
    assert first == second and len(first) > 8
    result = next(project.root.glob("results/hello/smollm2/capitals/*/result.json"))
    items = json.loads(result.read_text())["raw_metrics"]["items"]
    assert len(items) == 2 and all(item["answer"] for item in items)
    assert json.loads((result.parent / "provenance.json").read_text())["model_runtime"]["node"].startswith("v")
    again = run(project, "bench=hello", "tasks=capitals,opposites", "BENCH_LIMIT=2")
    assert not project.ran(again)


def test_eight_jobs_at_once_share_one_process_in_turn(project: Project, smollm2: Path) -> None:
    lend(smollm2, project)
    project.benchmark("b", {f"t{n}": asks(f"a story of {n} foxes", 2, 6) for n in range(8)}, dockerfile=DOCKERFILE)
    process = project.start("run", "model=smollm2", "-n", "8")
    pid = wait_for_process(project)
    out, err = process.communicate(timeout=LONG)
    assert process.returncode == 0, out + err
    log = log_of(project)
    lanes = [line.split()[3].rstrip(":") for line in log.splitlines() if ", answer " in line]
    assert sorted(lanes) == sorted(f"b/t{n}@smollm2" for n in range(8) for _ in range(2))
    assert not Path(f"/proc/{pid}").exists() and not processes(project)


@only_in_soak("asks a real model for long")
def test_a_model_that_dies_is_begun_again_and_its_jobs_are_run_again(project: Project, smollm2: Path) -> None:
    lend(smollm2, project)
    project.benchmark("b", {"t": asks("a long story", 2, 300)}, dockerfile=DOCKERFILE)
    process = project.start("run", "model=smollm2")
    wait_until(lambda: "request 2 " in log_of(project), 120)
    os.kill(processes(project)[0], signal.SIGKILL)
    out, err = process.communicate(timeout=LONG)
    assert process.returncode == 0, out + err
    assert "b/t@smollm2: endpoint:" in out and out.count("job:b/t@smollm2 started") == 2, out


def test_nothing_of_it_outlives_us(project: Project, smollm2: Path) -> None:
    """Killed outright, ended in order, or interrupted: no process of the model is left, and the next run goes on."""
    lend(smollm2, project)
    project.benchmark("b", {"t": asks("a story", 200, 30)}, dockerfile=DOCKERFILE)
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
        before = log_of(project).count("request 1 ")
        process = project.start("run", "model=smollm2")
        wait_until(lambda before=before: log_of(project).count("request 1 ") > before, 120)
        assert len(processes(project)) == 1
        process.send_signal(number)
        process.communicate(timeout=60)
        wait_until(lambda: not processes(project), 10)
    project.benchmark("c", {"t": asks("a story", 1)}, dockerfile=DOCKERFILE)
    run(project, "bench=c")


def test_it_is_reached_from_a_network_of_its_own(project: Project, smollm2: Path) -> None:
    """By way of the relay, as any endpoint of this machine."""
    lend(smollm2, project)
    project.benchmark("b", {"t": asks("a story", 1)}, dockerfile=DOCKERFILE, task_yaml="network: bridge\n")
    run(project)
    assert "b/t@smollm2" in log_of(project)


def test_a_client_that_goes_behind_the_relay_stops_its_answer(project: Project, smollm2: Path) -> None:
    lend(smollm2, project)
    script = asks("a very long story", 1, 4000, patience=2, otherwise="true") + asks("a story", 1)
    project.benchmark("b", {"t": script}, dockerfile=DOCKERFILE, task_yaml="network: bridge\n")
    run(project)
    assert "cancelled" in log_of(project)


def test_declared_parameters_reach_the_task_and_its_key(project: Project, smollm2: Path) -> None:
    lend(smollm2, project)
    saw = """printf '{"overall": 1, "saw": %s}' "${BENCHROUTER_MODEL_PARAMETERS:-null}" """
    project.benchmark("b", {"t": f'{saw} >"$BENCHROUTER_OUTPUT_DIR/result.json"'})
    run(project)
    project.write("benchrouter.yaml", "models:\n  smollm2: {parameters: {temperature: 0.5}}\n")
    assert project.due(model="smollm2") == ["b/t@smollm2"]
    run(project)
    results = [json.loads(path.read_text()) for path in project.root.glob("results/b/smollm2/t/*/result.json")]
    assert sorted(str(result["raw_metrics"]["saw"]) for result in results) == ["None", "{'temperature': 0.5}"]


@only_in_soak("loads a real model again and again")
def test_weights_that_were_damaged_answer_nothing(project: Project, smollm2: Path) -> None:
    """The key of a job says which weights answered."""
    lend(smollm2, project)
    weights = next((models_of(project) / "smollm2").glob("*.gguf"))
    weights.unlink()
    weights.write_bytes(b"GGUF of something else")
    project.benchmark("b", {"t": asks("a story", 1)}, dockerfile=DOCKERFILE)
    done = run(project, status=1)
    assert "job:b/t@smollm2 FAILED endpoint" in done.out
    assert "is damaged (sha256 " in done.out and "doit models install smollm2" in done.out
    assert not processes(project)
    mended = project.doit("models", "install", "smollm2", deadline=LONG)
    assert mended.status == 0 and "installed, but not sound" in mended.out and "is damaged" in mended.out, mended.text
    run(project)
