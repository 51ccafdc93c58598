"""Which files of the workspace a rendering can use: those that replace packaged templates, and all they pull in."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchrouter.jobs.template_check import template_problems
from benchrouter.jobs.template_files import TEMPLATES, load_template, overridden_templates
from benchrouter.store.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "templates" / "parts").mkdir(parents=True)
    return Workspace(tmp_path)


def write(workspace: Workspace, **files: str) -> None:
    for name, text in files.items():
        (workspace.templates / name.replace("__", "/").replace("_j2", ".j2")).write_text(text)


def test_what_a_used_template_pulls_in_counts_however_it_does(workspace: Workspace) -> None:
    write(
        workspace,
        base_j2="{% block a %}{% endblock %}{% from './parts//macros.j2' import m %}"
        "{% include 'gone' ignore missing %}",
        one_j2="{% include ['nothing', 'two.j2'] %}",
        two_j2="{% include 'one.j2' %}",
        parts__macros_j2="{% macro m() %}{% endmacro %}",
        parts__broken_j2="{% for %}",
        unused_j2="x",
    )
    (workspace.templates / "run.sh.j2").write_text(
        "{% extends 'base.j2' %}{% import 'one.j2' as o %}{% if no %}{% include 'parts/broken.j2' %}{% endif %}"
    )
    found = overridden_templates(workspace)
    assert list(found) == ["base.j2", "one.j2", "parts/broken.j2", "parts/macros.j2", "run.sh.j2", "two.j2"]
    write(workspace, parts__macros_j2="{% macro m() %} {% endmacro %}")
    changed = overridden_templates(workspace)
    assert {name for name in found if found[name] != changed[name]} == {"parts/macros.j2"}


def test_a_computed_name_may_mean_every_file(workspace: Workspace) -> None:
    (workspace.templates / "compose.yaml.j2").write_text("{% include job %}")
    write(workspace, parts__a="1", b="2")
    assert list(overridden_templates(workspace)) == ["b", "compose.yaml.j2", "parts/a"]


def test_what_only_the_package_has_or_nobody_uses_does_not_count(workspace: Workspace) -> None:
    write(workspace, parts__a="1")
    assert overridden_templates(workspace) == {}
    packaged = (TEMPLATES / "run.sh.j2").read_text()
    (workspace.templates / "run.sh.j2").write_text(packaged)
    assert overridden_templates(workspace) == {}
    more = "\n{% include 'dind-entrypoint.sh.j2' %}\n{% include 'parts' %}"
    (workspace.templates / "run.sh.j2").write_text(packaged + more)
    assert list(overridden_templates(workspace)) == ["run.sh.j2"]


def test_a_fault_of_what_is_pulled_in_is_told_with_its_own_place(workspace: Workspace) -> None:
    (workspace.templates / "run.sh.j2").write_text("one\n{% include 'parts/a' %}\n")
    write(workspace, parts__a="\n\n{{ imagee }}\n")
    (problem,) = template_problems(workspace, ["run.sh.j2"])
    assert str(problem).startswith(f"{workspace.templates}/parts/a:3: 'imagee' is undefined (did you mean `image`?)")
    write(workspace, parts__a="\n{% for %}\n")
    (problem,) = template_problems(workspace, ["run.sh.j2"])
    assert str(problem).startswith(f"{workspace.templates}/parts/a:2: ")
    write(workspace, parts__a="fine {{ image }}\n")
    assert template_problems(workspace, ["run.sh.j2"]) == []
    assert "fine x" in load_template(workspace, "run.sh.j2").render(image="x")


def test_every_packaged_template_can_be_taken_over_with_a_change(workspace: Workspace) -> None:
    """What a packaged template uses, the trial knows."""
    names = sorted(path.name for path in TEMPLATES.glob("*.j2"))
    for name in names:
        (workspace.templates / name).write_text((TEMPLATES / name).read_text() + "\n# a change\n")
    assert names and template_problems(workspace, names) == []
