"""Compose mode on a real engine: order, names, health, deaths, logs, and that nothing is left."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from job_bench import USE_VOLUMES, JobBench, check_volumes, document, text, two_volumes

from benchrouter.engine.client import Engine
from benchrouter.engine.labels import object_labels
from benchrouter.engine.services import PROJECT, Project
from benchrouter.store.states import JobState, Outcome, Reason

pytestmark = pytest.mark.engine
GOOD = """echo '{"overall": 0.5}' > /app/results/result.json"""
SERVE = "mkdir -p /www && cd /www && echo hello > index.html && exec python3 -m http.server 8000"


@pytest.fixture
def bench(real_engine: Engine, base_image: str, tmp_path: Path) -> Iterator[JobBench]:
    bench = JobBench(real_engine, tmp_path, base_image)
    yield bench
    assert left_of(bench) == []
    assert not list((bench.root / "cache/attempts").glob("run-1/*"))


def left_of(bench: JobBench) -> list[str]:
    """Whatever of this workspace the engine still has, and volumes without a name."""
    wanted = {"label": f"benchrouter.workspace={bench.workspace.id}"}
    api: Any = bench.engine.api
    found = [c["Id"] for c in api.containers(all=True, filters=wanted)]
    found += [n["Name"] for n in api.networks(filters=wanted)]
    return found + [v["Name"] for v in api.volumes(filters=wanted)["Volumes"] or ()]


def sidecar(bench: JobBench, name: str = "web", script: str = SERVE, **options: Any) -> dict[str, Any]:
    return {"name": name, "image": bench.image, "command": ["sh", "-c", script], **options}


def healthy(test: str, **options: Any) -> dict[str, Any]:
    return {"test": test, "interval": "0.3s", "timeout": "5s", "retries": 40, **options}


CHECK = "curl -fs http://127.0.0.1:8000/"


def completed(outcome: Outcome) -> Path:
    assert outcome.state is JobState.COMPLETED, outcome
    return Path(outcome.path)


def failed(outcome: Outcome, *said: str) -> Path:
    assert outcome.reason is Reason.SIDECAR, outcome
    for words in said:
        assert words in outcome.detail, outcome
    return Path(outcome.path)


def test_sidecars_are_up_healthy_and_prepared_before_the_evaluation(bench: JobBench) -> None:
    web = sidecar(
        bench,
        healthcheck=healthy(CHECK),
        environment={"ODD": "a $HOME ${X:-y} $$ `b` \"c\" 'd'\n\\n é"},
        post_start=["printf %s \"$ODD\" > /www/odd", "echo one >> /www/order; echo said", "echo two >> /www/order"],
        ports=["8000:8000"],
    )
    ask = "for f in index.html odd order; do curl -fsS http://web:8000/$f; done"
    outcome = bench.run(f"{ask}; {GOOD}", sidecars=(web,))
    path = completed(outcome)
    assert text(outcome, "logs/stdout.log") == "hello\na $HOME ${X:-y} $$ `b` \"c\" 'd'\n\\n éone\ntwo\n"
    assert "GET /odd" in text(outcome, "logs/sidecar-web.log")
    assert text(outcome, "logs/sidecar-web.post_start.log") == "said\n"
    assert (path / "config/compose.yaml").is_file()
    assert document(outcome, "provenance.json")["compose"].startswith("2.")


def test_data_volumes_are_the_evaluations(bench: JobBench, tmp_path: Path) -> None:
    volumes = two_volumes(tmp_path)
    outcome = bench.run(f"{USE_VOLUMES}; {GOOD}", sidecars=(sidecar(bench),), volumes=volumes)
    completed(outcome)
    check_volumes(tmp_path)


def test_a_one_shot_that_ends_well_is_fine_and_others_may_wait_for_it(bench: JobBench) -> None:
    once = sidecar(bench, "once", "echo made > /data/index.html", volumes=["data:/data"])
    after = {"once": {"condition": "service_completed_successfully"}}
    web = sidecar(bench, "web", "cd /data; exec python3 -m http.server 8000", volumes=["data:/data"], depends_on=after)
    web["healthcheck"] = healthy(CHECK)
    outcome = bench.run(f"curl -fsS http://web:8000/; {GOOD}", sidecars=(once, web))
    completed(outcome)
    assert text(outcome, "logs/stdout.log") == "made\n"


def test_a_sidecar_that_does_not_start_fails_the_job_with_its_log(bench: JobBench) -> None:
    outcome = bench.run(GOOD, sidecars=(sidecar(bench, script="echo no such database; exit 3"),))
    path = failed(outcome, "sidecar web ended with status 3")
    assert (path / "logs/sidecar-web.log").read_text() == "no such database\n"
    assert "no such database" in outcome.log_tail
    assert not outcome.final


def test_a_dependency_that_fails_is_named(bench: JobBench) -> None:
    once = sidecar(bench, "once", "echo broken; exit 4")
    web = sidecar(bench, depends_on={"once": {"condition": "service_completed_successfully"}})
    failed(bench.run(GOOD, sidecars=(once, web)), "sidecar once ended with status 4")


def test_an_unhealthy_sidecar_is_told_with_its_last_check(bench: JobBench) -> None:
    check = healthy("echo not yet; exit 1", retries=2)
    failed(bench.run(GOOD, sidecars=(sidecar(bench, healthcheck=check),)), "web is unhealthy", "not yet")


def test_a_slow_check_is_one_failed_probe_not_an_error(bench: JobBench) -> None:
    slow = "test -e /tmp/2 && exit 0; test -e /tmp/1 && touch /tmp/2; touch /tmp/1; sleep 30"
    web = sidecar(bench, healthcheck=healthy(slow, timeout="0.5s", retries=10))
    completed(bench.run(f"curl -fsS http://web:8000/; {GOOD}", sidecars=(web,)))


def test_failures_within_the_start_period_do_not_count(bench: JobBench) -> None:
    late = healthy(CHECK, retries=1, start_period="1m")
    web = sidecar(bench, script=f"sleep 2; {SERVE}", healthcheck=late)
    completed(bench.run(f"curl -fsS http://web:8000/; {GOOD}", sidecars=(web,)))


@pytest.mark.parametrize("with_check", [False, True])
def test_a_sidecar_that_dies_ends_the_job_at_once(bench: JobBench, with_check: bool) -> None:
    options = {"healthcheck": healthy("true")} if with_check else {}
    # One that served ends with 0 and is missed all the same.
    dying = sidecar(bench, script=f"sleep 3; echo goodbye; exit {0 if with_check else 5}", **options)
    began = time.monotonic()
    outcome = bench.run(f"sleep 60; {GOOD}", sidecars=(dying,))
    path = failed(outcome, f"web ended with status {0 if with_check else 5} while the evaluation was running")
    assert time.monotonic() - began < 30
    assert outcome.final is with_check  # an end within a few seconds of a start is a failed start
    assert "goodbye" in (path / "logs/sidecar-web.log").read_text()


def test_a_death_that_the_task_overlooks_fails_the_job_too(bench: JobBench) -> None:
    dying = sidecar(bench, script="sleep 1.5; exit 9")
    web = sidecar(bench, "web2", "exec python3 -m http.server 8000", healthcheck=healthy(CHECK))
    failed(bench.run(f"sleep 2; {GOOD}", sidecars=(dying, web)), "web ended with status 9")


@pytest.mark.parametrize("policy", [{"restart": "always"}, {"deploy": {"restart_policy": {"condition": "on-failure"}}}])
def test_a_sidecar_that_was_restarted_again_and_again_was_not_told(bench: JobBench, policy: dict[str, Any]) -> None:
    """Its author asked for that, and whoever reads the score should know."""
    # The second time it stays, so that the task is sure of having met a restart and a running sidecar.
    dying = sidecar(bench, script=f"test -e /1 || {{ touch /1; sleep 2; exit 9; }}; {SERVE}", **policy)
    ask = "curl -fsS --retry 60 --retry-all-errors --retry-delay 1 http://web:8000/ > /dev/null"
    path = completed(bench.run(f"{ask}; {GOOD}", sidecars=(dying,)))
    said = "sidecar web ended and was started again once while the evaluation was running"
    assert json.loads((path / "job.json").read_text())["warnings"] == [said]


def test_a_sidecar_that_was_down_at_the_end_was_not_told(bench: JobBench) -> None:
    # The engine waits twice as long before each start: the task ends at the beginning of a pause of seconds.
    dying = sidecar(bench, script="test -e /1 || sleep 2; touch /1; sleep 1; exit 9", restart="always")
    wait = "sleep 10; until getent hosts web; do :; done; while getent hosts web; do :; done"
    path = completed(bench.run(f"({wait}) > /dev/null; {GOOD}", sidecars=(dying,)))
    (said,) = json.loads((path / "job.json").read_text())["warnings"]
    assert said.startswith("sidecar web ended and was started again ")
    assert said.endswith(" times while the evaluation was running; it was down at the end, with status 9")


def test_a_post_start_that_fails_says_what_it_said(bench: JobBench) -> None:
    web = sidecar(bench, post_start=["true", "echo no table; exit 7", "echo never > /tmp/x"])
    path = failed(bench.run(GOOD, sidecars=(web,)), "post_start `echo no table; exit 7` ended with status 7: no table")
    assert (path / "logs/sidecar-web.post_start.log").read_text() == "no table\n"


def test_a_background_process_of_a_post_start_does_not_hold_the_job(bench: JobBench) -> None:
    web = sidecar(bench, post_start=["sleep 300 & echo started"])
    began = time.monotonic()
    completed(bench.run(GOOD, sidecars=(web,)))
    assert time.monotonic() - began < 30


def test_the_endpoint_on_localhost_is_reached_beside_sidecars(bench: JobBench) -> None:
    from test_job_bridge import ASK, Handler, ThreadingHTTPServer

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    outcome = bench.run(
        f"{ASK}; {GOOD}",
        sidecars=(sidecar(bench),),
        endpoint=f"http://127.0.0.1:{server.server_address[1]}/v1",
    )
    server.shutdown()
    completed(outcome)
    assert json.loads(text(outcome, "logs/stdout.log"))["path"] == "/v1/models"


def test_ten_jobs_publish_the_same_port_without_a_clash(bench: JobBench) -> None:
    web = sidecar(bench, ports=["8000:8000"], container_name="fixed")

    def one(index: int) -> Outcome:
        script = f"curl -fsS --retry 20 --retry-connrefused --retry-delay 1 http://fixed:8000/; {GOOD}"
        return bench.run(script, sidecars=(web,), name=f"t{index}", key=f"k{index}")

    with ThreadPoolExecutor(10) as pool:
        for outcome in pool.map(one, range(10)):
            completed(outcome)
            assert text(outcome, "logs/stdout.log") == "hello\n"


def test_files_of_the_task_are_mounted_read_only(bench: JobBench) -> None:
    (bench.task_dir / "www").mkdir()
    (bench.task_dir / "www" / "index.html").write_text("from the task\n")
    script = "touch /www/x && exit 9; cd /www; exec python3 -m http.server 8000"
    web = sidecar(bench, script=script, volumes=["./www:/www"], healthcheck=healthy(CHECK))
    outcome = bench.run(f"curl -fsS http://web:8000/; {GOOD}", sidecars=(web,))
    completed(outcome)
    assert text(outcome, "logs/stdout.log") == "from the task\n"
    assert sorted(path.name for path in (bench.task_dir / "www").iterdir()) == ["index.html"]


def test_files_of_the_task_in_the_long_form_could_be_written(bench: JobBench) -> None:
    """A source needs no dot there."""
    (bench.task_dir / "www").mkdir()
    volume = {"type": "bind", "source": "www", "target": "/www"}
    web = sidecar(bench, script="touch /www/x && exit 9; exec sleep 60", volumes=[volume])
    completed(bench.run(GOOD, sidecars=(web,)))
    assert not list((bench.task_dir / "www").iterdir())


def test_an_env_file_read_the_callers_secrets(bench: JobBench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compose replaces variables there, and fills in names without a value, from its own environment."""
    monkeypatch.setenv("CANARY", "of-the-caller-1")
    (bench.task_dir / "a.env").write_text("A=<$CANARY>\nCANARY\nB=<${CANARY:-none}>\n")
    web = sidecar(bench, script=f"env | grep -E '^(A|B|CANARY)='; {SERVE}", env_file=["a.env"])
    outcome = bench.run(GOOD, sidecars=(web,))
    completed(outcome)
    assert sorted(text(outcome, "logs/sidecar-web.log").splitlines()[:2]) == ["A=<>", "B=<none>"]
    assert "of-the-caller-1" not in text(outcome, "logs/sidecar-web.log")


