"""The code of shipped benchmarks, imported as their tasks import it: from the directory that it lies in."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

from demo_scores import BENCHMARKS


def code_of(benchmark: str, name: str) -> ModuleType:
    """Import one module of a benchmark's `code/`, with its neighbours in reach, and leave no trace of them."""
    place = BENCHMARKS / benchmark / "code"
    neighbours = {path.stem for path in place.glob("*.py")}
    sys.path.insert(0, str(place))
    try:
        spec = importlib.util.spec_from_file_location(f"{benchmark}_{name}", place / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(place))
        for neighbour in neighbours:
            sys.modules.pop(neighbour, None)
    return module
