from __future__ import annotations

import os
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from job_bench import LIMITS, MIB, JobBench, document, text

from benchrouter.engine.client import Engine
from benchrouter.jobs.takeover import take_over
from benchrouter.spec.settings import Proxies, Site
from benchrouter.spec.task import Resources
from benchrouter.store.states import JobState, Outcome, Reason

pytestmark = pytest.mark.engine
GOOD = """echo '{"overall": 0.5}' > /app/results/result.json"""


@pytest.fixture
def bench(real_engine: Engine, base_image: str, tmp_path: Path) -> JobBench:
    return JobBench(real_engine, tmp_path, base_image)


def failed(outcome: Outcome, reason: Reason, *said: str) -> Path:
    """Check a failure, and that its attempt is kept without a result of ours."""
    assert (outcome.state, outcome.reason, outcome.overall) == (JobState.FAILED, reason, None), outcome
    for words in said:
        assert words in outcome.detail
    path = Path(outcome.path)
    assert path.parent.name == "failed" and not (path / "result.json").exists()
    assert document(outcome, "job.json")["reason"] == reason.word
    return path


def containers(bench: JobBench) -> list[str]:
    label = f"benchrouter.workspace={bench.workspace.id}"
    return [c["Id"] for c in bench.engine.api.containers(all=True, filters={"label": label})]


def test_completed_job_is_published_whole(bench: JobBench) -> None:
    outcome = bench.run(f"echo out; echo err >&2; pwd; {GOOD}", inputs={"image": "x"})
    assert (outcome.state, outcome.overall, outcome.reason) == (JobState.COMPLETED, 0.5, None)
    path = Path(outcome.path)
    assert path == bench.root / "results/b/m/t/k1"
    assert text(outcome, "logs/stdout.log") == "out\n/app/benchmark\n"
    assert text(outcome, "logs/stderr.log") == "err\n"
    assert document(outcome, "result.json") == {
        "benchmark_name": "b", "task_name": "t", "model_name": "m",
        "overall": 0.5, "raw_metrics": {"overall": 0.5},
    }  # fmt: skip
    assert document(outcome, "job.json")["inputs"] == {"image": "x"}
    assert document(outcome, "provenance.json")["container"]["status"] == 0
    assert (path / "output/result.json").is_file() and (path / "config/run.sh").is_file()
    assert not list((bench.root / "cache/attempts/run-1").iterdir())
    assert containers(bench) == []


def test_contract_reaches_the_container(bench: JobBench) -> None:
    (bench.task_dir / "data.txt").write_text("mine")
    script = (
        "env -0 > /app/results/env; cat data.txt; touch data.txt /app/benchrouter/sdk/x;"
        f"python3 -c 'import benchrouter.sdk.runner'; {GOOD}"
    )
    outcome = bench.run(script, seed=7, index=2, extra_env={"A": "1"}, variables={"A": "2"})
    assert outcome.completed
    assert text(outcome, "logs/stdout.log") == "mine"
    assert text(outcome, "logs/stderr.log").count("Read-only file system") == 2
    variables = dict(line.split("=", 1) for line in text(outcome, "output/env").split("\0") if line)
    assert variables["BENCHROUTER_SEED"] == "9" and variables["A"] == "2"
    assert variables["OPENAI_API_KEY"] == "EMPTY" and variables["PYTHONPATH"] == "/app"
    assert variables["BENCHROUTER_MODEL_NAME"] == "m-id"
    assert variables["BENCHROUTER_ENV_IMAGE_TAG"] == bench.image


def test_values_arrive_byte_for_byte(bench: JobBench) -> None:
    odd = {
        "QUOTES": "'\"`", "DOLLAR": "$HOME ${X} $$", "LINES": "a\nb\n", "EQUALS": "=a=b=", "UNICODE": "é€𝄞",
        "EMPTY_ONE": "", "SPACES": "  a  b ", "BACK": "\\n\\", "HASH": "#!%", "TAB": "\t\r",
    }  # fmt: skip
    outcome = bench.run(f"env -0 > /app/results/env; {GOOD}", extra_env=odd, variables={"V": odd["LINES"]})
    seen = dict(line.split("=", 1) for line in text(outcome, "output/env").split("\0") if line)
    assert {name: seen[name] for name in odd} == odd and seen["V"] == odd["LINES"]


def test_exit_code_beats_a_good_result(bench: JobBench) -> None:
    path = failed(bench.run(f"{GOOD}; exit 3"), Reason.EXIT_CODE, "status 3", "does not count")
    assert (path / "output/result.json").is_file()


