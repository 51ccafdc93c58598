"""BenchRouter: runs LLM benchmarks exactly as their authors wrote them, and only what has to run.

From Python: `plan`, `run`, `start`, `results`, `compare`, `rewards` (docs/python.md). Importing this costs nothing;
each of them is imported when it is used.
"""

TYPE_CHECKING = False  # as checkers know it; to import typing would cost more than all of this

if TYPE_CHECKING:
    from benchrouter.faces.python.calling import CommandError
    from benchrouter.faces.python.reading import compare, results, rewards
    from benchrouter.faces.python.running import plan, run, start
    from benchrouter.scores.problems import ScoresError
    from benchrouter.store.problems import StoreError

__version__ = "0.5.0"

CONTRACT = 1
"""Version of the contract with a task; part of every job's key, raised only when results could change."""

__all__ = [
    "CommandError",
    "ScoresError",
    "StoreError",
    "compare",
    "plan",
    "results",
    "rewards",
    "run",
    "start",
]

_PLACES = {
    "CommandError": "benchrouter.faces.python.calling",
    "ScoresError": "benchrouter.scores.problems",
    "StoreError": "benchrouter.store.problems",
    "compare": "benchrouter.faces.python.reading",
    "plan": "benchrouter.faces.python.running",
    "results": "benchrouter.faces.python.reading",
    "rewards": "benchrouter.faces.python.reading",
    "run": "benchrouter.faces.python.running",
    "start": "benchrouter.faces.python.running",
}


if not TYPE_CHECKING:  # a checker shall not take any name for one of ours

    def __getattr__(name: str) -> object:
        if name not in _PLACES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})
