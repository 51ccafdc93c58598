"""A word or an option that does not exist: one line that names the nearest, exit status 2, nothing done."""

from __future__ import annotations

import pytest
from project import SCORE, Project


@pytest.fixture(scope="module")
def ready(lasting_project: Project) -> Project:
    """A workspace with one benchmark."""
    lasting_project.benchmark("b", {"task": SCORE % 0.5})
    return lasting_project


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "model=m", "FOO"), "no node or command `FOO`"),
        (("run", "model=m", "foo*"), "no node or command `foo*`"),
        (("bogus",), "no node or command `bogus`"),
        (("pln", "model=m"), "no node or command `pln` (did you mean `plan`?)"),
        (("plan", "model=m", "FOO"), "no node `FOO`"),
        (("run", "-n", "x"), "run: -n x: expected a whole number"),
        (("run", "-n"), "run: option -n requires argument"),
        (("run", "--bogus", "model=m"), "run: no option --bogus"),
        (("run", "--plian", "model=m"), "run: no option --plian (did you mean `--plain`?)"),
        (("-x", "model=m"), "run: no option -x"),
        (("plan", "-n", "x"), "plan: -n x: expected a whole number"),
        (("explain", "--bogus"), "explain: no option --bogus"),
        (("clean", "--bogus"), "clean: no option --bogus"),
        (("list", "--al1"), "list: no option --al1 (did you mean `--all`?)"),
        (("list", "jbo"), "list: no node or command `jbo` (did you mean `job`?)"),
        (("info", "job:b/tsak@m", "model=m"), "info: no node or command `job:b/tsak@m` (did you mean `job:b/task@m`?)"),
        (("",), "there is an empty word on the command line"),
        (("run", "model=m", ""), "there is an empty word on the command line"),
        (("image", "import", "x.tar", ""), "there is an empty word on the command line"),
        (("run", "model=m", "bench=b/zz,b"), "benchmark `b` has no task `zz`"),
        (("help", "rnu"), "help: no node or command `rnu` (did you mean `run`?)"),
    ],
)
def test_a_mistake_ended_with_3_and_a_dump_of_options(ready: Project, words: tuple[str, ...], said: str) -> None:
    """doit's own message listed the objects of all options, or a traceback."""
    done = ready.doit(*words)
    assert done.status == 2 and done.out == "", done.text
    assert done.err.startswith(f"doit: {said}") and len(done.err.splitlines()) == 1, done.err
    assert not (ready.root / "runs").exists() or not list((ready.root / "runs").glob("*.json"))


def test_tasks_of_somebodys_own_are_theirs(project: Project) -> None:
    """A dodo.py may hold more than ours; a word that is nothing there is said when doit has looked."""
    project.benchmark("b", {"task": SCORE % 0.5})
    dodo = project.root / "dodo.py"
    dodo.write_text(dodo.read_text() + "\n\ndef task_mine():\n    return {'actions': ['echo from-mine >mine.txt']}\n")
    assert project.doit("run", "mine").status == 0 and (project.root / "mine.txt").exists()
    done = project.doit("run", "mien")
    assert done.status == 2 and "doit: run: no node or command `mien` (did you mean `mine`?)" in done.err, done.text
    assert "Traceback" not in done.text


def test_a_dodo_py_without_a_configuration_beside_it_was_a_traceback(project: Project) -> None:
    """Our commands are there all the same, doit's and those that are only ours."""
    project.benchmark("b", {"task": SCORE % 0.5})
    (project.root / "doit.cfg").unlink()
    assert "job" in project.doit("list").out
    assert "job:b/task@m" in project.doit("plan", "model=m").out


def test_the_graph_of_nothing_ended_with_0(project: Project) -> None:
    """As `run` does it: nothing is no success."""
    done = project.doit("graph")
    assert done.status == 2 and done.out == "" and done.err.startswith("doit: no benchmarks in "), done.text


def test_a_task_of_somebodys_own_needs_no_benchmark(project: Project) -> None:
    """In a workspace without benchmarks it runs; our own nodes are refused there."""
    dodo = project.root / "dodo.py"
    dodo.write_text(dodo.read_text() + "\n\ndef task_mine():\n    return {'actions': ['echo from-mine >mine.txt']}\n")
    done = project.doit("run", "mine")
    assert done.status == 0 and (project.root / "mine.txt").exists(), done.text
    done = project.doit("run", "image")
    assert done.status == 2 and f"no benchmarks in {project.root}/benchmarks" in done.err, done.text
