"""benchrouter.lock: the epoch in which each environment was last refreshed; meant to be committed.

An epoch is unique, not a count: two clones that refresh on their own must not mean the same image by it.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Mapping
from pathlib import Path

from benchrouter.spec.inputs import read_input
from benchrouter.spec.problems import Problem, SpecError
from benchrouter.store.atomic import write_atomic

FILE = "benchrouter.lock"


def read_epochs(root: Path) -> dict[str, str]:
    """Read the epochs by `<benchmark>/<environment>`; raise SpecError for a file that is not ours any more."""
    path = root / FILE
    try:
        text = read_input(path).decode()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise SpecError((Problem(str(path), None, f"cannot be read: {error.strerror}"),)) from None
    except UnicodeDecodeError as error:
        raise SpecError((Problem(str(path), None, f"not UTF-8: {error.reason} at byte {error.start}"),)) from None
    try:
        epochs = json.loads(text)["epochs"]
        if all(isinstance(name, str) and isinstance(epoch, str) for name, epoch in epochs.items()):
            return dict(epochs)
    except json.JSONDecodeError as error:
        raise SpecError((Problem(str(path), error.lineno, f"not JSON: {error.msg}"),)) from None
    except (KeyError, TypeError, AttributeError):
        pass
    raise SpecError((Problem(str(path), 1, 'expected {"epochs": {"<benchmark>/<environment>": "<epoch>"}}'),))


def new_epoch() -> str:
    """Make an epoch that nobody used before; people read the time in it."""
    return time.strftime("%Y%m%dt%H%M%Sz", time.gmtime()) + "-" + secrets.token_hex(4)


def write_epochs(root: Path, epochs: Mapping[str, str]) -> None:
    """Write the epochs, sorted, so that the file merges well."""
    text = json.dumps({"epochs": dict(sorted(epochs.items()))}, indent=2) + "\n"
    write_atomic(root / FILE, text.encode())
