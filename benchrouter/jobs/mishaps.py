"""What went wrong around a task and is not its fault: errors of the system, and errors of ours."""

from __future__ import annotations

import errno
import traceback
from collections.abc import Callable
from pathlib import Path

from benchrouter.jobs.ending import Conclusion
from benchrouter.jobs.redact import Redactor
from benchrouter.store.states import Reason

INTERNAL_LOG = "internal-error.log"
_SHORT_OF_HANDLES = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN}


def quietly(action: Callable[[], object]) -> None:
    """Do what helps if it succeeds."""
    try:
        action()
    except OSError:
        pass


def of_os_error(error: OSError) -> tuple[Reason, str]:
    """Tell what an error of the system means for a job: a reason and one line for people."""
    where = f" ({error.filename})" if error.filename else ""
    if error.errno == errno.ENOSPC:
        return Reason.DISK, f"the disk of the workspace is full: {error.strerror}"
    if error.errno in _SHORT_OF_HANDLES:
        return Reason.ENGINE, f"this machine is short of resources: {error.strerror}{where}; lower -n"
    return Reason.DISK, f"{error.strerror or error}{where}"


def of_internal_error(error: Exception, logs: Path, redactor: Redactor) -> Conclusion:
    """End an attempt over which we stumbled ourselves: what it left is kept, with our traceback beside its logs.

    Another attempt would stumble likewise, and cost what the first one has.
    """
    told = "".join(traceback.format_exception(error)).encode("utf-8", "backslashreplace")
    quietly(lambda: (logs / INTERNAL_LOG).write_bytes(redactor.scrub(told)))
    what = ascii(f"{type(error).__name__}: {error}")[1:-1][:200]
    detail = f"internal error, please report it: {what} (logs/{INTERNAL_LOG} says where)"
    return Conclusion(reason=Reason.ENGINE, detail=detail, final=True)
