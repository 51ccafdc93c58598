"""Digests of trees: what changes them, what does not, and where links may lead."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from benchrouter.keys.ignore import load_ignore
from benchrouter.keys.tree import hash_tree, materialise, signature
from benchrouter.spec.problems import SpecError


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    """A benchmark with one task and something beside it."""
    root = tmp_path / "bench"
    task = root / "task"
    (task / "sub").mkdir(parents=True)
    (task / "run.sh").write_text("echo\n")
    (task / "sub" / "data").write_text("1\n")
    (task / "link").symlink_to("run.sh")
    (root / "common" / "deep").mkdir(parents=True)
    (root / "common" / "lib.py").write_text("x = 1\n")
    (root / "common" / "deep" / "f").write_text("f")
    return root


def digest(bench: Path) -> str:
    return hash_tree(bench / "task", boundary=bench).digest


CHANGES: dict[str, Callable[[Path], object]] = {
    "content": lambda t: (t / "run.sh").write_text("echo 2\n"),
    "one byte, same size": lambda t: (t / "sub" / "data").write_text("2\n"),
    "exec bit": lambda t: (t / "run.sh").chmod(0o755),
    "target of a link": lambda t: ((t / "link").unlink(), (t / "link").symlink_to("sub/data")),
    "a link becomes a file": lambda t: ((t / "link").unlink(), (t / "link").write_text("run.sh")),
    "empty directory": lambda t: (t / "empty").mkdir(),
    "new file": lambda t: (t / "new").write_text(""),
    "removed file": lambda t: (t / "sub" / "data").unlink(),
    "renamed file": lambda t: (t / "run.sh").rename(t / "run2.sh"),
    "moved file": lambda t: (t / "run.sh").rename(t / "sub" / "run.sh"),
    "newline in a name": lambda t: (t / "a\nb").write_text(""),
    "a name that is not UTF-8": lambda t: Path(os.fsdecode(os.fsencode(t) + b"/\xff")).write_text(""),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_a_digest(bench: Path, change: str) -> None:
    before = digest(bench)
    CHANGES[change](bench / "task")
    assert digest(bench) != before


@pytest.mark.parametrize(
    "change",
    [
        lambda t: os.utime(t / "run.sh", (1, 1)),
        lambda t: (t / "run.sh").chmod(0o600),
        lambda t: (t / "sub").chmod(0o700),
        lambda t: ((t / "tmp").write_text(""), (t / "tmp").unlink()),
        lambda t: (t.parent / "README.md").write_text("x"),
    ],
)  # fmt: skip
def test_what_does_not_change_a_digest(bench: Path, change: Callable[[Path], object]) -> None:
    before = digest(bench)
    change(bench / "task")
    assert digest(bench) == before


def test_a_copy_at_another_place_has_the_same_digest(bench: Path, tmp_path: Path) -> None:
    shutil.copytree(bench, tmp_path / "elsewhere é", symlinks=True)
    assert digest(tmp_path / "elsewhere é") == digest(bench)


def test_a_digest_is_the_same_for_ever(bench: Path) -> None:
    """A change here reruns every job of every workspace."""
    assert digest(bench) == "e67a1e1117bc94dafe5f6de559f081ea"


def test_other_content_under_equal_mtime_and_size_changes_the_signature(bench: Path) -> None:
    task = bench / "task"
    before, stat = signature(task, boundary=bench), (task / "run.sh").stat()
    (task / "run.sh").write_text("ECHO\n")
    os.utime(task / "run.sh", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert (task / "run.sh").stat().st_mtime_ns == stat.st_mtime_ns
    assert signature(task, boundary=bench) != before


def test_a_file_edited_and_put_back_changes_the_signature(bench: Path) -> None:
    task = bench / "task"
    before = signature(task, boundary=bench)
    (task / "run.sh").write_text("x")
    (task / "run.sh").write_text("echo\n")
    assert signature(task, boundary=bench) != before


def test_looking_changes_no_signature(bench: Path) -> None:
    before = signature(bench / "task", boundary=bench)
    hash_tree(bench / "task", boundary=bench)
    (bench / "task" / "tmp").write_text("")
    (bench / "task" / "tmp").unlink()
    assert signature(bench / "task", boundary=bench) == before


def test_links_that_leave_the_task_are_followed(bench: Path) -> None:
    task = bench / "task"
    (task / "lib.py").symlink_to("../common/lib.py")
    (task / "all").symlink_to("../common")
    tree = hash_tree(task, boundary=bench)
    assert tree.materialised
    before = signature(task, boundary=bench)
    (bench / "common" / "deep" / "f").write_text("g")
    assert hash_tree(task, boundary=bench).digest != tree.digest
    assert signature(task, boundary=bench) != before


def test_a_followed_link_counts_as_what_it_leads_to(bench: Path) -> None:
    task = bench / "task"
    (task / "all").symlink_to("../common")
    linked = digest(bench)
    (task / "all").unlink()
    shutil.copytree(bench / "common", task / "all")
    assert digest(bench) == linked


@pytest.mark.parametrize(
    ("target", "followed"),
    [("run.sh", False), ("sub/../run.sh", False), ("nowhere", False), ("../task/run.sh", True), ("../common", True),
     ("sub/../../common/lib.py", True)],
)  # fmt: skip
def test_which_links_are_followed(bench: Path, target: str, followed: bool) -> None:
    (bench / "task" / "x").symlink_to(target)
    assert hash_tree(bench / "task", boundary=bench).materialised is followed


def test_an_absolute_link_inside_the_benchmark_is_followed(bench: Path) -> None:
    (bench / "task" / "x").symlink_to(bench / "common" / "lib.py")
    assert hash_tree(bench / "task", boundary=bench).materialised


@pytest.mark.parametrize("target", ["/etc/passwd", "../../outside", "../../bench-twin/f", "/", "chain"])
def test_links_that_leave_the_benchmark_are_refused(bench: Path, target: str) -> None:
    (bench.parent / "outside").write_text("secret")
    (bench.parent / "bench-twin").mkdir()
    (bench.parent / "bench-twin" / "f").write_text("secret")
    (bench / "task" / "chain").symlink_to("../common/out")
    (bench / "common" / "out").symlink_to("/etc/passwd")
    (bench / "task" / "x").symlink_to(target)
    with pytest.raises(SpecError, match="outside the benchmark"):
        hash_tree(bench / "task", boundary=bench)


def test_a_link_inside_a_followed_directory_must_not_leave_the_benchmark(bench: Path) -> None:
    (bench / "task" / "all").symlink_to("../common")
    (bench / "common" / "out").symlink_to("/etc/passwd")
    with pytest.raises(SpecError, match="outside the benchmark"):
        hash_tree(bench / "task", boundary=bench)


@pytest.mark.parametrize("target", ["..", "../task", "../common/up"])
def test_a_loop_of_links_is_refused(bench: Path, target: str) -> None:
    (bench / "common" / "up").symlink_to("..")
    (bench / "task" / "x").symlink_to(target)
    with pytest.raises(SpecError, match="loop"):
        hash_tree(bench / "task", boundary=bench)


def test_a_link_to_itself_does_not_hang(bench: Path) -> None:
    (bench / "task" / "x").symlink_to("x")
    (bench / "task" / "y").symlink_to("../task/y")
    with pytest.raises(SpecError, match="not there"):
        hash_tree(bench / "task", boundary=bench)


def test_a_task_directory_that_is_a_link_out_of_the_benchmark_is_refused(bench: Path) -> None:
    (bench / "t2").symlink_to("/etc")
    with pytest.raises(SpecError, match="outside the benchmark"):
        hash_tree(bench / "t2", boundary=bench)


def test_special_files_are_refused_and_never_opened(bench: Path) -> None:
    os.mkfifo(bench / "task" / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(bench / "task")
        try:
            server.bind("sock")
        finally:
            os.chdir(here)
        with pytest.raises(SpecError) as caught:
            hash_tree(bench / "task", boundary=bench)
    assert sorted(p.message.split(";")[0] for p in caught.value.problems) == ["is a FIFO", "is a socket"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_a_problem_not_a_crash(bench: Path) -> None:
    (bench / "task" / "run.sh").chmod(0)
    with pytest.raises(SpecError, match="cannot be read"):
        hash_tree(bench / "task", boundary=bench)


def test_directories_nested_beyond_reason_are_refused(tmp_path: Path) -> None:
    here = Path.cwd()
    try:
        os.chdir(tmp_path)
        for _ in range(1200):
            Path("d").mkdir()
            os.chdir("d")
        with pytest.raises(SpecError):
            hash_tree(tmp_path, boundary=tmp_path)
    finally:
        os.chdir(here)
        # Python's own rmtree, which pytest uses, gives up at that depth.
        subprocess.run(["rm", "-rf", tmp_path / "d"], check=True)


def test_excluded_names_do_not_count(bench: Path) -> None:
    task, skip = bench / "task", frozenset({"task.yaml"})
    before = hash_tree(task, boundary=bench, exclude=skip).digest
    (task / "task.yaml").write_text("x")
    (task / "sub" / "task.yaml").write_text("x")
    assert hash_tree(task, boundary=bench, exclude=skip).digest != before
    (task / "sub" / "task.yaml").unlink()
    assert hash_tree(task, boundary=bench, exclude=skip).digest == before


def test_the_copy_to_mount_has_the_digest_of_the_tree(bench: Path, tmp_path: Path) -> None:
    task = bench / "task"
    (task / "lib.py").symlink_to("../common/lib.py")
    (task / "all").symlink_to("../common")
    (task / "via").symlink_to("all/deep/f")
    (bench / "common" / "in").symlink_to("deep/f")
    (bench / "common" / "out").symlink_to("../task/run.sh")
    (task / "run.sh").chmod(0o755)
    (task / "empty").mkdir()
    copy = tmp_path / "copy"
    materialise(task, copy, bench)
    again = hash_tree(copy, boundary=copy)
    assert again.digest == digest(bench)
    assert not again.materialised
    assert (copy / "via").read_text() == "f"


def test_a_build_context_keeps_its_links_and_leaves_out_what_is_ignored(bench: Path) -> None:
    (bench / "x").symlink_to("/etc/passwd")
    (bench / ".dockerignore").write_text("task\n!task/sub\ncommon\n")
    paths = [entry.path for entry in hash_tree(bench, ignore=load_ignore(bench)).entries]
    assert paths == [".dockerignore", "task", "task/sub", "task/sub/data", "x"]


def test_large_files_are_hashed_like_small_ones(tmp_path: Path) -> None:
    import xxhash

    contents = [os.urandom(size) for size in (0, 1, 128 << 10, (1 << 20) - 1, 1 << 20, 9 << 20)]
    for index, content in enumerate(contents):
        (tmp_path / f"{index}").write_bytes(content)
    found = [entry.content for entry in hash_tree(tmp_path).entries]
    assert found == [xxhash.xxh3_128_hexdigest(content) for content in contents]
