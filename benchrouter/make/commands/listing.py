"""doit's own commands that list nodes and explain commands: theirs, but for what they say of a mistake."""

from __future__ import annotations

from doit.cmd_help import Help as DoitHelp
from doit.cmd_info import Info as DoitInfo
from doit.cmd_list import List as DoitList
from doit.exceptions import InvalidCommand

from benchrouter.make.commands.guard import NOT_ALL_COMPLETED, OK, guarded
from benchrouter.make.commands.mistakes import ReadsWithCare
from benchrouter.make.interruption import output_is_lost


class _Printing(ReadsWithCare):
    def parse_execute(self, in_args: list[str]) -> int:
        """Execute the command; mistakes in files and words become messages, what was not printed is no success."""
        read = super().parse_execute
        status = guarded(lambda: read(in_args))
        return NOT_ALL_COMPLETED if status == OK and output_is_lost() else status


class Help(_Printing, DoitHelp):  # type: ignore[misc]
    """Shows the commands, or one of them."""

    def _execute(self, pos_args: list[str]) -> bool:
        if not super()._execute(pos_args):
            raise InvalidCommand(not_found=pos_args[0])
        return True


class Info(_Printing, DoitInfo):  # type: ignore[misc]
    """Shows what doit knows of a node."""

    def _execute(self, pos_args: list[str], hide_status: bool = False) -> int:
        if len(pos_args) == 1 and pos_args[0] not in {task.name for task in self.task_list}:
            raise InvalidCommand(not_found=pos_args[0])
        status: int = super()._execute(pos_args, hide_status)
        return status


class List(_Printing, DoitList):  # type: ignore[misc]
    """Lists the nodes."""
