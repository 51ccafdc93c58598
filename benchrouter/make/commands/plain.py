"""The shape of our commands that run nothing: no dodo.py to load, mistakes as messages."""

from __future__ import annotations

from typing import Any

from doit.cmd_base import Command

from benchrouter.make.commands.guard import guarded


class PlainCommand(Command):  # type: ignore[misc]
    """A doit command that answers from the session alone."""

    def execute(self, opt_values: Any, pos_args: list[str]) -> int:
        """Run the command; mistakes of the person become messages."""
        return guarded(lambda: self.answer(opt_values, pos_args))

    def answer(self, options: Any, args: list[str]) -> int:
        """Do what the command is for; return the exit status."""
        raise NotImplementedError