def test_odd_paths_of_a_workspace(real_engine: Engine, base_image: str, tmp_path: Path) -> None:
    odd = JobBench(real_engine, tmp_path / "a:b $c 'd' é", base_image)
    (odd.task_dir / "index.html").write_text("found\n")
    web = sidecar(odd, script="cd /www; exec python3 -m http.server 8000", volumes=["./:/www"])
    web["healthcheck"] = healthy(CHECK)
    outcome = odd.run(f"curl -fsS http://web:8000/; {GOOD}", sidecars=(web,))
    completed(outcome)
    assert text(outcome, "logs/stdout.log") == "found\n"
    assert left_of(odd) == []


def test_a_file_that_is_not_there_is_not_made(bench: JobBench) -> None:
    web = sidecar(bench, volumes=["./init.sql:/init.sql"])
    failed(bench.run(GOOD, sidecars=(web,)), "init.sql")
    assert not (bench.task_dir / "init.sql").exists()


def test_a_timeout_ends_the_evaluation_and_its_sidecars(bench: JobBench) -> None:
    web = sidecar(bench, healthcheck=healthy(CHECK, retries=100), script=f"sleep 2; {SERVE}")
    outcome = bench.run("curl -fsS http://web:8000/; sleep 60", sidecars=(web,), timeout=1.0)
    assert outcome.reason is Reason.TIMEOUT, outcome  # the two seconds before the start do not count
    assert text(outcome, "logs/stdout.log") == "hello\n"
    assert (Path(outcome.path) / "logs/sidecar-web.log").is_file()


