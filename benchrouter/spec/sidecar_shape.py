"""The shape of one entry of `sidecars:`, a Compose service; other keys that Compose knows pass through."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, WithJsonSchema

from benchrouter.spec import json_forms as forms
from benchrouter.spec import values
from benchrouter.spec.shapes import Count, Image, Name, Scalar, Shape, Texts, strings
from benchrouter.spec.sidecar_keys import OURS, REFUSED, passes
from benchrouter.spec.yamlfile import Document, KeyPath


def _duration(value: Any) -> str:
    try:
        values.seconds(value)
    except ValueError:
        if value not in (0, "0", "0s"):
            raise ValueError("expected a duration such as `5s`, `1m30s` or `500ms`") from None
    text = str(value).strip()
    return text if text[-1].isalpha() else f"{text}s"


Assignment = Annotated[str, WithJsonSchema(forms.ASSIGNMENT)]


def _environment(value: Any) -> Any:
    if isinstance(value, list):
        bad = [item for item in value if not isinstance(item, str) or "=" not in item]
        if bad:
            raise ValueError("expected `NAME: value` lines, or a list of `NAME=value`")
        return dict(item.split("=", 1) for item in value)
    return value


def _command(value: Any) -> Any:
    if isinstance(value, str) or (isinstance(value, list) and all(isinstance(v, str) for v in value)):
        return value
    raise ValueError("expected text or a list of texts")


def _ports(value: Any) -> Any:
    if isinstance(value, list) and all(
        isinstance(item, str | int | dict) and not isinstance(item, bool) for item in value
    ):
        return [item if isinstance(item, dict) else str(item) for item in value]
    raise ValueError("expected a list of ports, such as `5432` or `8080:80`")


def _depends_on(value: Any) -> Any:
    if isinstance(value, dict) or (isinstance(value, list) and all(isinstance(v, str) for v in value)):
        return value
    raise ValueError("expected a list of sidecars, or a mapping as in Compose")


Duration = Annotated[str, BeforeValidator(_duration), WithJsonSchema(forms.DURATION)]
Command = Annotated[Any, BeforeValidator(_command, json_schema_input_type=str | list[str])]


class HealthShape(Shape):
    """When a sidecar counts as healthy; Docker's own semantics."""

    test: Command | None = None
    interval: Duration | None = None
    timeout: Duration | None = None
    retries: Count | None = None
    start_period: Duration | None = None
    start_interval: Duration | None = None
    disable: bool | None = None


class SidecarShape(Shape):
    """A service beside the task."""

    model_config = ConfigDict(
        extra="allow",
        strict=True,
        frozen=True,
        json_schema_extra={**forms.one_of("image", "build"), **forms.without(*sorted(REFUSED))},
    )

    name: Name = Field(description="Host name of the service.")
    image: Image | None = None
    build: Name | None = Field(default=None, description="Environment whose image the service runs.")
    environment: Annotated[
        dict[str, Scalar], BeforeValidator(_environment, json_schema_input_type=dict[str, Scalar] | list[Assignment])
    ] = Field(default_factory=dict)
    ports: Annotated[
        list[Any], BeforeValidator(_ports, json_schema_input_type=list[str | int | dict[str, Any]])
    ] = Field(default_factory=list)
    healthcheck: HealthShape | None = None
    post_start: Texts = Field(
        default_factory=list, description="Commands run inside the healthy service, in order."
    )
    command: Command | None = None
    volumes: list[Any] = Field(default_factory=list)
    shm_size: Scalar | None = None
    depends_on: Annotated[
        Any, BeforeValidator(_depends_on, json_schema_input_type=list[str] | dict[str, Any])
    ] = None


def to_sidecars(document: Document, shapes: list[SidecarShape]) -> tuple[dict[str, Any], ...]:
    """Make plain Compose-like mappings."""
    return tuple(_sidecar(document, ("sidecars", index), shape) for index, shape in enumerate(shapes))


def _sidecar(document: Document, path: KeyPath, shape: SidecarShape) -> dict[str, Any]:
    given = shape.model_dump(exclude_unset=True)
    data = {key: value for key, value in given.items() if value is not None and (key in OURS or passes(key))}
    if shape.healthcheck:
        data["healthcheck"] = shape.healthcheck.model_dump(exclude_unset=True)
    if document.text((*path, "environment", 0)) is None:
        data["environment"] = strings(document, (*path, "environment"), shape.environment)
    if not data["environment"]:
        del data["environment"]
    if shape.shm_size is not None:
        data["shm_size"] = document.text((*path, "shm_size"))
    return data