def test_exit_zero_without_a_result(bench: JobBench) -> None:
    failed(bench.run("echo x > /app/results/other"), Reason.NO_RESULT, "no result.json", "other")


def test_missing_command_is_explained(bench: JobBench) -> None:
    failed(bench.run("no-such-command"), Reason.EXIT_CODE, "127", "not found")


def test_endpoint_failure_by_status_or_error(bench: JobBench) -> None:
    failed(bench.run("exit 75"), Reason.ENDPOINT)
    told = """echo '{"error": {"kind": "endpoint", "code": 429}}' > /app/results/result.json"""
    failed(bench.run(f"{told}; exit 1"), Reason.ENDPOINT, "429")


def test_result_shipped_in_the_task_directory_is_not_taken(bench: JobBench) -> None:
    (bench.task_dir / "result.json").write_text('{"overall": 1}')
    failed(bench.run("true"), Reason.NO_RESULT)


def test_result_of_an_earlier_attempt_is_not_taken(bench: JobBench) -> None:
    failed(bench.run(f"{GOOD}; exit 1"), Reason.EXIT_CODE)
    failed(bench.run("true"), Reason.NO_RESULT)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        ("mkdir result.json", "is a directory"),
        ("ln -s /etc/hostname result.json", "is a symbolic link"),
        ("mkfifo result.json", "is a FIFO"),
        ("mkdir x; echo '{\"overall\": 1}' > x/r; ln x/r y; ln -s x/r result.json", "is a symbolic link"),
        ("printf '{\"overall\": 0.' > result.json", "cut off"),
        ("truncate -s 65M result.json", "larger than 64 MB"),
        (": > result.json", "empty"),
    ],
)
def test_hostile_result_is_refused_and_nothing_hangs(bench: JobBench, make: str, said: str) -> None:
    failed(bench.run(f"cd /app/results; {make}"), Reason.INVALID_RESULT, said)


def test_result_in_a_linked_directory_is_not_followed(bench: JobBench) -> None:
    command = f"cd /app/results; ln -s {bench.root} out"
    failed(bench.run(command, result_file="out/dodo.json"), Reason.INVALID_RESULT, "out is a symbolic link")


def test_odd_files_beside_a_good_result_are_left_out_with_a_warning(bench: JobBench) -> None:
    outcome = bench.run(f"{GOOD}; cd /app/results; mkfifo f; ln -s /etc/passwd l; mkdir d; echo x > d/x")
    assert outcome.completed
    assert [w.split(": ")[1] for w in outcome.warnings] == ["f is a FIFO", "l is a symbolic link"]
    kept = sorted(p.relative_to(outcome.path).as_posix() for p in Path(outcome.path, "output").rglob("*"))
    assert kept == ["output/d", "output/d/x", "output/result.json"]


def test_deep_tree_is_cut_and_removed(bench: JobBench) -> None:
    deep = "import os\nfor i in range(1500):\n os.mkdir('d' * 50)\n os.chdir('d' * 50)"
    outcome = bench.run(f'{GOOD}; cd /app/results && python3 -c "{deep}"')
    assert outcome.completed and "nested deeper" in outcome.warnings[0]
    assert not list((bench.root / "cache/attempts/run-1").iterdir())


def test_output_of_root_is_ours_and_has_no_odd_modes(bench: JobBench) -> None:
    outcome = bench.run(f"umask 077; {GOOD}; cd /app/results; mkdir -m 0 d; cp /bin/sh s; chmod 4755 s")
    for path in Path(outcome.path).rglob("*"):
        assert path.stat().st_uid == os.geteuid() and path.stat().st_mode & 0o7000 == 0
        assert path.stat().st_mode & 0o444 == 0o444