@pytest.mark.parametrize("network", ["bridge", "none"])
def test_sidecars_are_reached_where_nothing_else_is(bench: JobBench, network: str) -> None:
    from test_job_bridge import ASK, Handler, ThreadingHTTPServer

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    web = sidecar(bench, healthcheck=healthy(CHECK), post_start=["timeout 3 getent hosts example.com || echo no names"])
    outcome = bench.run(
        f"curl -fsS http://web:8000/; {ASK} >/dev/null && echo asked; {GOOD}",
        sidecars=(web,),
        network=network,
        endpoint=f"http://127.0.0.1:{server.server_address[1]}/v1",
    )
    server.shutdown()
    completed(outcome)
    assert text(outcome, "logs/stdout.log") == ("hello\nasked\n" if network == "bridge" else "hello\n")
    assert text(outcome, "logs/sidecar-web.post_start.log") == "no names\n"


def test_an_interruption_leaves_nothing(bench: JobBench) -> None:
    for pause in (0.3, 1.0, 3.0):
        cancelled = threading.Event()
        timer = threading.Timer(pause, cancelled.set)
        timer.start()
        began = time.monotonic()
        never = sidecar(bench, healthcheck=healthy("false", retries=1000))
        outcome = bench.run(GOOD, sidecars=(never,), cancelled=cancelled)
        assert outcome.reason is Reason.CANCELLED, outcome
        assert time.monotonic() - began < pause + 15
        assert left_of(bench) == []


