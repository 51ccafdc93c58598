"""Why a job failed is said once, where a reader wants it: a few words when it happens, the rest at the end."""

from __future__ import annotations

import re

import pytest
from project import SCORE, Done, Project

LONG = "x" * 150  # more than a row of a table shows
SAID = r"^  \| .*the-build-says-why$"  # the build's own words, not the command that the builder shows


@pytest.fixture(scope="module")
def failed(lasting_project: Project) -> Done:
    """One run with failures that are short, long, alike, and of an image."""
    project = lasting_project
    tasks = {
        "short": "echo the-log-of-short >&2; exit 3",
        "long": f"""printf '{{"overall": 0, "error": "{LONG}"}}' >"$BENCHROUTER_OUTPUT_DIR/result.json" """,
        "alike-1": ":",
        "alike-2": ":",
        "odd": """echo '{"overall": 0.4, "error": "only-a-warning"}' >"$BENCHROUTER_OUTPUT_DIR/result.json" """,
        "fine": SCORE % 1,
    }
    project.benchmark("b", tasks)
    broken = "FROM debian:bookworm-slim\nRUN echo the-build-says-why && exit 7\n"
    project.benchmark("many", {f"t{i:02}": SCORE % 1 for i in range(40)}, dockerfile=broken)
    return project.run(status=1)


def row_of(done: Done, task: str) -> str:
    """Find a task's row in its table."""
    (row,) = [line for line in done.out.splitlines() if line.startswith(f"  {task} ")]
    return row


def test_when_it_happens_a_few_words(failed: Done) -> None:
    """State, reason, time and count, no detail."""
    lines = [line for line in failed.out.splitlines() if re.search(r" job:b/\S+ (FAILED|COMPLETED)", line)]
    assert len(lines) == 6
    for line in lines:
        assert re.search(r" (FAILED [a-z_]+|COMPLETED \d\.\d{4}) in [\d.]+ s(, 1 warning)? \(\d+/46\)$", line), line
    assert sum(", 1 warning (" in line for line in lines) == 1


def test_a_short_detail_stands_in_the_table(failed: Done) -> None:
    """It quotes the last line of stderr; the block has the log, its place and the command."""
    detail = "the command ended with status 3; its stderr ends with: the-log-of-short"
    assert failed.out.count(detail) == 1
    assert row_of(failed, "short").endswith(f"exit_code: {detail}")
    block = failed.out.partition("\njob:b/short@m FAILED exit_code\n")[2].partition("\n\n")[0].splitlines()
    assert block[0] == "  | the-log-of-short"
    assert block[1].startswith("  logs:   ") and block[2].startswith("  repeat: sh ") and len(block) == 3
    assert failed.out.count("the-log-of-short") == 2


def test_a_long_detail_stands_in_the_block(failed: Done) -> None:
    """The table has its beginning."""
    assert failed.out.count(LONG) == 1
    assert "\njob:b/long@m FAILED invalid_result: " in failed.out
    row = row_of(failed, "long")
    assert row.endswith("x…") and "invalid_result: " in row and LONG not in row


def test_what_many_have_in_common_is_said_once(failed: Done) -> None:
    """With the image that it is about, the end of the build's log, and the jobs that it hit."""
    assert failed.out.count("no result.json in /app/results: it is empty") == 1
    assert "\njob:b/alike-1@m FAILED no_result: " in failed.out and "\n  also:   job:b/alike-2@m\n" in failed.out
    assert row_of(failed, "alike-2").endswith("no_result: as said above")
    (head,) = re.findall(r"\nimage:many/many FAILED image_build: (.*)\n", failed.out)
    assert failed.out.count(head) == 1
    assert "  also:   job:many/t00@m, job:many/t01@m, job:many/t02@m and 37 more\n" in failed.out
    assert len(re.findall(SAID, failed.out, re.MULTILINE)) == 1
    assert all(row_of(failed, f"t{i:02}").endswith("image_build: as said above") for i in range(40))
    assert re.search(r" image:many/many FAILED image_build in [\d.]+ s$", failed.out, re.MULTILINE)


def test_a_warning_stands_in_the_table(failed: Done) -> None:
    """It is counted when it happens."""
    assert failed.out.count("only-a-warning") == 1
    assert "  warning: " in row_of(failed, "odd")


def test_an_image_that_no_job_waits_for_shows_its_log(project: Project) -> None:
    """Built by name, there is no job to show it."""
    broken = "FROM debian:bookworm-slim\nRUN echo the-build-says-why && exit 7\n"
    project.benchmark("b", {"t": SCORE % 1}, dockerfile=broken)
    done = project.doit("run", "image:b/b")
    assert done.status == 1 and "\nimage:b/b FAILED image_build: " in done.out
    assert len(re.findall(SAID, done.out, re.MULTILINE)) == 1
