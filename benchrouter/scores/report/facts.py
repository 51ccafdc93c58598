"""Where scores came from, in lines for people: images and digests, versions, commits, models (pure but for reading)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchrouter.scores.collected import JobResult

_SHOWN = 12


def facts_of(jobs: Sequence[JobResult]) -> dict[str, tuple[str, ...]]:
    """Collect the distinct facts of jobs under names in a fixed order; those that nobody has are left out."""
    found: dict[str, dict[str, None]] = {}
    for job in jobs:
        for name, fact in _facts(job.inputs, job.provenance() if job.directory else {}):
            if fact:
                found.setdefault(name, {})[fact] = None
    return {name: _few(tuple(found[name])) for name in _ORDER if name in found}


_ORDER = (
    "model", "image", "base", "BenchRouter", "contract", "engine", "Compose", "daemon", "Python", "git commit",
    "variables", "seed", "data", "templates", "run",
)  # fmt: skip


def _facts(inputs: Mapping[str, Any], provenance: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "model", _pairs(inputs.get("model"))
    yield from (("image", text) for text in _images(inputs, provenance))
    yield from (("base", text) for text in _bases(provenance.get("bases")))
    yield "BenchRouter", _text(provenance.get("benchrouter"))
    yield "contract", _text(inputs.get("contract"))
    yield "engine", _pairs(provenance.get("engine"))
    yield "Compose", _text(provenance.get("compose"))
    yield "daemon", _pairs(provenance.get("daemon"))
    yield "Python", _text(provenance.get("python"))
    yield "git commit", _commit(provenance.get("git"))
    yield "variables", _pairs(inputs.get("variables"))
    yield "seed", _text(inputs.get("seed"))
    for name, data in _mapping(provenance.get("data")).items():
        yield "data", f"{name}: {_text(_mapping(data).get('identity'))}"  # not where it lies: that is this machine's
    yield "templates", _pairs(inputs.get("templates"))
    yield "run", _text(provenance.get("run_id"))


def _images(inputs: Mapping[str, Any], provenance: Mapping[str, Any]) -> Iterator[str]:
    image, container = _mapping(inputs.get("image")), _mapping(provenance.get("container"))
    words = [_text(image.get("environment")), f"key {_text(image.get('key'))}" if image.get("key") else ""]
    words.append(f"id {container['image_id']}" if container.get("image_id") else "")
    words += [_text(digest) for digest in _list(container.get("image_digests"))]
    yield " · ".join(word for word in words if word)


def _bases(bases: Any) -> Iterator[str]:
    for ref, base in _mapping(bases).items():
        base = _mapping(base)
        used, source = _text(base.get("used")), _text(base.get("from"))
        words = [ref if used in ("", ref) else f"{ref} stood in for by {used}", f"from {source}" if source else ""]
        words += [f"id {base['id']}"] if base.get("id") else []
        yield " · ".join(word for word in (*words, *map(_text, _list(base.get("digests")))) if word)


def _commit(git: Any) -> str:
    known = _mapping(git)
    commit = _text(known.get("commit"))
    return f"{commit}, with changes that are not committed" if commit and known.get("dirty") else commit


def _pairs(value: Any) -> str:
    told = ((name, each) for name, each in _mapping(value).items() if each not in (None, "", {}, []))
    return ", ".join(f"{name}={_text(each)}" for name, each in told)


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _few(facts: tuple[str, ...]) -> tuple[str, ...]:
    return facts if len(facts) <= _SHOWN else (*facts[:_SHOWN], f"and {len(facts) - _SHOWN} more")
