"""Nodes of a model with a slash in its name, through both commands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchrouter.spec.names import encode
from tests.unit.faces.workspaces import RUNS_NOWHERE, benchrouter, small_workspace

ODD = "openai/gpt-x"
ENDPOINT = {"BENCHROUTER_MODEL_ENDPOINT": "http://127.0.0.1:9/v1"}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the benchmark `b`."""
    return small_workspace(tmp_path_factory.mktemp("odd") / "w")


def _doit(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, **RUNS_NOWHERE, **ENDPOINT}
    doit = Path(sys.executable).with_name("doit")
    return subprocess.run([doit, *words], cwd=root, env=environ, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "node", ["job:b/one@openai/gpt-x", "job:b/o*@openai/gpt-x", "job:b/one", "config:b/one@openai/*"]
)
def test_explain_did_not_know_the_name_that_its_page_promises(root: Path, node: str) -> None:
    """It printed the encoded name; as JSON it still does."""
    told = benchrouter(root, "explain", node, "-m", ODD, **ENDPOINT)
    shown = f"{node.partition(':')[0]}:b/one@{ODD}"
    assert told.status == 0 and told.out.splitlines()[0] == shown, told
    nodes = benchrouter(root, "explain", node, "-m", ODD, "--json", **ENDPOINT).json["nodes"]
    assert [each["node"] for each in nodes] == [shown.replace(ODD, encode(ODD))]


def test_a_name_that_is_wrong_gets_the_real_name_of_the_nearest(root: Path) -> None:
    """Not an encoded one."""
    told = benchrouter(root, "explain", f"job:b/oen@{ODD}", "-m", ODD, **ENDPOINT)
    assert told.status == 2 and f"did you mean `job:b/one@{ODD}`?" in told.err


def test_plans_and_progress_name_the_model_as_it_is_called(root: Path) -> None:
    """And a run takes the name that it prints; so do `list` and `info` of doit."""
    planned = benchrouter(root, "plan", "-m", ODD, **ENDPOINT)
    assert f"  job:b/one@{ODD}\n" in planned.out and f"aggregate:b@{ODD}" in planned.out
    for word in (f"job:b/one@{ODD}", "job:b/o*@openai/*"):
        run = benchrouter(root, "run", "--node", word, "-m", ODD, "--no-preflight", "--plain", **ENDPOINT)
        assert run.status == 1 and f"job:b/one@{ODD} FAILED engine" in run.out and f"@{encode(ODD)}" not in run.out, run
    node, own = f"job:b/one@{ODD}", f"job:b/one@{encode(ODD)}"
    for words in (("list", node), ("info", node), ("run", node, "preflight=0")):
        done = _doit(root, *words, f"model={ODD}")
        assert done.returncode in (0, 1) and (own in done.stdout or node in done.stdout), done
    assert "two" not in _doit(root, "list", node, f"model={ODD}").stdout
    assert _doit(root, "list", f"job:b/oen@{ODD}", f"model={ODD}").returncode == 2
