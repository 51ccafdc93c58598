"""What a task may import inside its container: Python 3.7 and up, standard library only, all optional."""

from benchrouter.sdk.endpoint import EndpointError, chat, complete
from benchrouter.sdk.items import write_items
from benchrouter.sdk.many import each
from benchrouter.sdk.reading import text_of, tokens_of, without_thoughts
from benchrouter.sdk.result import write_result
from benchrouter.sdk.selection import select, whole

__all__ = [
    "EndpointError",
    "chat",
    "complete",
    "each",
    "select",
    "text_of",
    "tokens_of",
    "whole",
    "without_thoughts",
    "write_items",
    "write_result",
]
