"""doit works from any directory below a workspace, and leaves other projects alone."""

from __future__ import annotations

import os
from importlib.metadata import entry_points

import pytest
from project import SCORE, Project

DODO = "def task_hello():\n    return {'actions': ['echo hello']}\n"


@pytest.fixture(autouse=True)
def installed() -> None:
    """The way in is an entry point, which is made when BenchRouter is installed."""
    names = {point.name for point in entry_points(group="doit.COMMAND")}
    assert {"run", "list"} <= names, "this environment is older than pyproject.toml: pip install -e '.[dev]'"


def test_every_command_works_from_below(project: Project) -> None:
    """doit knew no command of ours there, and ended with `Could not find dodo file`; paths are meant from there."""
    root = project.benchmark("b", {"t": SCORE % 0.5})
    elsewhere = root / "t"
    assert "job:b/t@m" in project.doit("list", "--all", "model=m", cwd=elsewhere).out
    assert "job:b/t@m" in project.doit("info", "job:b/t@m", "model=m", cwd=elsewhere).out
    assert "  job:b/t@m" in project.doit("plan", "model=m", "bench=..", cwd=elsewhere).out
    assert "doit explain " in project.doit("help", cwd=elsewhere).out
    done = project.doit("model=m", "preflight=0", "-n", "2", "bench=..", cwd=elsewhere)
    assert done.status == 0 and project.ran(done) == ["b/t@m"], done.text
    again = project.doit("run", "model=m", "preflight=0", cwd=elsewhere)
    assert again.status == 0 and project.ran(again) == []
    assert project.ran(project.doit("-a", "job:*", "model=m", "preflight=0", cwd=elsewhere)) == ["b/t@m"]
    assert "would remove cache/config" in project.doit("clean", "-n", cwd=elsewhere).out
    assert {path.name for path in elsewhere.iterdir()} == {"run.sh", "task.yaml"}


def test_the_file_of_a_workspace_may_be_named_from_anywhere(project: Project) -> None:
    """doit itself knows nothing of the database that the file asks for."""
    root = project.benchmark("b", {"t": SCORE % 0.5})
    outside = project.root.parent / "outside"
    outside.mkdir()
    file = str(project.root / "dodo.py")
    for words, env in (
        (("-f", "../../dodo.py", "list", "--all", "model=m"), {}),
        (("list", "--all", "model=m", f"--file={file}"), {}),
        (("list", "--all", "model=m"), {"DOIT_FILE": file}),
    ):
        done = project.doit(*words, env=env, cwd=root)
        assert done.status == 0 and "job:b/t@m" in done.out, done.text
    planned = project.doit(f"-f{file}", "plan", "model=m", f"bench={os.path.relpath(root, outside)}", cwd=outside)
    assert planned.status == 0 and "  job:b/t@m" in planned.out, planned.text


def test_a_mistake_is_said_as_in_the_workspace(project: Project) -> None:
    """The same message and the same status."""
    root = project.benchmark("b", {"t": SCORE % 0.5})
    for words in (("modle=x",), ("run",), ("plan", "model=m", "bench=nope")):
        here, below = project.doit(*words), project.doit(*words, cwd=root)
        assert (here.status, here.err) == (below.status, below.err) and here.status == 2, below.text


def test_other_projects_are_left_alone(project: Project) -> None:
    """Beside a workspace, below it, and where a file is named; without any, doit says so itself."""
    project.benchmark("b", {"t": SCORE % 0.5})
    own = project.write("tools/dodo.py", DODO)
    for words in ((), ("run",), ("hello",)):
        done = project.doit(*words, cwd=own.parent)
        assert done.status == 0 and done.out == ".  hello\n", done.text
    assert project.doit("list", cwd=own.parent).out.split() == ["hello"]
    named = project.doit("-f", str(own), "list", cwd=project.root / "benchmarks")
    assert named.out.split() == ["hello"]
    beside = project.write("plain.py", DODO)
    (project.root / "doit.cfg").rename(project.root / "doit.cfg.aside")
    for words, env in ((("-f", "plain.py"), {}), (("--file=plain.py", "run"), {}), ((), {"DOIT_FILE": str(beside)})):
        done = project.doit(*words, env=env)
        assert done.status == 0 and done.out == ".  hello\n", done.text
    outside = project.root.parent / "outside"
    outside.mkdir()
    nothing = project.doit("run", "model=m", cwd=outside)
    assert nothing.status == 3 and "Could not find dodo file" in nothing.err and "Traceback" not in nothing.err
