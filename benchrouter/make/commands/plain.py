"""The shape of our commands that run nothing: no dodo.py to load, mistakes as messages."""

from __future__ import annotations

from getopt import GetoptError, gnu_getopt
from typing import Any

from doit.cmd_base import Command

from benchrouter.make.commands.guard import NOT_ALL_COMPLETED, OK, guarded
from benchrouter.make.commands.mistakes import ReadsWithCare
from benchrouter.make.interruption import output_is_lost


class PlainCommand(ReadsWithCare, Command):  # type: ignore[misc]
    """A doit command that answers from the session alone."""

    def parse_execute(self, in_args: list[str]) -> int:
        """Parse the command line; options may stand behind names, which doit itself would take for names too."""
        status: int = super().parse_execute(self._options_first(in_args))
        return status

    def _options_first(self, words: list[str]) -> list[str]:
        parser = self.cmdparser
        try:
            options, names = gnu_getopt(words, parser.get_short(), parser.get_long())
        except GetoptError:
            return words  # said when they are parsed
        valued = {f"--{name}" for name in parser.get_long() if name.endswith("=")}
        first = [f"{name}={value}" if f"{name}=" in valued else f"{name}{value}" for name, value in options]
        return [*first, "--", *names]

    def execute(self, opt_values: Any, pos_args: list[str]) -> int:
        """Run the command; mistakes of the person become messages."""
        status = guarded(lambda: self.answer(opt_values, pos_args))
        return NOT_ALL_COMPLETED if status == OK and output_is_lost() else status

    def answer(self, options: Any, args: list[str]) -> int:
        """Do what the command is for; return the exit status."""
        raise NotImplementedError
