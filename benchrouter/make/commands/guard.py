"""What every command does with a mistake of the person: one clear message and exit status 2, never a traceback."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable

from benchrouter.make.variables import UsageError
from benchrouter.make.voice import complain, program
from benchrouter.models.model import ModelError
from benchrouter.spec.problems import SpecError
from benchrouter.store.problems import StoreError

OK, NOT_ALL_COMPLETED, USAGE, INTERRUPTED = 0, 1, 2, 130


def guarded(command: Callable[[], int]) -> int:
    """Run a command; turn mistakes into messages on stderr, and a closed pipe into a quiet end."""
    try:
        status = command()
        sys.stdout.flush()
        return status
    except (UsageError, ModelError, SpecError, StoreError) as error:
        complain(str(error))
        return USAGE
    except BrokenPipeError:
        # The reader is gone; what is still buffered must not raise again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NOT_ALL_COMPLETED
    except OSError as error:
        if error.filename is None:
            raise
        if error.errno == errno.EROFS:
            looks = "plan, explain, compare, export, gate, eval and logs only read"
            complain(f"{error.filename} cannot be written: {error.strerror}; {looks}")
            return USAGE
        why = "; a run writes to its workspace" if program() == "doit" else ""
        complain(f"{error.filename}: {error.strerror}{why}")
        return USAGE
    except KeyboardInterrupt:
        return INTERRUPTED
    except RuntimeError as error:
        # Before Python 3.12 this is what becomes of all that is raised while a class names its fields.
        if not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        return INTERRUPTED
