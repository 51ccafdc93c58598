"""Another tree than the one that a benchmark wants supplied: one clear line, and no traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from demo_scores import BENCHMARKS, ROOT

CODE = """import sys
from pathlib import Path
import bridge
setattr(bridge, sys.argv[1], Path(sys.argv[2]))
bridge.main(*map(int, sys.argv[3:]))
"""
LISTED = '[{"sites": ["shopping_admin"]}]'
NLTK = "def word_tokenize(text):\n    {}\n"
WEBARENA = {"run.py": "", "scripts/generate_test_data.py": "", "config_files/test.raw.json": LISTED}


def ended(benchmark: str, constant: str, tree: Path, *words: str, files: dict[str, str]) -> list[str]:
    """Run a bridge whose image has these files for its source; give what it says on standard error."""
    for name, text in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    variables = {
        "PYTHONPATH": os.pathsep.join([str(BENCHMARKS / benchmark / "code"), str(ROOT), str(tree)]),
        "BENCHROUTER_MODEL_ENDPOINT": "http://127.0.0.1:9/v1",
        "BENCHROUTER_MODEL_NAME": "m",
        "BENCHROUTER_OUTPUT_DIR": str(tree),
        "TOOLATHLON_REPO_DIR": str(tree),
        "TOOLATHLON_TASK_LIST": "full.txt",
        "XBENCH_DATASET": "data/ScienceQA.csv",
    }
    command = [sys.executable, "-c", CODE, constant, str(tree), *words]
    done = subprocess.run(
        command, cwd=tree, env={**os.environ, **variables}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    return done.stderr.splitlines()


def test_a_wrong_tree_of_simple_evals_ended_in_a_traceback(tmp_path: Path) -> None:
    files = {"openai.py": "", "simple_evals/__init__.py": ""}
    assert ended("browsecomp", "DATA", tmp_path, files=files) == [
        "the tree supplied as simple-evals is not that of README.md, with BrowseComp in it "
        "(No module named 'simple_evals.browsecomp_eval')"
    ]


@pytest.mark.parametrize(
    ("benchmark", "constant", "words", "files", "said"),
    [
        ("xbench", "UPSTREAM", (), {}, "xbench-evals is not that of README.md: it has no xbench_evals.py"),
        (
            "xbench",
            "UPSTREAM",
            (),
            {"xbench_evals.py": ""},
            "xbench-evals is not that of README.md: it has no language_models.py",
        ),
        (
            "swe-bench-pro",
            "HARNESS",
            ("1",),
            {"run_scripts/x": ""},
            "SWE-bench_Pro-os is not that of README.md: it has no swe_bench_pro_eval.py",
        ),
        (
            "swe-bench-pro",
            "HARNESS",
            ("1",),
            {"run_scripts/x": "", "swe_bench_pro_eval.py": ""},
            "instances.jsonl is not what code/generate.py writes (",
        ),
        ("toolathlon-local", "REPO", (), {}, "Toolathlon is not that of `doit plan`: there is no run_parallel.py in "),
        ("webarena", "UPSTREAM", (), {"run.py": ""}, "it has no scripts/generate_test_data.py"),
        ("webarena", "UPSTREAM", (), {**WEBARENA, "config_files/test.raw.json": "[1]"}, "is no list of tasks ("),
    ],
)
def test_another_tree_is_one_clear_line(
    benchmark: str, constant: str, words: tuple[str, ...], files: dict[str, str], said: str, tmp_path: Path
) -> None:
    (line,) = ended(benchmark, constant, tmp_path, *words, files=files)
    assert said in line


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise LookupError('punkt')", "nltk has no data for punkt, which evaluators need: see `Packages, and data"),
        ("raise OSError('torn')", "nltk, which evaluators need, does not work: OSError: torn"),
    ],
)
def test_answers_of_one_character_could_not_be_judged_without_punkt(tmp_path: Path, body: str, said: str) -> None:
    files = {**WEBARENA, "nltk/__init__.py": "", "nltk/tokenize.py": NLTK.format(body)}
    (line,) = ended("webarena", "UPSTREAM", tmp_path, files=files)
    assert line.startswith(said)


def test_the_packages_that_webarena_leaves_open_are_pinned() -> None:
    environment = BENCHMARKS / "webarena" / "environments" / "webarena"
    pins = [line for line in (environment / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert all(pin.count("==") == 1 for pin in pins) and pins == sorted(pins, key=str.lower)
    named = {pin.partition("==")[0].lower() for pin in pins}
    assert named >= {"gymnasium", "pillow", "evaluate", "types-tqdm", "tiktoken", "aiolimiter", "flask", "nltk"}
    assert "-c /opt/webarena-src/constraints.txt" in (environment / "Dockerfile").read_text()
