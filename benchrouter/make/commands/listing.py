"""doit's own commands that list nodes and explain commands: theirs, but for what they say of a mistake."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from doit.cmd_help import Help as DoitHelp
from doit.cmd_info import Info as DoitInfo
from doit.cmd_list import List as DoitList
from doit.exceptions import InvalidCommand

from benchrouter.make.commands.guard import NOT_ALL_COMPLETED, OK, guarded
from benchrouter.make.commands.mistakes import ReadsWithCare
from benchrouter.make.interruption import output_is_lost
from benchrouter.make.nodes import in_own_words


class _Printing(ReadsWithCare):
    task_list: Iterable[Any]

    def parse_execute(self, in_args: list[str]) -> int:
        """Execute the command; mistakes in files and words become messages, what was not printed is no success."""
        read = super().parse_execute
        status = guarded(lambda: read(in_args))
        return NOT_ALL_COMPLETED if status == OK and output_is_lost() else status

    def own_words(self, words: list[str]) -> list[str]:
        """Give names of nodes in the spelling that doit knows."""
        if not any(":" in word for word in words):
            return words
        from benchrouter.make.session import current

        return in_own_words(words, [task.name for task in self.task_list], current().variables.models)


class Help(_Printing, DoitHelp):  # type: ignore[misc]
    """Shows the commands, or one of them."""

    def _execute(self, pos_args: list[str]) -> bool:
        if not super()._execute(pos_args):
            raise InvalidCommand(not_found=pos_args[0])
        return True


class Info(_Printing, DoitInfo):  # type: ignore[misc]
    """Shows what doit knows of a node."""

    def _execute(self, pos_args: list[str], hide_status: bool = False) -> int:
        pos_args = self.own_words(pos_args)
        if len(pos_args) == 1 and pos_args[0] not in {task.name for task in self.task_list}:
            raise InvalidCommand(not_found=pos_args[0])
        status: int = super()._execute(pos_args, hide_status)
        return status


class List(_Printing, DoitList):  # type: ignore[misc]
    """Lists the nodes."""

    def _list_filtered(self, tasks: Any, filter_tasks: list[str], include_subtasks: bool) -> Any:
        return super()._list_filtered(tasks, self.own_words(filter_tasks), include_subtasks)
