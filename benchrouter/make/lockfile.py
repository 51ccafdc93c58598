"""benchrouter.lock: how often each environment was refreshed; meant to be committed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from benchrouter.spec.problems import Problem, SpecError
from benchrouter.store.atomic import write_atomic

FILE = "benchrouter.lock"


def read_epochs(root: Path) -> dict[str, int]:
    """Read the epochs by `<benchmark>/<environment>`; raise SpecError for a file that is not ours any more."""
    path = root / FILE
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError((Problem(str(path), None, f"cannot be read: {error}"),)) from None
    try:
        epochs = json.loads(text)["epochs"]
        if all(isinstance(name, str) and type(count) is int and count >= 0 for name, count in epochs.items()):
            return dict(epochs)
    except json.JSONDecodeError as error:
        raise SpecError((Problem(str(path), error.lineno, f"not JSON: {error.msg}"),)) from None
    except (KeyError, TypeError, AttributeError):
        pass
    raise SpecError((Problem(str(path), 1, 'expected {"epochs": {"<benchmark>/<environment>": <number>}}'),))


def write_epochs(root: Path, epochs: Mapping[str, int]) -> None:
    """Write the epochs, sorted, so that the file merges well."""
    text = json.dumps({"epochs": dict(sorted(epochs.items()))}, indent=2) + "\n"
    write_atomic(root / FILE, text.encode())
