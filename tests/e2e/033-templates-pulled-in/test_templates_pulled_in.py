"""What a template of the workspace includes or extends is part of what a job is made from."""

from __future__ import annotations

from pathlib import Path

from project import SCORE, Project


def test_a_changed_include_runs_the_job_again(project: Project) -> None:
    """And `explain` names the file; one that no template uses changes nothing."""
    from benchrouter.jobs.template_files import TEMPLATES

    project.benchmark("b", {"t": SCORE % 0.5})
    packaged = (Path(TEMPLATES) / "run.sh.j2").read_text()
    project.write("templates/run.sh.j2", "{% extends 'house.j2' %}")
    project.write("templates/house.j2", packaged + "{% include 'parts/end.j2' %}\n")
    part = project.write("templates/parts/end.j2", "# one\n")
    project.write("templates/other.j2", "# unused\n")
    assert project.ran(project.run()) == ["b/t@m"]
    (artifact,) = project.artifacts()
    assert (artifact / "config" / "run.sh").read_text().endswith("# one\n")
    project.write("templates/other.j2", "# still unused\n")
    assert project.due() == []
    part.write_text("# two\n")
    assert project.due() == ["b/t@m"]
    explained = project.doit("explain", "job:b/t@m", "model=m").out
    assert "template templates/parts/end.j2 changed" in explained, explained
    assert project.ran(project.run()) == ["b/t@m"]
