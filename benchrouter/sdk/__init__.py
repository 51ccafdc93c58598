"""What a task may import inside its container: Python 3.7 and up, standard library only, all optional."""

from benchrouter.sdk.endpoint import EndpointError, chat
from benchrouter.sdk.result import write_result

__all__ = ["EndpointError", "chat", "write_result"]
