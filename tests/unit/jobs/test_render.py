from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from requests_for_jobs import ROOT, a_request

from benchrouter.jobs.contract import Host, Places, container_spec
from benchrouter.jobs.render import Renderer, docker_options
from benchrouter.jobs.request import DataVolume, JobRequest
from benchrouter.jobs.template_files import TEMPLATES, overridden_templates
from benchrouter.jobs.words import quote
from benchrouter.models.model import Model
from benchrouter.spec.settings import Site, SiteLimits
from benchrouter.spec.task import Resources
from benchrouter.store.workspace import Workspace

DATA = (
    DataVolume("lmms-hub", Path("/srv/hub"), "/data/hub"),
    DataVolume("out", Path("/srv/out"), "/data/out", writable=True),
)
ODD = {"A": "it's", "B": "$HOME `x` \\ \"", "C": "two\nlines\n", "D": "", "E": "=é 𝄞", "F": "-n"}


def script(request: JobRequest, root: Path = ROOT) -> str:
    return Renderer(Workspace(root), SiteLimits()).run_script(request).decode()


def test_script_holds_no_absolute_path_no_endpoint_and_no_secret() -> None:
    model = Model("gpt", "org/gpt", api_key="sk-12345678", api_key_env="MY_KEY")
    request = a_request(
        model=model, pass_env={"TOKEN": "token-value"}, variables={"V": "has sk-12345678 in it"}
    )
    text = script(request)
    for hidden in ("/ws", "localhost:8000", "sk-12345678", "token-value"):
        assert hidden not in text
    assert "benchmarks/bench/task" in text and "OPENAI_API_KEY=${MY_KEY:-EMPTY}" in text
    assert "--env TOKEN " in text


def test_script_is_the_same_in_another_workspace() -> None:
    there = Path("/else/where")
    task = there / "benchmarks/bench/task"
    assert script(a_request()) == script(a_request(tree=task), there)


def test_benchmark_from_elsewhere_has_to_be_named() -> None:
    text = script(a_request(tree=Path("/other/bench/task")))
    assert "/other" not in text and "benchmark=${BENCHROUTER_TASK_DIR:-}" in text


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="needs shellcheck")
@pytest.mark.parametrize("options", [{}, {"extra_env": ODD, "tree": Path("/x"), "seed": 1}, {"data": DATA}])
def test_script_is_clean_under_shellcheck(tmp_path: Path, options: dict[str, object]) -> None:
    path = tmp_path / "run.sh"
    path.write_text(script(a_request("echo 'a' \"$b\"", **options)))
    done = subprocess.run(["shellcheck", path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_data_volumes_are_where_the_person_says_they_are() -> None:
    text = script(a_request(data=DATA))
    assert "/srv" not in text
    assert '--mount "type=bind,$(source_of "$BENCHROUTER_DATA_LMMS_HUB"),target=/data/hub,readonly"' in text
    assert '--mount "type=bind,$(source_of "$BENCHROUTER_DATA_OUT"),target=/data/out"' in text
    assert "'set BENCHROUTER_DATA_OUT to the directory of the data volume out'" in text
    assert "BENCHROUTER_DATA" not in script(a_request())


def test_script_says_to_docker_what_we_say_to_the_engine() -> None:
    resources = Resources(memory=1 << 30, cpus=1.5, pids=64, shm_size=1 << 26, gpus=1)
    request = a_request("echo $X\n'", extra_env=ODD, resources=resources, network="none")
    spec = container_spec(request, Places("", "", ""), Host(0, 0), Site())
    words = shlex.split(" ".join(docker_options(spec)))
    variables = [word for option, word in pairwise(words) if option == "--env"]
    for name, value in ODD.items():
        assert f"{name}={value}" in variables
    for option in ("--network none", "--memory 1073741824", "--cpu-quota 150000", "--pids-limit 64"):
        assert shlex.split(option) in [words[i : i + 2] for i in range(len(words))]
    assert {word.partition("=")[0] for word in variables} == {*spec.environment, *spec.secrets}
    assert shlex.split(script(request).rpartition("\n    ")[2]) == list(spec.command)


@pytest.mark.parametrize("word", ["", "a b", "it's", "$x", "`x`", "a\nb", "~", "*", "é", "a=b", "-x", "#", "!"])
def test_quoted_word_reads_back(word: str) -> None:
    printed = subprocess.run(["sh", "-c", f"printf %s {quote(word)}"], capture_output=True, check=True).stdout
    assert printed == word.encode()


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30))
def test_quoting_survives_any_text(word: str) -> None:
    assert shlex.split(f"x {quote(word)}") == ["x", word]


def test_hostile_names_stay_comments_and_words() -> None:
    from benchrouter.store.jobid import JobId

    text = script(a_request(id=JobId("b", "t", "x\nrm -rf /\n")))
    assert not re.search(r"^rm", text, re.MULTILINE)


def test_rendering_into_a_directory_is_idempotent(tmp_path: Path) -> None:
    renderer = Renderer(Workspace(tmp_path), SiteLimits())
    path = renderer.render_to(a_request(), tmp_path / "config")
    before = path.stat()
    assert os.access(path, os.X_OK)
    assert renderer.render_to(a_request(), tmp_path / "config").stat().st_ino == before.st_ino


def test_template_of_the_workspace_replaces_ours_and_counts_only_when_it_differs(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    assert overridden_templates(workspace) == {}
    workspace.templates.mkdir()
    own = workspace.templates / "run.sh.j2"
    shutil.copy(TEMPLATES / "run.sh.j2", own)
    assert overridden_templates(workspace) == {}
    own.write_text("#!/bin/sh\n# {{ job }} {{ image | sh }}\n")
    assert list(overridden_templates(workspace)) == ["run.sh.j2"]
    assert script(a_request(), tmp_path) == "#!/bin/sh\n# bench/task@gpt benchrouter/bench-env:abc\n"
