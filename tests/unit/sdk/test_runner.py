"""The runner as a container starts it: a process of its own, with only the SDK on its path."""

from __future__ import annotations

import ast
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import benchrouter.sdk

SDK = Path(benchrouter.sdk.__file__).parent
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def interpreters() -> list[str]:
    """The interpreter of the tests, and the oldest one that we promise, where it works."""
    found = [sys.executable]
    old = shutil.which("python3.7")
    if old and subprocess.run([old, "-c", ""], capture_output=True, check=False).returncode == 0:
        found.append(old)
    return found


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """A directory as `/app` is in a container: the SDK, the task, the output."""
    shutil.copytree(
        SDK, tmp_path / "app" / "benchrouter" / "sdk", ignore=shutil.ignore_patterns("__pycache__")
    )
    for name in ("benchmark", "results"):
        (tmp_path / "app" / name).mkdir()
    return tmp_path / "app"


@pytest.fixture(params=interpreters(), ids=lambda path: Path(path).name)
def environment(app: Path, request: pytest.FixtureRequest) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(app),
        "PYTHONDONTWRITEBYTECODE": "1",
        "BENCHROUTER_BENCHMARK_DIR": str(app / "benchmark"),
        "BENCHROUTER_OUTPUT_DIR": str(app / "results"),
        "python": request.param,
    }


@pytest.fixture
def run(environment: dict[str, str]) -> Run:
    def start(command: str, **task: str) -> subprocess.CompletedProcess[str]:
        env = {**environment, "BENCHROUTER_TASK": json.dumps({"command": command, **task})}
        argv = [environment["python"], "-m", "benchrouter.sdk.runner"]
        return subprocess.run(argv, env=env, capture_output=True, text=True, timeout=30, check=False)

    return start


def writing(content: str) -> str:
    return f"cat > $BENCHROUTER_OUTPUT_DIR/result.json <<'END'\n{content}\nEND"


def test_a_good_task_ends_0(run: Run) -> None:
    done = run("pwd; " + writing('{"overall": 0.85}'))
    assert done.returncode == 0, done.stderr
    assert "/benchmark\n" in done.stdout and "overall 0.85" in done.stdout


@pytest.mark.parametrize(
    ("content", "key"),
    [
        ('{"pass@1": 1}', "pass@1"),
        ('{"a.b": 0.25, "a": {"b": 7}}', "a.b"),
        ('{"a": {"b": 0.5}}', "a.b"),
        ('\ufeff{"overall": 0}', "overall"),
        ('{"overall": 0.4, "error": "one item"}', "overall"),
        ('{"overall": 0.5, "loss": NaN}', "overall"),
    ],
)
def test_accepted_results(run: Run, content: str, key: str) -> None:
    done = run(writing(content), result_key=key)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "result.json"),
        ("{", "result.json"),
        ("[0.5]", "holds a list, not an object"),
        ('{"overall": NaN}', "nan, not within 0..1"),
        ('{"overall": Infinity}', "inf, not within 0..1"),
        ('{"overall": 1e400}', "inf, not within 0..1"),
        ('{"overall": "0.5"}', "'0.5', not a number"),
        ('{"overall": true}', "True, not a number"),
        ('{"overall": null}', "None, not a number"),
        ('{"overall": -0.1}', "-0.1, not within 0..1"),
        ('{"overall": 1.5}', "1.5, not within 0..1"),
        ('{"score": 0.5}', "no key `overall` in the result; it has: score"),
        ('{"overall": 0.5, "overall": 1}', "`overall` occurs twice"),
        ('{"overall": 0, "error": "boom"}', "boom"),
        ('{"overall": 0.5, "x": ' + "[" * 20_000 + "]" * 20_000 + "}", "nested too deep"),
    ],
)
def test_invalid_results_end_65_and_say_what_was_found(run: Run, content: str, says: str) -> None:
    done = run(writing(content))
    assert done.returncode == 65
    assert says in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("kind", ["mkdir", "mkfifo", "ln -s /etc/hostname"])
def test_what_is_no_regular_file_is_invalid_and_hangs_nobody(run: Run, kind: str) -> None:
    done = run(f"{kind} $BENCHROUTER_OUTPUT_DIR/result.json")
    assert done.returncode == 65 and "not a regular file" in done.stderr


