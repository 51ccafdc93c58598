"""A template of the workspace that cannot be used is an error with its place, before anything runs."""

from __future__ import annotations

from project import SCORE, Project


def test_named_before_anything_runs(project: Project) -> None:
    """Syntax, unknown names, other encodings: file and reason, exit 2, no traceback."""
    project.benchmark("b", {"t": SCORE % 0.5})
    template = project.root / "templates" / "run.sh.j2"
    template.parent.mkdir()
    for data, said in (
        (b"one\n{% for %}\n", "templates/run.sh.j2:2: "),
        (b"one\n{{ imagee }}\n", "templates/run.sh.j2:2: 'imagee' is undefined (did you mean `image`?)"),
        (b"{{ job.nothing }}\n", "templates/run.sh.j2:1: "),
        (b"{{ job | nothing }}\n", "templates/run.sh.j2:1: No filter named 'nothing'"),
        (b"{{ 1 // 0 }}\n", "templates/run.sh.j2:"),
        (b"{% include 'nothing' %}\n", "templates/run.sh.j2:1: 'nothing' not found"),
        (b"\xff\xfe\n", "templates/run.sh.j2: not UTF-8: "),
    ):
        template.write_bytes(data)
        done = project.doit("run", "model=m", "preflight=0")
        assert done.status == 2 and said in done.err, (data, done.text)
        assert "Traceback" not in done.text and project.artifacts() == [] == project.failures()
    planned = project.doit("plan", "model=m")
    assert planned.status == 2 and said in planned.err
