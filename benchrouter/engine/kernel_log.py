"""The kernel's own word of a memory kill, where we may read it: the engine's can be late, or never come."""

from __future__ import annotations

import os

_LOG = "/dev/kmsg"
_RECORD = 8192


class KernelLog:
    """What the kernel says from now on; nothing where its log is closed to us or is another machine's.

    An engine hears of a memory kill through the control group, which is gone with the container: when that ends
    at once, the event can be lost. The form of the line is that of mm/oom_kill.c: `oom-kill:constraint=…,
    oom_memcg=/docker/<id>,…`.
    """

    def __init__(self) -> None:
        try:
            self._log = os.open(_LOG, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            os.lseek(self._log, 0, os.SEEK_END)
        except OSError:
            self._log = -1

    def killed_for_memory(self, container: str) -> bool:
        """Tell whether a process of this container (its full id) was killed at a memory limit since the last call."""
        found = False
        while self._log >= 0:
            try:
                record = os.read(self._log, _RECORD)
            except BrokenPipeError:  # records were overwritten before we came to them
                continue
            except OSError:
                break
            found = found or (b"oom-kill:" in record and container.encode() in record)
        return found

    def close(self) -> None:
        """Let go of the log; harmless when it was never had."""
        if self._log >= 0:
            os.close(self._log)
            self._log = -1
