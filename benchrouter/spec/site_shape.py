"""The shape of section `site` of benchrouter.yaml: what a machine or a lab sets, and texts without passwords."""

from __future__ import annotations

import re
from ipaddress import IPv4Network
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from benchrouter.spec import json_forms as forms
from benchrouter.spec.settings import SiteLimits
from benchrouter.spec.shapes import AtLeastOne, Count, Positive, Seconds, Shape, Size, Text, Variable

_DEFAULTS = SiteLimits()
_PASSWORD = re.compile(r"[a-z][a-z0-9+.-]*://[^/@\s]*:(?!\$\{)[^/@\s]+@", re.IGNORECASE)


def _url(value: Any) -> str:
    if not isinstance(value, str) or not re.match(r"https?://[^/\s]+", value):
        raise ValueError("expected a URL that starts with http:// or https://")
    return _without_password(value)


def _range(value: Any) -> str:
    """Read a range of IPv4 addresses in which many small networks fit."""
    try:
        network = IPv4Network(value) if isinstance(value, str) else None
    except ValueError:
        network = None
    if network is None or network.prefixlen > 24:
        raise ValueError("expected a private range such as `10.231.0.0/16`, /24 or wider")
    return str(network)


def _without_password(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("expected text")
    if _PASSWORD.match(value):
        raise ValueError("a password must not stand here; put it into a variable and write ${NAME}")
    return value


def _joined(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    if not all(isinstance(item, str) for item in value):
        raise ValueError("expected text, or a list of texts")
    return ",".join(value)


def _mirrors(value: Any) -> Any:
    if isinstance(value, str | list):
        return {"docker.io": [value] if isinstance(value, str) else value}
    if isinstance(value, dict):
        return {host: [urls] if isinstance(urls, str) else urls for host, urls in value.items()}
    return value


Url = Annotated[str, BeforeValidator(_url), WithJsonSchema(forms.URL)]
Range = Annotated[str, BeforeValidator(_range), WithJsonSchema(forms.RANGE)]
Place = Annotated[str, BeforeValidator(_without_password), WithJsonSchema(forms.PLACE)]
_PLACES = forms.one_or_more(forms.PLACE)


class CredentialsShape(Shape):
    """Where a registry's credentials come from."""

    username_env: Variable
    password_env: Variable


class ProxiesShape(Shape):
    """Proxies for builds, pulls and jobs."""

    http: Place | None = None
    https: Place | None = None
    no_proxy: Annotated[
        str | None,
        BeforeValidator(_joined, json_schema_input_type=str | list[str] | None),
    ] = None


class LimitsShape(Shape):
    """Limits where a task sets none, and what is kept."""

    memory: Size = _DEFAULTS.memory
    dind_memory: Size = _DEFAULTS.dind_memory
    sidecar_reserve: Size = _DEFAULTS.sidecar_reserve
    cpus: Positive = _DEFAULTS.cpus
    pids: AtLeastOne = _DEFAULTS.pids
    log_bytes: Size = _DEFAULTS.log_bytes
    output_bytes: Size = _DEFAULTS.output_bytes
    output_files: AtLeastOne = _DEFAULTS.output_files
    free_disk: Size = _DEFAULTS.free_disk
    seed_bytes: Size = _DEFAULTS.seed_bytes
    keep_failed: Count = _DEFAULTS.keep_failed
    keep_runs: AtLeastOne = _DEFAULTS.keep_runs
    retries: Count = _DEFAULTS.retries
    endpoint_failures: AtLeastOne = _DEFAULTS.endpoint_failures
    endpoint_patience: Seconds = _DEFAULTS.endpoint_patience
    engine_patience: Seconds = _DEFAULTS.engine_patience


class SiteShape(Shape):
    """Facts of this machine or lab."""

    engine: Place | None = Field(
        default=None, description="Address of the engine, e.g. unix:///var/run/docker.sock."
    )
    registry_mirrors: Annotated[
        dict[str, list[Place]],
        BeforeValidator(_mirrors),
        WithJsonSchema(
            {"anyOf": [_PLACES, {"type": "object", "additionalProperties": _PLACES}]},
        ),
    ] = Field(default_factory=dict)
    registry_credentials: dict[str, CredentialsShape] = Field(default_factory=dict)
    image_aliases: dict[str, Text] = Field(
        default_factory=dict, description="Reference as written: image to use instead."
    )
    ca_bundle: Text | None = Field(default=None, description="PEM file; relative to the workspace.")
    proxies: ProxiesShape = Field(default_factory=ProxiesShape)
    pip_index_url: Url | None = None
    apt_mirror: Url | None = None
    build_network: Text | None = None
    networks: Range = "10.231.0.0/16"
    build_parallel: AtLeastOne = 2
    build_timeout: Seconds = 3600.0
    limits: LimitsShape = Field(default_factory=LimitsShape)
