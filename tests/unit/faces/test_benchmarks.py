"""`benchrouter init` and `benchrouter benchmark …`: made, checked, taken in, removed."""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path

import pytest
import yaml

from benchrouter.make.benchmarks import validate
from benchrouter.make.scaffolding import Flavour, make_benchmark, make_workspace
from benchrouter.make.variables import UsageError
from benchrouter.store.workspace import Workspace
from tests.unit.faces.workspaces import benchrouter


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A workspace as `init` makes it."""
    root = tmp_path_factory.mktemp("init") / "w"
    make_workspace(root, "first")
    return Workspace(root)


@pytest.mark.parametrize("flavour", Flavour)
def test_a_new_benchmark_is_sound(workspace: Workspace, flavour: Flavour) -> None:
    """No error and no warning; its files name schemas that are there; the demo model answers all its questions."""
    root = make_benchmark(workspace, f"new-{flavour.value}", flavour)
    assert validate(workspace, root).problems == ()
    for path in (root / "benchmark.yaml", *root.glob("*/task.yaml")):
        place = path.read_text().splitlines()[0].partition("$schema=")[2]
        assert (path.parent / place).resolve().is_file()
    planned = benchrouter(root, "plan", root.name, "-m", "demo", "--json").json
    assert planned["jobs"]["total"] == 1 and not planned["warnings"]


def test_init_makes_a_whole_workspace_once(tmp_path: Path) -> None:
    """Beside files that are there; a second time it refuses, and changes nothing."""
    (tmp_path / "README.md").write_text("mine")
    made = benchrouter(tmp_path, "init", "--benchmark", "mine", "--json").json
    assert made["root"] == str(tmp_path) and (tmp_path / "README.md").read_text() == "mine"
    files = ("dodo.py", "doit.cfg", "benchrouter.yaml", "benchmarks/mine/benchmark.yaml", "templates", ".gitignore")
    for name in files:
        assert (tmp_path / name).exists(), name
    assert yaml.safe_load((tmp_path / "benchrouter.yaml").read_text())["groups"] == {"default": ["mine"]}
    again = benchrouter(tmp_path, "init")
    assert again.status == 2 and "a dodo.py is there already" in again.err


def test_validate_lists_every_fault_with_its_place(workspace: Workspace, tmp_path: Path) -> None:
    """Of all files at once, outside of a workspace too; as JSON with file and line."""
    root = tmp_path / "broken"
    shutil.copytree(workspace.benchmarks / "first", root)
    (root / "benchmark.yaml").write_text("name: broken\ntasks:\n  - name: capitals\n  - name: capitols\nversoin: 1\n")
    (root / "capitals" / "task.yaml").write_text("name: c\ncommand: run\ntimeout: -1\nnetwork: hots\n")
    (root / "answers.jsonl").write_text('{"task": "capitals"}\n')
    (root / "environments" / "first").rename(root / "environments" / "brokn")
    told = benchrouter(tmp_path, "benchmark", "validate", root, "--json")
    assert told.status == 2
    found = {(Path(p["file"]).name, p["line"]) for p in told.json["problems"] if not p["warning"]}
    assert found >= {
        ("benchmark.yaml", 4),
        ("task.yaml", 3),
        ("task.yaml", 4),
        ("answers.jsonl", 1),
        ("benchmark.yaml", 3),
    }
    assert benchrouter(tmp_path, "benchmark", "validate", root).status == 2


def test_register_takes_a_tar_or_a_directory(workspace: Workspace, tmp_path: Path) -> None:
    """Under the name that its file says, once; --replace swaps it; what is unsound never appears."""
    source = tmp_path / "anything"
    shutil.copytree(workspace.benchmarks / "first", source)
    (source / "benchmark.yaml").write_text("name: taken\ntasks:\n  - {name: capitals, environment: first}\n")
    with tarfile.open(tmp_path / "t.tar.gz", "w:gz") as archive:
        archive.add(source, "taken-1.0")
    told = benchrouter(workspace.root, "benchmark", "register", tmp_path / "t.tar.gz", "--json").json
    target = workspace.benchmarks / "taken"
    assert told["path"] == str(target) and (target / "capitals" / "run.py").is_file()
    again = benchrouter(workspace.root, "benchmark", "register", source)
    assert again.status == 2 and "--replace" in again.err
    (source / "capitals" / "new.txt").write_text("new")
    assert benchrouter(workspace.root, "benchmark", "register", source, "--replace").status == 0
    assert (target / "capitals" / "new.txt").exists()
    (source / "capitals" / "task.yaml").write_text("name: c\n")
    refused = benchrouter(workspace.root, "benchmark", "register", source, "--replace")
    assert refused.status == 2 and f"{source}/capitals/task.yaml:1: `command` is missing" in refused.err
    assert (target / "capitals" / "task.yaml").read_text() != "name: c\n"
    assert benchrouter(workspace.root, "benchmark", "delete", "taken").status == 0 and not target.exists()
    assert [path.name for path in workspace.id_file.parent.iterdir() if path.name.startswith("tree")] == []


@pytest.mark.parametrize("name", ["..", "a/b", "-x", ".x", "failed", "ä"])
def test_a_name_that_cannot_be_one_is_refused(workspace: Workspace, name: str) -> None:
    """Before anything is written."""
    with pytest.raises(UsageError, match="cannot be a benchmark's name"):
        make_benchmark(workspace, name, Flavour.SIMPLE)
    taken = benchrouter(workspace.root, "benchmark", "new", "first")
    assert taken.status == 2 and "is there already" in taken.err


def test_a_tar_of_two_directories_is_said_to_hold_two(workspace: Workspace, tmp_path: Path) -> None:
    """Not that a file does not exist which nobody named."""
    with tarfile.open(tmp_path / "two.tar", "w") as archive:
        archive.add(workspace.benchmarks / "first", "a")
        archive.add(workspace.benchmarks / "first", "b")
    called = benchrouter(workspace.root, "benchmark", "register", tmp_path / "two.tar")
    assert called.status == 2 and "no benchmark.yaml at its top, but `a/`, `b/`" in called.err


def test_a_directory_around_the_workspace_is_not_copied_into_itself(tmp_path: Path) -> None:
    """Nothing of it is written, whether it looks like a benchmark or not; environments are no other."""
    root = tmp_path / "around" / "w"
    make_workspace(root, "mine")
    for words in (("benchmark", "register", "."), ("benchmark", "register", "..")):
        called = benchrouter(root, *words)
        assert called.status == 2 and "no benchmark.yaml in it" in called.err
    shutil.copytree(root / "benchmarks" / "mine", tmp_path / "around", dirs_exist_ok=True)
    (tmp_path / "around" / "Dockerfile").write_text("FROM a\n")
    for words in (("benchmark", "register", ".."), ("env", "register", "--name", "e", "--path", "..")):
        called = benchrouter(root, *words)
        assert called.status == 2 and "this workspace lies in it" in called.err, called
    assert not list((root / ".benchrouter").glob("tree-*"))


def test_results_are_said_to_stay_only_where_there_are_some(workspace: Workspace) -> None:
    """`delete` named a directory that was not there."""
    for results in (False, True):
        make_benchmark(workspace, "brief", Flavour.SIMPLE)
        if results:
            (workspace.results / "brief").mkdir(parents=True)
        assert ("still in" in benchrouter(workspace.root, "benchmark", "delete", "brief").out) is results


def test_a_misspelt_list_of_tasks_hides_no_other_fault(workspace: Workspace, tmp_path: Path) -> None:
    """`taks:` leaves nothing to look at but the directories that are there; a run sees those that the file names."""
    root = tmp_path / "broken"
    shutil.copytree(workspace.benchmarks / "first", root)
    (root / "benchmark.yaml").write_text("name: broken\ntaks:\n  - name: capitals\n")
    (root / "capitals" / "task.yaml").write_text("name: c\ncommand: run\ntimeout: -1\n")
    (root / "environments" / "first" / "Dockerfile").write_text("FRM a\n")
    called = benchrouter(tmp_path, "benchmark", "validate", root, "--json")
    found = {(Path(p["file"]).name, p["line"]) for p in called.json["problems"]}
    assert called.status == 2 and found >= {("benchmark.yaml", 2), ("task.yaml", 3), ("Dockerfile", 1)}
    planned = benchrouter(workspace.root, "plan", root, "-m", "demo")
    assert planned.status == 2 and "task.yaml:3: `timeout`" in planned.err
