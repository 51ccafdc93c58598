"""What doit itself would say of a command line that it cannot read: one line instead, and exit status 2."""

from __future__ import annotations

import re
from getopt import GetoptError, gnu_getopt
from typing import Any

from doit.cmdparse import CmdParse, CmdParseError
from doit.exceptions import InvalidCommand, InvalidDodoFile, InvalidTask

from benchrouter.make.commands.guard import USAGE
from benchrouter.make.nodes import no_node
from benchrouter.make.voice import complain
from benchrouter.spec.names import did_you_mean

_NO_TASK = re.compile(r"'(.+)' is not a task\.")


class ReadsWithCare:
    """To be mixed into a command of doit's or ours, before it: mistakes in its words are said by us."""

    name: str
    cmdparser: CmdParse
    loader: Any

    def parse_execute(self, in_args: list[str]) -> int:
        """Parse the command line and execute the command."""
        try:
            status: int = super().parse_execute(in_args)  # type: ignore[misc]
            return status
        except CmdParseError as error:
            what = _of_option(self.cmdparser, in_args, error)
            message = f"{self.name}: {what}; `doit help {self.name}` lists the options"
        except InvalidCommand as error:
            message = f"{self.name}: {self._of_name(error)}"
        except (InvalidDodoFile, InvalidTask) as error:
            message = str(error).strip()
        complain(message)
        return USAGE

    def _of_name(self, error: InvalidCommand) -> str:
        """Say which name is wrong, with the nearest; what else doit finds fault with stays as it says it."""
        quoted = _NO_TASK.fullmatch(str(error)) if error.not_found is None else None
        word = error.not_found or (quoted[1] if quoted else "")
        if not word:
            return _flat(error)
        commands = self.loader.cmd_names
        return no_node(word, [task.name for task in getattr(self, "task_list", ())], commands)


def _of_option(parser: CmdParse, words: list[str], error: CmdParseError) -> str:
    """Say which option is wrong, and what was expected."""
    known = [*(f"-{letter}" for letter in parser.get_short().replace(":", ""))]
    known += [f"--{name.rstrip('=')}" for name in parser.get_long()]
    cause = error.__context__
    if isinstance(cause, GetoptError):
        given = f"-{cause.opt}" if len(cause.opt) == 1 else f"--{cause.opt}"
        if "not recognized" in cause.msg:
            return f"no option {given}{did_you_mean(given, known)}"
        return f"{cause.msg}"
    for given, value in gnu_getopt(words, parser.get_short(), parser.get_long())[0]:
        option: Any = parser.get_option(given)[0]
        try:
            option.str2type(value)
        except CmdParseError:
            if option.type is int:
                return f"{given} {value}: expected a whole number"
    return _flat(error)


def _flat(error: Exception) -> str:
    return " ".join(str(error).split())
