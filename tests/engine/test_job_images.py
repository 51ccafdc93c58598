"""Images that are nothing like what we would choose, and the script that repeats a job by hand."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from job_bench import JobBench, document, text

from benchrouter.engine.client import Engine
from benchrouter.models.model import Model

pytestmark = pytest.mark.engine
GOOD = """echo '{"overall": 0.5}' > /app/results/result.json"""
NAME = f"benchrouter-test-jobs-odd:{os.getpid()}"
DOCKERFILE = """
FROM {base}
RUN rm -rf /usr/bin/python3* /usr/lib/python3*
ENV PYTHONPATH=/own:/other
USER 1234:1234
WORKDIR /nowhere
ENTRYPOINT ["/bin/false"]
CMD ["nothing"]
HEALTHCHECK --interval=1s CMD touch /app/results/healthcheck
"""


@pytest.fixture(scope="module")
def odd_image(base_image: str) -> Iterator[str]:
    build = ["docker", "build", "-q", "--no-cache", "-t", NAME, "-"]
    text = DOCKERFILE.format(base=base_image).encode()
    classic = {**os.environ, "DOCKER_BUILDKIT": "0"}
    subprocess.run(build, input=text, check=True, capture_output=True, env=classic)
    yield NAME
    subprocess.run(["docker", "rmi", "-f", NAME], check=True, capture_output=True)


def test_image_with_entrypoint_user_pythonpath_and_no_python(
    real_engine: Engine, tmp_path: Path, odd_image: str
) -> None:
    bench = JobBench(real_engine, tmp_path, odd_image)
    command = f"id -u; pwd; echo $PYTHONPATH; command -v python3; sleep 1.5; mkdir -m 700 /app/results/d; {GOOD}"
    outcome = bench.run(command)
    assert outcome.completed, outcome
    assert text(outcome, "logs/stdout.log") == "1234\n/app/benchmark\n/app:/own:/other\n"
    assert not (Path(outcome.path) / "output/healthcheck").exists()
    assert {p.stat().st_uid for p in Path(outcome.path).rglob("*")} == {os.geteuid()}
    assert document(outcome, "provenance.json")["container"]["image_id"].startswith("sha256:")


def test_run_script_repeats_the_job_by_hand(real_engine: Engine, tmp_path: Path, odd_image: str) -> None:
    root = tmp_path / "w o'r,é"
    odd = {"Q": "it's \"$HOME\" `x`\\", "L": "a\nb\n", "E": "", "U": "é𝄞"}
    model = Model("m", "m-id", api_key="sk-canary-123456", api_key_env="MY_KEY")
    bench = JobBench(real_engine, root, odd_image, model=model)
    (root / "dodo.py").touch()
    command = f"env | grep -v -e ^HOSTNAME= -e ^PWD= -e ^ENDPOINT=; cat 'in put'; env -0 > /app/results/env; {GOOD}"
    (bench.task_dir / "in put").write_text("mine\n")
    ours = bench.run(command, extra_env=odd, seed=1, network="none")
    assert ours.completed, ours

    output = tmp_path / 'by "hand", once'
    script = Path(ours.path) / "config/run.sh"
    variables = {
        **os.environ, "MY_KEY": "sk-canary-123456", "BENCHROUTER_OUTPUT": str(output),
        "BENCHROUTER_MODEL_ENDPOINT": "http://127.0.0.1:9/v1",
    }  # fmt: skip
    done = subprocess.run([script], env=variables, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == (Path(ours.path) / "logs/stdout.log").read_bytes().replace(
        b"[redacted]", b"sk-canary-123456"
    )
    seen = dict(entry.split("=", 1) for entry in (output / "env").read_bytes().decode().split("\0") if entry)
    assert {name: seen[name] for name in odd} == odd
    assert (output / "result.json").is_file()


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="needs shellcheck")
def test_run_script_says_what_is_missing(real_engine: Engine, base_image: str, tmp_path: Path) -> None:
    bench = JobBench(real_engine, tmp_path, base_image)
    script = Path(bench.run(GOOD).path) / "config/run.sh"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("BENCHROUTER")}
    done = subprocess.run([script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "BENCHROUTER_TASK_DIR" in done.stderr
