"""Groups name benchmarks that may not be here: an error where the group is used, else one warning."""

from __future__ import annotations

import pytest
from project import SCORE, Project

SETTINGS = """\
groups:
  default: [hello]
  quick:
    - hello/t
    - helo
  big:
    - hello
    - absent-one
    - absent-two/x
    - hello/u
  wider: [quick]
  tasks: [hello/u]
"""


@pytest.fixture
def groups(project: Project) -> Project:
    """A settings file that is made for more than is here."""
    project.benchmark("hello", {"t": SCORE % 0.5})
    project.write("benchrouter.yaml", SETTINGS)
    return project


def test_a_group_that_is_used_must_be_right(groups: Project) -> None:
    """By itself, within another one, or by its tasks: file, line, nearest name; all at once."""
    place = f"{groups.root}/benchrouter.yaml"
    for word in ("quick", "wider"):
        done = groups.doit("run", "model=m", "preflight=0", f"bench={word}")
        assert done.status == 2
        assert f"{place}:5: group `quick`: no benchmark or group `helo` (did you mean `hello`?)" in done.err
    done = groups.doit("run", "model=m", "preflight=0", "bench=big,tasks")
    assert done.status == 2
    for said in (
        ":8: group `big`: no benchmark or group `absent-one`",
        ":9: group `big`: no benchmark or group `absent-two/x`",
        ":10: group `big`: benchmark `hello` has no task `u`",
        ":12: group `tasks`: benchmark `hello` has no task `u`",
    ):
        assert place + said in done.err, done.err


def test_a_group_that_is_not_used_warns_once(groups: Project) -> None:
    """A file that is shared by many workspaces stops none, and does not flood its terminal."""
    done = groups.run()
    warnings = [line for line in done.err.splitlines() if "warning: group" in line]
    place = f"{groups.root}/benchrouter.yaml"
    assert warnings == [
        f"{place}:5: warning: group `quick`: no benchmark or group `helo` (did you mean `hello`?)",
        f"{place}:8: warning: group `big`: no benchmark or group `absent-one`, and 1 more like it",
        f"{place}:10: warning: group `big`: benchmark `hello` has no task `u`",
        f"{place}:12: warning: group `tasks`: benchmark `hello` has no task `u`",
    ]
    assert groups.run("bench=hello").status == 0


def test_the_place_is_that_of_the_file_that_counts(groups: Project) -> None:
    """The local file replaces a list, from another directory too; a member is never a path."""
    groups.write("benchrouter.local.yaml", "groups:\n  default:\n    - hello\n    - sub/hello\n")
    (groups.root / "sub").mkdir()
    (groups.root / "benchmarks" / "hello").rename(groups.root / "sub" / "hello")
    done = groups.doit("plan", "model=m")
    assert done.status == 2
    assert f"{groups.root}/benchrouter.local.yaml:4: group `default`: no benchmark or group `sub/hello`" in done.err


def test_an_empty_group_is_no_silent_success(groups: Project) -> None:
    """Exit 0 with nothing done would look like all done."""
    groups.write("benchrouter.yaml", "groups:\n  default: []\n")
    done = groups.doit("run", "model=m", "preflight=0")
    assert done.status == 2 and "benchrouter.yaml:2: group `default` is empty" in done.err