def test_a_container_that_the_engine_was_making_when_compose_was_stopped_was_left(bench: JobBench) -> None:
    project = Project(bench.engine, f"benchrouter-late-{bench.workspace.id[:8]}")
    project.heard(f" Container {project.name}-web-1  Creating")
    project.heard(f" Container {project.name}-db-1  Creating")
    project.heard(f" Container {project.name}-db-1  Created")
    labels = {**object_labels(bench.workspace.id, "r"), PROJECT: project.name}

    def late() -> None:
        api: Any = bench.engine.api
        api.create_container(bench.image, "true", name=f"{project.name}-web-1", labels=labels)

    timer = threading.Timer(0.7, late)
    timer.start()
    assert project.remove() == []
    timer.join()
    assert left_of(bench) == []


def test_a_sidecar_without_end_of_output_fills_no_disk(bench: JobBench) -> None:
    from dataclasses import replace

    small = replace(bench.site, limits=replace(bench.site.limits, log_bytes=1 << 20))
    own = JobBench(bench.engine, bench.root, bench.image, small)
    outcome = own.run(f"sleep 3; {GOOD}", sidecars=(sidecar(own, script="yes noise"),))
    assert (completed(outcome) / "logs/sidecar-web.log").stat().st_size < 1.2 * (1 << 20)
    assert left_of(own) == []


def test_an_image_that_is_not_there_is_not_pulled(bench: JobBench) -> None:
    web = {"name": "web", "image": "registry.invalid/nobody/nothing:1"}
    began = time.monotonic()
    failed(bench.run(GOOD, sidecars=(web,)), "nothing:1")
    assert time.monotonic() - began < 20


def test_the_kept_file_can_be_brought_up_by_hand(bench: JobBench, tmp_path: Path) -> None:
    import os
    import subprocess

    from benchrouter.engine.compose import find_compose

    web = sidecar(bench, healthcheck=healthy(CHECK), environment={"ODD": "$HOME 'x' \"y\""})
    outcome = bench.run(f"curl -fsS http://web:8000/; {GOOD}", sidecars=(web,), extra_env={"V": "a $b"})
    file = completed(outcome) / "config/compose.yaml"
    argv = [*find_compose(os.environ).argv, "--project-directory", str(bench.task_dir), "--file", str(file)]
    argv += ["--project-name", f"by-hand-{bench.workspace.id[:8]}"]
    env = {**os.environ, "OPENAI_API_KEY": "EMPTY", "BENCHROUTER_OUTPUT": str(tmp_path / "out")}
    env |= {"BENCHROUTER_SDK": str(bench.root / "cache/sdk")}
    (tmp_path / "out").mkdir()
    try:
        run = [*argv, "--profile", "evaluation", "run", "--rm", "-T", "evaluation"]
        done = subprocess.run(run, env=env, capture_output=True, text=True, timeout=120, check=False)
        assert done.stdout == "hello\n", done.stderr
        assert json.loads((tmp_path / "out/result.json").read_text()) == {"overall": 0.5}
    finally:
        subprocess.run([*argv, "down", "--volumes", "-t", "0"], env=env, capture_output=True, check=False)
