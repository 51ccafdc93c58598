"""What gets mounted is what was hashed."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchrouter.keys.cache import StatCache
from benchrouter.keys.facts import TaskFacts
from benchrouter.keys.scan import scan_benchmark
from benchrouter.make.trees import mounted_tree, what_changed
from benchrouter.spec.problems import SpecError
from benchrouter.store.workspace import Workspace


@pytest.fixture
def linked(tmp_path: Path) -> TaskFacts:
    """A task with a link that leaves it."""
    root = tmp_path / "w" / "benchmarks" / "b"
    (root / "t").mkdir(parents=True)
    (root / "benchmark.yaml").write_text("name: b\ntasks: [{name: t}]\n")
    (root / "t" / "task.yaml").write_text("name: t\ncommand: 'true'\n")
    (root / "shared.txt").write_text("one")
    (root / "t" / "link").symlink_to("../shared.txt")
    (root / "t" / "tool").write_text("x")
    (root / "t" / "tool").chmod(0o755)
    return scan_benchmark(root, StatCache(tmp_path / "none", root)).tasks["t"]


def test_a_copy_holds_what_the_links_lead_to(tmp_path: Path, linked: TaskFacts) -> None:
    """It is made once, and named by the digest of the task."""
    ws = Workspace(tmp_path / "w")
    copy = mounted_tree(ws, linked)
    assert copy == mounted_tree(ws, linked) == ws.cache / "trees" / linked.tree_digest
    assert (copy / "link").read_text() == "one" and not (copy / "link").is_symlink()
    assert (copy / "task.yaml").exists() and (copy / "tool").stat().st_mode & 0o111
    assert [path.name for path in (ws.cache / "trees").iterdir()] == [linked.tree_digest]


def test_a_copy_of_edited_files_never_bears_the_old_digest(tmp_path: Path, linked: TaskFacts) -> None:
    """Edited between scan and copy, then put back: the copy under the digest holds what was hashed."""
    ws = Workspace(tmp_path / "w")
    shared = linked.root.parent / "shared.txt"
    shared.write_text("two")
    assert mounted_tree(ws, linked).name != linked.tree_digest and what_changed(linked) == "t/"
    shared.write_text("one")
    copy = mounted_tree(ws, linked)
    assert copy.name == linked.tree_digest and (copy / "link").read_text() == "one"


def test_a_link_that_leaves_the_benchmark_since_is_refused(tmp_path: Path, linked: TaskFacts) -> None:
    """And nothing half-made stays."""
    ws = Workspace(tmp_path / "w")
    (linked.root / "link").unlink()
    (linked.root / "link").symlink_to("/etc/hostname")
    with pytest.raises(SpecError, match="outside the benchmark"):
        mounted_tree(ws, linked)
    assert list((ws.cache / "trees").iterdir()) == []
