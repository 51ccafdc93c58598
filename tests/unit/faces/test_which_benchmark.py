"""Which benchmark a name means: clashes of names, and directories that are there and yet no benchmark."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.unit.faces.workspaces import benchrouter, small_workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with the benchmark `b`."""
    return small_workspace(tmp_path / "w")


def _copied(root: Path, name: str, called: str, *, below: str = "benchmarks") -> Path:
    copy = root / below / name
    shutil.copytree(root / "benchmarks" / "b", copy)
    text = (copy / "benchmark.yaml").read_text().replace("name: b\n", f"name: {called}\n", 1)
    for task in ("one", "two"):
        text = text.replace(f"- name: {task}\n", f"- {{name: {task}, environment: b}}\n")
    (copy / "benchmark.yaml").write_text("# a copy\n" + text)
    return copy


def test_a_clash_of_names_was_called_sound(root: Path) -> None:
    """By every way to validate; only a run refused it, without the line. The list showed one name twice."""
    copy = _copied(root, "b10", "b")
    fault = f"{copy}/benchmark.yaml:2: is named `b` like {root}/benchmarks/b, and their results would mix"
    for words in (("b10",), ("benchmarks/b10",), ()):
        told = benchrouter(root, "benchmark", "validate", *words)
        assert told.status == 2 and fault in told.out, told
        assert f"{copy}: sound" not in told.out
    assert benchrouter(root, "benchmark", "validate", "b").status == 0
    for words in (("b", "b10"), ("b10",)):
        refused = benchrouter(root, "plan", *words, "-m", "demo")
        assert refused.status == 2 and refused.err.count("is named `b`") == 1 and fault in refused.err, refused
        assert "two selected" not in refused.err
    listed = benchrouter(root, "benchmark", "list").out.splitlines()
    assert listed[0].startswith("b  ") and listed[1].startswith("b (in b10/)  "), listed
    assert "has faults" in listed[1] and "has faults" not in listed[0]
    elsewhere = _copied(root, "else", "b", below="..")
    assert benchrouter(root, "benchmark", "validate", elsewhere).status == 2
    assert benchrouter(root, "benchmark", "register", elsewhere, "--replace").status == 0


def test_two_strangers_of_one_name_mixed_their_results(root: Path) -> None:
    """Neither directory had the name of both; each run on its own was accepted, and so was a third one."""
    one, two = _copied(root, "x", "same"), _copied(root, "y", "same")
    for path, other in ((one, two), (two, one)):
        assert f"is named `same` like {other}," in benchrouter(root, "benchmark", "validate", path.name).out
        refused = benchrouter(root, "plan", path.name, "-m", "demo")
        assert refused.status == 2 and f"{path}/benchmark.yaml:2: is named `same`" in refused.err, refused
    shutil.rmtree(two)
    assert benchrouter(root, "benchmark", "validate", "x").status == 0
    third = _copied(root, "third", "same", below="..")
    refused = benchrouter(root, "benchmark", "register", third)
    assert refused.status == 2 and f"{third}/benchmark.yaml:2: is named `same` like {one}" in refused.err, refused
    assert not (root / "benchmarks" / "same").exists()


def test_a_directory_that_is_there_was_called_absent(root: Path) -> None:
    """Its file had another suffix; no command said so, and `validate` of all passed over it."""
    (root / "benchmarks" / "yml").mkdir()
    (root / "benchmarks" / "yml" / "benchmark.yml").write_text("name: yml\ntasks: [{name: t}]\n")
    said = "no benchmark.yaml in it, but `benchmark.yml`; rename it"
    for words in (
        ("benchmark", "validate", "yml"),
        ("benchmark", "show", "yml"),
        ("benchmark", "validate", "benchmarks/yml"),
        ("benchmark", "register", "benchmarks/yml"),
        ("run", "yml", "-m", "demo"),
        ("plan", "./benchmarks/yml", "-m", "demo"),
        ("compare", "./benchmarks/yml"),
        ("export", "./benchmarks/yml"),
    ):
        refused = benchrouter(root, *words)
        assert refused.status == 2 and said in refused.err, (words, refused)
    warned = benchrouter(root, "benchmark", "validate")
    assert warned.status == 0 and "yml/benchmark.yml: warning: is not read" in warned.out
    (root / "benchrouter.yaml").write_text("groups: {g: [yml]}\n")
    refused = benchrouter(root, "plan", "g", "-m", "demo")
    assert refused.status == 2 and f"benchrouter.yaml:1: group `g`: {root}/benchmarks/yml: {said}" in refused.err


def test_what_a_directory_holds_instead_is_said(root: Path) -> None:
    """Of a file in place of a directory, too, and of one that is empty."""
    (root / "empty").mkdir()
    assert "no benchmark.yaml in it, but nothing" in benchrouter(root, "plan", "./empty", "-m", "demo").err
    told = benchrouter(root, "plan", "benchmarks/b/benchmark.yaml", "-m", "demo")
    assert told.status == 2 and "benchmark.yaml is no directory" in told.err


def test_other_files_with_a_wrong_suffix_were_absent_too(root: Path) -> None:
    """A task.yml, a dockerfile in small letters, and settings that nobody read."""
    b = root / "benchmarks" / "b"
    (b / "one" / "task.yaml").rename(b / "one" / "task.yml")
    (b / "environments" / "b" / "Dockerfile").rename(b / "environments" / "b" / "dockerfile")
    (root / "benchrouter.yaml").unlink(missing_ok=True)
    (root / "benchrouter.yml").write_text("groups: {default: [b]}\n")
    told = benchrouter(root, "plan", "b", "-m", "demo").err
    assert "`one/task.yaml` does not exist, but `task.yml`; rename it" in told, told
    assert "no `environments/b/Dockerfile`, but `dockerfile`; rename it" in told, told
    assert "benchrouter.yml: warning: is not read; settings stand in `benchrouter.yaml`" in told, told
