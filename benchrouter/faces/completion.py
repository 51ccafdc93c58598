"""What a shell offers after a tab: names that can be read cheaply, none when something is in the way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from benchrouter.store.workspace import Workspace

_FROM = re.compile(r"^FROM\s+(?:--\S+\s+)*([^\s$]+)", re.MULTILINE | re.IGNORECASE)


def benchmarks(incomplete: str) -> list[str]:
    """Offer the benchmarks of the workspace."""
    return _offered(_names("*/benchmark.yaml"), incomplete)


def bench(incomplete: str) -> list[str]:
    """Offer what BENCH may be to a run: benchmarks, groups, and after a slash tasks; of a list, for the last word."""
    names = _pairs("*/*/task.yaml") if "/" in _last(incomplete) else [*_names("*/benchmark.yaml"), *_groups()]
    return _of_list(names, incomplete)


def compared(incomplete: str) -> list[str]:
    """Offer what BENCH may be to what reads results: what has some, and groups; of a list, for the last word."""
    names = _with_results() if "/" in _last(incomplete) else [*_results("*", 1), *_groups()]
    return _of_list(names, incomplete)


def tasks(ctx: typer.Context, incomplete: str) -> list[str]:
    """Offer the tasks of the benchmarks that were typed, else of all; of a list, the last word is completed."""
    # An option that still lacks its value leaves the arguments unread.
    given = ctx.params.get("bench") or ctx.args
    words = ",".join([given] if isinstance(given, str) else given).split(",")
    typed = {word.partition("/")[0] for word in words}
    pairs = [pair.split("/") for pair in _pairs("*/*/task.yaml")]
    asked = [task for benchmark, task in pairs if benchmark in typed] or [task for _, task in pairs]
    return _of_list(asked, incomplete)


def models(incomplete: str) -> list[str]:
    """Offer the embedded models, those that are declared, and those with results; of a list, for the last word."""
    known = _cheaply(lambda ws: [*_declared(ws), *_models_of_results(ws)])
    return _of_list([*_embedded(), *known], incomplete)


def run_ids(incomplete: str) -> list[str]:
    """Offer the ids of runs, the newest first."""
    names = _cheaply(lambda ws: [path.stem for path in ws.runs.iterdir() if path.suffix in (".json", ".owner")])
    return sorted(_offered(names, incomplete), reverse=True)[:50]


def jobs(incomplete: str) -> list[str]:
    """Offer the tasks that have results, as BENCHMARK/TASK."""
    return _offered(_with_results(), incomplete)


def nodes(incomplete: str) -> list[str]:
    """Offer nodes by their names without a model, which mean every model that is asked."""
    found = [f"{kind}:{name}" for kind in ("job", "config") for name in _pairs("*/*/task.yaml")]
    found += [f"image:{name}" for name in _environments()]
    found += [f"aggregate:{name}" for name in _names("*/benchmark.yaml")]
    return _offered(found, incomplete)


def environments(incomplete: str) -> list[str]:
    """Offer the environments that benchmarks bring, as BENCHMARK/ENVIRONMENT, and those of the workspace."""
    return _offered([*_environments(), *_of_workspace()], incomplete)


def own_environments(incomplete: str) -> list[str]:
    """Offer the environments of the workspace."""
    return _offered(_of_workspace(), incomplete)


def refreshable(incomplete: str) -> list[str]:
    """Offer environments as BENCHMARK/ENVIRONMENT; of a list, the last word is completed."""
    return _of_list(_environments(), incomplete)


def images(incomplete: str) -> list[str]:
    """Offer the images in the archive."""

    def references(ws: Workspace) -> list[str]:
        from benchrouter.engine.archive import Archive

        return [entry.reference for entry, _ in Archive(ws).all()]

    return _offered(_cheaply(references), incomplete)


def bases(incomplete: str) -> list[str]:
    """Offer the base images that Dockerfiles name."""

    def found(ws: Workspace) -> list[str]:
        texts = (path.read_text("utf-8", "replace") for path in ws.benchmarks.glob("*/environments/*/Dockerfile"))
        names = {name for text in texts for name in _FROM.findall(text)}
        return sorted(name for name in names if name != "scratch" and not name.startswith("benchrouter-env-"))

    return _offered(_cheaply(found), incomplete)


def _cheaply(look: Callable[[Workspace], Iterable[str]]) -> list[str]:
    from benchrouter.store.workspace import Workspace

    try:
        return [*look(Workspace.find(Path.cwd()))]
    except Exception:  # whatever is wrong, a tab is no place to say so
        return []


def _offered(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in dict.fromkeys(names) if name.startswith(incomplete)]


def _of_list(names: Iterable[str], incomplete: str) -> list[str]:
    done, comma, last = incomplete.rpartition(",")
    return [f"{done}{comma}{name}" for name in _offered(names, last)]


def _last(incomplete: str) -> str:
    return incomplete.rpartition(",")[2]


def _names(pattern: str) -> list[str]:
    return _cheaply(lambda ws: sorted(path.parent.name for path in ws.benchmarks.glob(pattern)))


def _pairs(pattern: str) -> list[str]:
    return _cheaply(
        lambda ws: sorted(f"{path.parents[1].name}/{path.parent.name}" for path in ws.benchmarks.glob(pattern))
    )


def _results(pattern: str, parts: int) -> list[str]:
    return _cheaply(lambda ws: sorted({path.parts[-parts] for path in ws.results.glob(pattern) if path.is_dir()}))


def _with_results() -> list[str]:
    def found(ws: Workspace) -> list[str]:
        there = (path for path in ws.results.glob("*/*/*") if path.is_dir() and path.name != "aggregates")
        return sorted({f"{path.parents[1].name}/{path.name}" for path in there})

    return _cheaply(found)


def _groups() -> list[str]:
    def found(ws: Workspace) -> Iterable[str]:
        from benchrouter.spec.settings import load_plain_settings

        return load_plain_settings(ws.root)[0].data.get("groups") or ()

    return _cheaply(found)


def _environments() -> list[str]:
    pattern = "*/environments/*/Dockerfile"
    return _cheaply(
        lambda ws: sorted(f"{path.parents[2].name}/{path.parent.name}" for path in ws.benchmarks.glob(pattern))
    )


def _of_workspace() -> list[str]:
    return _cheaply(lambda ws: sorted(path.parent.name for path in ws.root.glob("environments/*/Dockerfile")))


def _embedded() -> Iterable[str]:
    from benchrouter.models.model import EMBEDDED

    return EMBEDDED


def _declared(ws: Workspace) -> Iterator[str]:
    from benchrouter.spec.settings import load_plain_settings

    yield from load_plain_settings(ws.root)[0].data.get("models") or ()


def _models_of_results(ws: Workspace) -> list[str]:
    """Name models by what the files of their scores say, since directories hold encoded names."""
    import json

    found = []
    for path in ws.results.glob("*/*/aggregate.json"):
        try:
            found.append(str(json.loads(path.read_bytes())["model_name"]))
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return sorted(set(found))