def test_timeout_ends_a_task_that_ignores_term(bench: JobBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchrouter.jobs.contract.GRACE", 1.0)
    command = (
        "trap '' TERM; cd /app/results; echo begun; echo part > partial;"
        "for i in 1 2 3 4 5 6 7; do sleep 1; done; touch marker; echo after"
    )
    began = time.monotonic()
    path = failed(bench.run(command, timeout=2.0), Reason.TIMEOUT, "still running after 2 s")
    assert time.monotonic() - began < 2 + 1 + 5
    assert (path / "output/partial").read_text() == "part\n"
    assert (path / "logs/stdout.log").read_text() == "begun\n"
    time.sleep(3)
    assert not list(bench.root.rglob("marker"))
    assert containers(bench) == []


def test_timeout_ends_a_task_that_prints_without_end(
    bench: JobBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchrouter.jobs.contract.GRACE", 1.0)
    began = time.monotonic()
    failed(bench.run("trap '' TERM; yes", timeout=1.0), Reason.TIMEOUT)
    assert time.monotonic() - began < 1 + 1 + 5


def test_background_process_that_holds_stdout_does_not_delay_the_end(bench: JobBench) -> None:
    began = time.monotonic()
    assert bench.run(f"sleep 60 & {GOOD}").completed
    assert time.monotonic() - began < 5


def test_oom_is_told_apart(bench: JobBench) -> None:
    hog = "python3 -c 'x = bytearray(1 << 30)'"
    limited = Resources(memory=64 * MIB)
    outcome = bench.run(f"{hog}; exit $?", resources=limited)
    failed(outcome, Reason.OOM, "64 MiB")
    survived = bench.run(f"{hog}; {GOOD}", resources=limited)
    assert survived.completed and "64 MiB" in survived.warnings[0]


def test_cancelled_job_keeps_its_log(bench: JobBench) -> None:
    cancelled = threading.Event()
    threading.Timer(1.0, cancelled.set).start()
    path = failed(bench.run("echo begun; exec sleep 60", cancelled=cancelled), Reason.CANCELLED)
    assert (path / "logs/stdout.log").read_text() == "begun\n"
    assert containers(bench) == []


def test_job_cancelled_before_its_start_creates_nothing(bench: JobBench) -> None:
    cancelled = threading.Event()
    cancelled.set()
    assert bench.run(GOOD, cancelled=cancelled).reason is Reason.CANCELLED


def test_changed_inputs_are_not_published_under_the_old_key(bench: JobBench) -> None:
    outcome = bench.run(GOOD, changed=lambda: "benchmarks/b/t/run.sh")
    failed(outcome, Reason.CANCELLED, "benchmarks/b/t/run.sh changed")
    assert not (bench.root / "results/b/m/t/k1").exists()


def test_result_that_changes_after_the_end_is_refused(
    bench: JobBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(course, exit):  # type: ignore[no-untyped-def]
        time.sleep(0.2)
        (course.attempt.output / "result.json").write_text('{"overall": 1}')
        return take_over(course, exit)

    monkeypatch.setattr("benchrouter.jobs.executor.take_over", late)
    failed(bench.run(GOOD), Reason.INVALID_RESULT, "changed after")


def test_engine_that_does_not_see_the_workspace_is_told_apart(bench: JobBench, tmp_path: Path) -> None:
    gone = replace(bench.request(GOOD), tree=tmp_path / "nowhere")
    outcome = bench.executor.run(gone, bench.said.append, threading.Event())
    failed(outcome, Reason.ENGINE, "does not see the files")


def test_missing_image_is_named(bench: JobBench) -> None:
    failed(bench.run(GOOD, image_tag="benchrouter/none:x"), Reason.IMAGE_MISSING, "benchrouter/none:x")


def test_network_none_has_no_way_out(bench: JobBench) -> None:
    outcome = bench.run(f"ls /sys/class/net; {GOOD}", network="none")
    assert text(outcome, "logs/stdout.log").split() == ["lo"]


def test_canary_is_in_no_byte_that_was_written(bench: JobBench) -> None:
    from benchrouter.models.model import Model

    key, token = "sk-canary-4242-abcdef", 'to"ken/ü-97531'
    model = Model("m", "m-id", api_key=key, api_key_env="OPENAI_API_KEY")
    command = r"""
        printf 'sk-canary-'; sleep 0.3; printf '4242-abcdef\n'; env; env >&2
        cd /app/results; env > dump; mkdir "$OPENAI_API_KEY"; touch "$OPENAI_API_KEY/$OPENAI_API_KEY.txt"
        python3 - <<'END'
import json, os, urllib.parse
key, token = os.environ["OPENAI_API_KEY"], os.environ["TOKEN"]
quoted = {"n": json.dumps(token), "u": urllib.parse.quote(token)}
text = json.dumps({"overall": 0.5, "key": key, "t": token, **quoted})
if os.environ["ODD"]:
    text = text.replace("sk-canary-4242", r"\u0073k-canary-4242")
open("result.json", "w").write(text)
raise SystemExit(f"crash {key} {token!r}" if os.environ["FAIL"] else 0)
END
    """
    for odd, fail in (("", ""), ("1", ""), ("", "1")):
        variables = {"ODD": odd, "FAIL": fail}
        outcome = bench.run(
            command, model=model, pass_env={"TOKEN": token}, variables=variables, key=f"k{odd}{fail}"
        )
        assert outcome.completed is not bool(fail), outcome
        assert key not in repr(outcome) and token not in repr(outcome)
    assert not any(key in line or token in line for line in bench.said)
    forms = [key.encode(), token.encode(), b"to\\\"ken/\\u00fc-97531", b"to%22ken/%C3%BC-97531"]
    for path in bench.root.rglob("*"):
        assert key not in str(path)
        if path.is_file():
            data = path.read_bytes()
            assert not any(form in data for form in forms), path


def test_a_secret_that_is_a_number_made_a_result_invalid(
    real_engine: Engine, base_image: str, tmp_path: Path
) -> None:
    bench = JobBench(real_engine, tmp_path, base_image)
    command = """echo '{"overall": 0.5, "n": [12345678, 1]}' >/app/results/result.json"""
    outcome = bench.run(command, pass_env={"NUM": "12345678"}, inputs={"seed": 12345678})
    assert outcome.completed, outcome
    assert document(outcome, "result.json")["raw_metrics"] == {"overall": 0.5, "n": ["[redacted]", 1]}
    assert not any(b"12345678" in p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())


def test_password_of_a_proxy_is_redacted_but_arrives(real_engine: Engine, base_image: str, tmp_path: Path) -> None:
    site = Site(limits=LIMITS, proxies=Proxies(http="http://u:pass-word-1@proxy:3128", no_proxy="intern"))
    bench = JobBench(real_engine, tmp_path, base_image, site)
    outcome = bench.run(f'echo "$http_proxy" $NO_PROXY; test "$http_proxy" = "$HTTP_PROXY"; {GOOD}')
    said = text(outcome, "logs/stdout.log")
    assert said.endswith(" intern,localhost,127.0.0.1,::1\n")
    assert not any(b"pass-word-1" in p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())


def test_long_log_is_capped_with_head_and_tail(real_engine: Engine, base_image: str, tmp_path: Path) -> None:
    bench = JobBench(real_engine, tmp_path, base_image)
    outcome = bench.run(f"seq 1 3000000; {GOOD}")
    log = text(outcome, "logs/stdout.log")
    assert log.startswith("1\n2\n") and log.endswith("2999999\n3000000\n")
    assert "bytes of this log were dropped here" in log and len(log) < 10 * MIB + 200
    assert outcome.log_tail.endswith("3000000")


def test_output_that_grows_without_end_is_stopped(
    real_engine: Engine, base_image: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchrouter.jobs.contract.GRACE", 0.5)
    site = Site(limits=replace(LIMITS, output_bytes=20 * MIB, output_files=50))
    bench = JobBench(real_engine, tmp_path, base_image, site)
    many = "for i in $(seq 200); do : > /app/results/$i; done; sleep 60"
    failed(bench.run("cat /dev/zero | head -c 30M > /app/results/z; sleep 60"), Reason.DISK, "20 MiB")
    failed(bench.run(many), Reason.DISK, "50 files")


def test_disk_that_is_nearly_full_starts_no_job(real_engine: Engine, base_image: str, tmp_path: Path) -> None:
    site = Site(limits=replace(LIMITS, free_disk=1 << 50))
    failed(JobBench(real_engine, tmp_path, base_image, site).run(GOOD), Reason.DISK, "free_disk")


def test_twelve_jobs_at_once_do_not_mix(bench: JobBench) -> None:
    from concurrent.futures import ThreadPoolExecutor

    def one(i: int) -> Outcome:
        command = f"""echo job{i}; echo '{{"overall": 0.{i}}}' > /app/results/result.json"""
        return bench.run(command, name=f"t{i}", key=f"k{i}")

    with ThreadPoolExecutor(12) as pool:
        outcomes = list(pool.map(one, range(12)))
    assert [o.overall for o in outcomes] == [float(f"0.{i}") for i in range(12)]
    assert [text(o, "logs/stdout.log") for o in outcomes] == [f"job{i}\n" for i in range(12)]
    assert containers(bench) == []


def test_same_job_twice_gives_the_same_bytes(real_engine: Engine, base_image: str, tmp_path: Path) -> None:
    trees = []
    for place in ("one", "t wo'é"):
        bench = JobBench(real_engine, tmp_path / place, base_image)
        path = Path(bench.run(f"{GOOD}; echo x > /app/results/x", extra_env={"A": "'$"}).path)
        files = [p for p in path.rglob("*") if p.is_file() and p.name != "provenance.json"]
        trees.append({p.relative_to(path): p.read_bytes() for p in files})
        assert not any(str(tmp_path).encode() in data for data in trees[-1].values())
    assert trees[0] == trees[1]
