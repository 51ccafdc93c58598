"""Input that is no regular file is refused with its path: it neither hangs, nor eats memory, nor is overlooked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from project import SCORE, Project

FIFO = "cannot be read: a FIFO, expected a regular file"
PLACES = (
    "benchmarks/b/t/task.yaml",
    "benchmarks/b/benchmark.yaml",
    "benchmarks/b/environments/b/Dockerfile",
    "benchmarks/b/environments/b/.dockerignore",
    "benchrouter.yaml",
    "benchrouter.local.yaml",
    "benchrouter.lock",
    "templates/run.sh.j2",
)


def refused(project: Project, *said: str) -> None:
    """Check that plan and run end at once with exit 2 and these words."""
    for command in ("plan", "run"):
        done = project.doit(command, "model=m", deadline=30)
        assert done.status == 2 and "Traceback" not in done.text, done.text
        assert all(text in done.err for text in said), done.err


def replaced(project: Project, path: str) -> Path:
    """Clear a place in a workspace with one sound benchmark."""
    project.benchmark("b", {"t": SCORE % 1})
    place = project.root / path
    place.parent.mkdir(exist_ok=True)
    place.unlink(missing_ok=True)
    return place


@pytest.mark.parametrize("path", PLACES)
def test_a_fifo_hangs_nothing_and_is_not_overlooked(project: Project, path: str) -> None:
    os.mkfifo(replaced(project, path))
    refused(project, f"{path}: {FIFO}")


@pytest.mark.parametrize("path", ["benchmarks/b/t/task.yaml", "templates/run.sh.j2"])
def test_a_link_to_a_device_eats_no_memory(project: Project, path: str) -> None:
    replaced(project, path).symlink_to("/dev/zero")
    refused(project, f"{path}: cannot be read: a device, expected a regular file")


def test_a_fifo_that_a_template_pulls_in_is_named(project: Project) -> None:
    replaced(project, "templates/run.sh.j2").write_text("{% if no %}{% include 'more' %}{% endif %}")
    os.mkfifo(project.root / "templates" / "more")
    refused(project, f"templates/more: {FIFO}")


def test_a_settings_file_that_is_a_link_to_nothing_is_not_overlooked(project: Project) -> None:
    replaced(project, "benchrouter.yaml").symlink_to("nowhere")
    refused(project, "benchrouter.yaml: the file does not exist")


def test_a_template_that_includes_itself_is_named(project: Project) -> None:
    """It once ended in a traceback of Python's own limit."""
    replaced(project, "templates/run.sh.j2").write_text("one\n{% include 'run.sh.j2' %}\n")
    refused(project, "templates/run.sh.j2:2: nested too deeply, or it includes itself without an end")


def test_a_slip_in_a_number_of_repeats_is_no_plan_without_an_end(project: Project) -> None:
    project.benchmark("b", {"t": SCORE % 1}, task_yaml="repeat: 100000000\n")
    refused(project, "task.yaml:3: `repeat`: found 100000000, expected a whole number from 1 to 10000")
    done = project.doit("plan", "model=m", "repeat=1000000000", deadline=30)
    assert done.status == 2 and "repeat=1000000000: expected a whole number from 1 to 10000" in done.err
