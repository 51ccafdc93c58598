"""docs/bring-your-benchmark.md without containers: its files load, its scripts do what the page says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from demo_scores import ROOT
from pages import Page

from benchrouter.models.answers import Answers, load_answers
from benchrouter.models.demo import DemoEndpoint
from benchrouter.spec.benchmark import load_benchmark
from benchrouter.spec.benchmark_shape import BenchmarkShape
from benchrouter.spec.settings import load_settings
from benchrouter.spec.task import load_task
from benchrouter.spec.task_shape import TaskShape

PATH = ROOT / "docs" / "bring-your-benchmark.md"
TEXT = PATH.read_text(encoding="utf-8")
PAGE = Page.read(PATH)
EXAMPLES = {"colours": ["mixing"], "functions": ["writing"], "quiz": ["capitals"], "stock": ["reading"]}


@pytest.fixture
def benchmarks(tmp_path: Path) -> Path:
    PAGE.write(tmp_path)
    return tmp_path / "benchmarks"


@pytest.fixture
def colours(benchmarks: Path) -> Path:
    return benchmarks / "colours"


def run(colours: Path, tmp_path: Path, endpoint: str) -> tuple[int, Path]:
    task, _ = load_task(colours / "mixing" / "task.yaml")
    environment = {
        **os.environ,
        "BENCHROUTER_MODEL_ENDPOINT": endpoint,
        "BENCHROUTER_MODEL_NAME": "demo",
        "OPENAI_API_KEY": "EMPTY",
        "BENCHROUTER_OUTPUT_DIR": str(tmp_path),
    }
    done = subprocess.run(
        ["/bin/sh", "-c", task.command], cwd=colours / "mixing", env=environment, check=False
    )
    return done.returncode, tmp_path / task.result_file


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_page_holds_every_file_that_it_lists(benchmarks: Path, name: str) -> None:
    found = sorted(str(path.relative_to(benchmarks / name)) for path in (benchmarks / name).rglob("*.*"))
    found += [str(path.relative_to(benchmarks / name)) for path in (benchmarks / name).rglob("Dockerfile")]
    listed = TEXT.split(f"    benchmarks/{name}/\n")[1].split("\n\n")[0]
    assert sorted(found) == sorted(line.split()[0] for line in listed.splitlines())


@pytest.mark.parametrize("name", EXAMPLES)
def test_its_files_load_without_a_warning(benchmarks: Path, name: str) -> None:
    benchmark, warnings = load_benchmark(benchmarks / name)
    assert ([task.name for task in benchmark.tasks], warnings) == (EXAMPLES[name], ())
    assert load_task(benchmarks / name / EXAMPLES[name][0] / "task.yaml")[1] == ()


def parts_of(file: str) -> str:
    """Give the parts of a file that the page shows without the rest."""
    return "".join(re.findall(rf"```yaml\n# in {re.escape(file)}\n(.*?)```", TEXT, re.DOTALL))


def test_the_parts_of_files_that_it_shows_load_without_a_warning(tmp_path: Path) -> None:
    names = ("easy", "hard", "warm-up")
    (tmp_path / "environments" / "shop").mkdir(parents=True)
    (tmp_path / "environments" / "shop" / "Dockerfile").write_text("FROM scratch\n")
    tasks = "".join(f"  - {{name: {name}, environment: shop}}\n" for name in names)
    (tmp_path / "benchmark.yaml").write_text(f"name: shop\ntasks:\n{tasks}{parts_of('benchmark.yaml')}")
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "task.yaml").write_text(f"name: {name}\ncommand: 'true'\n{parts_of('task.yaml')}")
    benchmark, warnings = load_benchmark(tmp_path)
    assert benchmark.obtain and benchmark.environments["shop"].supplied and not warnings
    task, warnings = load_task(tmp_path / "easy" / "task.yaml")
    assert task.data and not warnings
    (tmp_path / "benchrouter.yaml").write_text(parts_of("benchrouter.yaml"))
    settings, warnings = load_settings(tmp_path, {})
    assert set(settings.data) == {volume.name for volume in task.data} and not warnings


def test_its_tables_name_every_key() -> None:
    keys = TEXT.split("## All keys")[1]
    for table, shape in (keys.split("`task.yaml`:")[0], BenchmarkShape), (keys.split("`task.yaml`:")[1], TaskShape):
        named = {key for row in re.findall(r"^\| (`.+?) \|", table, re.MULTILINE) for key in re.findall(r"`(\w+)", row)}
        assert named == set(shape.model_fields)


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="the example needs curl and jq")
def test_its_script_scores_what_the_page_says(colours: Path, tmp_path: Path) -> None:
    with DemoEndpoint(load_answers({"colours": colours})) as endpoint:
        status, result = run(colours, tmp_path, endpoint.endpoint_for("colours"))
    assert status == 0
    assert json.loads(result.read_text()) == {"overall": 0.75}
    assert "the score is 0.75" in TEXT


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="the example needs curl and jq")
def test_its_script_blames_the_endpoint_when_that_fails(colours: Path, tmp_path: Path) -> None:
    endpoint = DemoEndpoint(Answers())
    url = endpoint.start()
    assert run(colours, tmp_path, url + "/no/such/route") == (75, tmp_path / "result.json")
    endpoint.stop()
    assert run(colours, tmp_path, url)[0] == 75
    assert not (tmp_path / "result.json").exists()


class Silent(BaseHTTPRequestHandler):
    """Answers everything with no word."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"choices": [{"message": {"role": "assistant", "content": ""}}]}')

    def log_message(self, *_args: object) -> None:
        """Say nothing."""