def test_latin_1_is_invalid(run: Run) -> None:
    assert (
        run('printf \'{"overall": 1, "x": "\\351"}\' > $BENCHROUTER_OUTPUT_DIR/result.json').returncode == 65
    )


def test_no_result_ends_66(run: Run) -> None:
    assert run("true").returncode == 66


def test_a_result_left_by_an_earlier_attempt_does_not_count(run: Run, app: Path) -> None:
    (app / "results" / "result.json").write_text('{"overall": 1}')
    assert run("true").returncode == 66


@pytest.mark.parametrize(
    ("command", "status"), [("exit 7", 7), ("kill -9 $$", 137), ("no-such-command", 127)]
)
def test_the_commands_own_status_wins_over_a_good_result(run: Run, command: str, status: int) -> None:
    done = run(writing('{"overall": 1}') + f"\n{command}")
    assert done.returncode == status and f"status {status}" in done.stderr


def test_a_failed_endpoint_ends_75(run: Run) -> None:
    assert run("exit 75").returncode == 75
    done = run(writing('{"overall": 0, "error": {"kind": "endpoint", "message": "status 500"}}'))
    assert done.returncode == 75 and "status 500" in done.stderr


def test_another_result_file(run: Run) -> None:
    done = run(
        "mkdir -p $BENCHROUTER_OUTPUT_DIR/a; echo '{\"overall\": 1}' > $BENCHROUTER_OUTPUT_DIR/a/b",
        result_file="a/b",
    )
    assert done.returncode == 0, done.stderr


def test_values_reach_the_command_byte_for_byte(run: Run, environment: dict[str, str]) -> None:
    environment["VALUE"] = 'quote" $HOME \n = ü'
    done = run('printf "<%s>" "$VALUE"; ' + writing('{"overall": 1}'))
    assert f"<{environment['VALUE']}>" in done.stdout


def test_a_task_that_starts_the_runner_again_does_not_run_for_ever(
    run: Run, environment: dict[str, str]
) -> None:
    done = run(f"{environment['python']} -m benchrouter.sdk.runner")
    assert done.returncode == 78 and "starts the runner again" in done.stderr


@pytest.mark.parametrize("task", [None, "", "{", "[]", "{}", "3"])
def test_a_wrong_start_ends_78(environment: dict[str, str], task: str | None) -> None:
    env = {**environment, **({} if task is None else {"BENCHROUTER_TASK": task})}
    argv = [environment["python"], "-m", "benchrouter.sdk.runner"]
    done = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 78 and "Traceback" not in done.stderr


SLOW_START = """import subprocess, time
start = subprocess.Popen.__init__
def slow(self, *words, **more):
    start(self, *words, **more)
    time.sleep(1)
subprocess.Popen.__init__ = slow
"""


@pytest.mark.parametrize("site", ["", SLOW_START], ids=["later", "before-it-counts-as-started"])
def test_term_reaches_the_command(environment: dict[str, str], app: Path, tmp_path: Path, site: str) -> None:
    command = "cd $BENCHROUTER_OUTPUT_DIR; trap 'touch trapped; kill $!; exit 3' TERM; sleep 200 & touch up; wait"
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(site)
    path = f"{tmp_path / 'site'}{os.pathsep}{environment.get('PYTHONPATH', '')}"
    env = {**environment, "PYTHONPATH": path, "BENCHROUTER_TASK": json.dumps({"command": command})}
    child = subprocess.Popen([environment["python"], "-m", "benchrouter.sdk.runner"], env=env)
    deadline = time.monotonic() + 60
    while not (app / "results" / "up").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    child.send_signal(signal.SIGTERM)
    assert child.wait(60) == 3 and (app / "results" / "trapped").exists()


@pytest.mark.parametrize("path", sorted(SDK.glob("*.py")), ids=lambda path: path.name)
def test_the_sdk_is_python_3_7_and_standard_library_only(path: Path) -> None:
    tree = ast.parse(path.read_text(), feature_version=(3, 7))
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        for name in names:
            assert name.startswith("benchrouter.sdk") or name.split(".")[0] in sys.stdlib_module_names
