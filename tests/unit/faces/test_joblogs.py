"""Which attempt's logs are meant: by node, by task, by pattern; the newest of them, of any model's name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchrouter.make.joblogs import ends, means, newest
from benchrouter.make.variables import UsageError
from benchrouter.spec.names import encode
from benchrouter.store import layout
from benchrouter.store.documents import to_bytes
from benchrouter.store.jobid import JobId
from benchrouter.store.workspace import Workspace


def attempt(ws: Workspace, id: JobId, name: str, age: int, state: str = "COMPLETED") -> Path:
    """Put an attempt's documents and a log in their place."""
    directory = layout.task_dir(ws, id) / name
    (directory / "logs").mkdir(parents=True)
    (directory / "logs" / "stdout.log").write_text(name)
    (directory / layout.JOB).write_bytes(to_bytes({**vars(id), "state": state}))
    os.utime(directory / layout.JOB, (1000 - age, 1000 - age))
    return directory


def test_the_newest_attempt_is_meant(tmp_path: Path) -> None:
    """Failed or completed, of this repeat or model; a name that is near is offered."""
    ws = Workspace(tmp_path)
    plain, odd = JobId("b", "t", "m"), JobId("b", "t", "openai/gpt-4o", 1)
    attempt(ws, plain, "key1", 30)
    failed = attempt(ws, plain, "failed/2", 20, "FAILED")
    other = attempt(ws, odd, "key2", 10)
    assert newest(ws, "b/t") == (newest(ws, "job:b/*")[0], 2) and newest(ws, "b/t")[0].directory == other
    found, count = newest(ws, "b/t@m")
    assert (found.directory, found.state, count) == (failed, "FAILED", 1)
    assert newest(ws, f"job:b/t@{encode('openai/gpt-4o')}#1")[0].directory == other
    with pytest.raises(UsageError, match=r"did you mean `b/t`"):
        newest(ws, "b/tt")


@pytest.mark.parametrize(
    ("word", "label", "same"),
    [
        ("b/t", "b/t@m", True),
        ("b/t", "b/t@m#3", True),
        ("b/t@m", "b/t@m#3", False),
        ("b/*@m", "b/t@m", True),
        ("b", "b/t@m", False),
        ("b/t", "b/tt@m", False),
        ("b/t#3", "b/t@m#3", True),
        ("b/t#3", "b/t@m", False),
        ("b/t#3@m", "b/t@m#3", True),
        ("job:b/t#3@m", "b/t@m#1", False),
    ],
)
def test_a_word_means_a_job_or_not(word: str, label: str, same: bool) -> None:
    """Never by the beginning of a name alone."""
    assert means(word, label, "m") is same


@pytest.mark.parametrize("word", ["b/t#1", "b/t#1@a/b", "b/t@a/b#1", "b/*@a/*", "job:b/t@a/b#1", "b/t"])
def test_what_a_table_prints_is_no_job_to_logs(tmp_path: Path, word: str) -> None:
    """A table says `t#1`; only `b/t@MODEL#1` was accepted, and of a model with a slash its encoded name was printed."""
    attempt(Workspace(tmp_path), JobId("b", "t", "a/b", 1), "key", 1)
    assert newest(Workspace(tmp_path), word)[0].shown == "b/t@a/b#1"


def test_the_end_of_a_log() -> None:
    """Whole lines, also where the last has no end."""
    assert ends("a\nb\nc", 2) == "b\nc" and ends("a\n", 0) == "" and ends("a\n", None) == "a\n"