@pytest.fixture
def silent() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Silent) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="the example needs curl and jq")
def test_answers_without_a_word_are_no_score_in_its_script(colours: Path, tmp_path: Path, silent: str) -> None:
    assert run(colours, tmp_path, silent) == (75, tmp_path / "result.json")
    assert not (tmp_path / "result.json").exists()


def test_answers_without_a_word_are_no_score_of_its_program(benchmarks: Path, tmp_path: Path, silent: str) -> None:
    quiz, out = benchmarks / "quiz", tmp_path / "report.json"
    words = ["--url", silent, "--model", "m", "--out", str(out), str(quiz / "capitals" / "questions.json")]
    command = [sys.executable, str(quiz / "environments" / "quiz" / "quiz.py"), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr, out.exists()) == (1, "not a word in any answer\n", False)


def test_the_script_with_items_asks_the_same_few_and_writes_each(tmp_path: Path) -> None:
    (script,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)  # the others are files
    (tmp_path / "sums.py").write_text(script)
    sums = {f"{a}+{b}": (f"What is {a} + {b}?", str(a + b)) for a in range(10) for b in range(10)}
    lines = [{"task": "sums", "item": item, "question": ask, "answer": sum} for item, (ask, sum) in sums.items()]
    ordered = sorted(lines, key=lambda line: sha256(f"0:{line['item']}".encode()).hexdigest())
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in ordered))
    asked: list[list[str]] = []
    with DemoEndpoint(load_answers({"sums": tmp_path})) as endpoint:
        for limit in (10, 20):
            environment = {
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "BENCHROUTER_MODEL_ENDPOINT": endpoint.endpoint_for("sums"),
                "BENCHROUTER_MODEL_NAME": "demo",
                "BENCHROUTER_OUTPUT_DIR": str(tmp_path),
                "BENCH_LIMIT": str(limit),
            }
            subprocess.run([sys.executable, "sums.py"], cwd=tmp_path, env=environment, check=True)
            result = json.loads((tmp_path / "result.json").read_text())
            assert result["overall"] == 0.8
            assert all(item["tokens"]["prompt"] == 5 for item in result["items"])
            asked.append([item["id"] for item in result["items"]])
    assert asked[1][:10] == asked[0] == [line["item"] for line in ordered[:10]]
