"""One list of commands for every workspace."""

from __future__ import annotations

import tomllib
from configparser import ConfigParser
from pathlib import Path

from benchrouter.make import workspace_files
from benchrouter.make.workspace_files import configuration

PYPROJECT = Path(__file__).parents[3] / "pyproject.toml"


def test_a_workspace_elsewhere_has_the_commands_of_this_one() -> None:
    """The list stood in three places, of which two were behind; the repository's own adds what is for its tests."""
    ours = tomllib.loads(PYPROJECT.read_text())["tool"]["doit"]
    elsewhere = ConfigParser()
    elsewhere.read_string(configuration())
    for name in ("test", "perf", "soak"):
        del ours["plugins"]["command"][name]
    assert dict(elsewhere["COMMAND"]) == ours["plugins"]["command"]
    assert dict(elsewhere["GLOBAL"]) == {name: ours[name] for name in ("backend", "loader")}
    for kind in ("loader", "backend"):
        assert dict(elsewhere[kind.upper()]) == ours["plugins"][kind]


def test_a_wheel_carries_the_graph_where_it_is_looked_for(repository: Path) -> None:
    """`init` works after a plain installation, where no checkout is around."""
    settings = tomllib.loads((repository / "pyproject.toml").read_text())
    wheel = settings["tool"]["hatch"]["build"]["targets"]["wheel"]
    carried = wheel["force-include"]["dodo.py"]
    assert repository / carried == workspace_files.PLACES[0]
