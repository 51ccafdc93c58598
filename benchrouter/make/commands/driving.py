"""Calling a command of doit's kind from another program, as doit itself would from its command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from doit import doit_cmd
from doit.plugin import PluginDict

from benchrouter.make.loader import Loader

_CONFIG: Mapping[str, Any] = {
    "GLOBAL": {"backend": "none"},
    "BACKEND": {"none": "benchrouter.make.backend:NoDatabase"},
}


def drive(command: type[Any], words: Iterable[str], variables: Mapping[str, str]) -> int:
    """Execute a command with these options and names, in the current directory; return its exit status."""
    doit_cmd.reset_vars()
    for name, value in variables.items():
        doit_cmd.set_var(name, value)
    loader: Any = Loader()
    loader.config = dict(_CONFIG)
    loader.cmd_names = []
    made = command(task_loader=loader, config=dict(_CONFIG), bin_name="doit", cmds=PluginDict(), opt_vals={})
    status: int = made.parse_execute(list(words))
    return status
