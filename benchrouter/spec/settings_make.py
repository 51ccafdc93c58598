"""From checked settings to `Settings`: environment variables filled in, nothing that needs a YAML library."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchrouter.spec.problems import Problem
from benchrouter.spec.settings import (
    Binding,
    CacheSettings,
    Credentials,
    ModelSettings,
    PlainSettings,
    Proxies,
    Settings,
    Site,
    SiteLimits,
    place_of,
)

_PLACEHOLDER = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def make_settings(
    plain: PlainSettings, root: Path, environ: Mapping[str, str]
) -> tuple[Settings, list[Problem]]:
    """Make settings; every `${NAME}` that is not set is a problem, and nothing in its place."""
    if not plain.data:
        return Settings(), []
    problems: list[Problem] = []
    site = _expanded(plain.data["site"], "site", plain, environ, problems)
    made = Settings(
        groups={name: tuple(entries) for name, entries in plain.data["groups"].items()},
        models={name: _model(name, given or {}) for name, given in plain.data["models"].items()},
        pass_env=tuple(dict.fromkeys(plain.data["pass_env"])),
        data={name: _binding(given or {}, root) for name, given in plain.data["data"].items()},
        cache=CacheSettings(**plain.data["cache"]),
        site=_site(site, root),
        places=plain.places,
        groups_known=plain.groups_known,
    )
    return made, problems


def _expanded(
    value: Any, path: str, plain: PlainSettings, environ: Mapping[str, str], problems: list[Problem]
) -> Any:
    """Replace `${NAME}` in every text below `site`."""
    if isinstance(value, dict):
        return {k: _expanded(v, f"{path}/{k}", plain, environ, problems) for k, v in value.items()}
    if isinstance(value, list):
        return [_expanded(v, f"{path}/{i}", plain, environ, problems) for i, v in enumerate(value)]
    if not isinstance(value, str) or "${" not in value:
        return value
    for name in _PLACEHOLDER.findall(value):
        if name not in environ:
            message = f"`{path.replace('/', '.')}`: the variable {name} is not set"
            problems.append(Problem(*place_of(plain.places, path), message))
    return _PLACEHOLDER.sub(lambda match: environ.get(match[1], ""), value)


def _model(name: str, given: Mapping[str, Any]) -> ModelSettings:
    return ModelSettings(name=name, **given)


def _binding(given: Mapping[str, Any], root: Path) -> Binding:
    return Binding(_place(given.get("path"), root), given.get("identity"))


def _place(path: str | None, root: Path) -> Path | None:
    """Find a path as a settings file writes it: relative to the workspace, `~` is the caller's home."""
    return (root / Path(path).expanduser()).absolute() if path else None


def _site(given: Mapping[str, Any], root: Path) -> Site:
    plain = dict(given)
    return Site(
        registry_mirrors={host: tuple(urls) for host, urls in plain.pop("registry_mirrors").items()},
        registry_credentials={
            host: Credentials(**names) for host, names in plain.pop("registry_credentials").items()
        },
        ca_bundle=_place(plain.pop("ca_bundle"), root),
        proxies=Proxies(**plain.pop("proxies")),
        limits=SiteLimits(**plain.pop("limits")),
        **plain,
    )
