"""Who is asked: from a model's name to its endpoint, key, parameters and identity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from benchrouter.spec.names import did_you_mean

if TYPE_CHECKING:
    from benchrouter.spec.settings import ModelSettings, Settings

DEMO = "demo"
SMOLLM2 = "smollm2"
EMBEDDED = (DEMO, SMOLLM2)
NO_KEY = "EMPTY"
ENDPOINT_VARIABLE = "BENCHROUTER_MODEL_ENDPOINT"
KEY_VARIABLE = "OPENAI_API_KEY"


class ModelError(Exception):
    """A model that cannot be used as it is given; the message says what to do."""


@dataclass(frozen=True)
class Model:
    """A model and how it is reached.

    `id` is what the endpoint is called with; `endpoint` is a base URL without a slash at its end, or None
    when nobody gave one; `identity` is the model's part of a job's key and holds no secret.
    """

    name: str
    id: str
    endpoint: str | None = None
    api_key: str = field(default=NO_KEY, repr=False)
    api_key_env: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    identity: Mapping[str, Any] = field(default_factory=dict)
    max_concurrency: int | None = None
    embedded: bool = False

    @property
    def has_key(self) -> bool:
        """Tell whether a key was given."""
        return self.api_key != NO_KEY


def resolve(name: str, settings: Settings, environ: Mapping[str, str]) -> Model:
    """Find a model: embedded, declared in benchrouter.yaml, or given by environment variables.

    A missing endpoint is no error here, so that plans and up-to-date runs need none.
    Raises ModelError for a name, an endpoint or a key that cannot work.
    """
    if not name.strip():
        raise ModelError("the model's name is empty; type model=NAME, for example model=demo")
    declared = settings.models.get(name)
    if name == DEMO:
        if declared is not None:
            raise ModelError(
                f"{_place(settings, name)}: `models.demo`: `demo` is the embedded model; choose another name"
            )
        return Model(name=DEMO, id=DEMO, embedded=True, identity={"name": DEMO})
    if name == SMOLLM2:
        return _smollm2(declared, settings)
    return _from_environment(name, environ) if declared is None else _from_settings(declared, settings, environ)


def _smollm2(declared: ModelSettings | None, settings: Settings) -> Model:
    """Give the embedded model with the parameters that benchrouter.yaml may set; it needs nothing else."""
    from benchrouter.models.smollm2.pins import identity, platform_name

    foreign = [word for word in ("endpoint", "id", "api_key_env") if declared and getattr(declared, word)]
    if foreign:
        raise ModelError(
            f"{_place(settings, SMOLLM2, foreign[0])}: `models.{SMOLLM2}.{foreign[0]}`: `{SMOLLM2}` is an embedded "
            "model, which takes `parameters`, `revision` and `max_concurrency` only; choose another name"
        )
    parameters = dict(declared.parameters) if declared else {}
    return Model(
        name=SMOLLM2,
        id=SMOLLM2,
        embedded=True,
        parameters=parameters,
        identity=identity(parameters, declared.revision if declared else None, platform_name()),
        max_concurrency=declared.max_concurrency if declared else None,
    )


def no_endpoint(name: str, known: Iterable[str] = ()) -> str:
    """Say that nobody gave a model's endpoint, and what to set; `known` are names that may have been meant."""
    return (
        f"no endpoint for `{name}`{did_you_mean(name, known)}: set {ENDPOINT_VARIABLE} (and {KEY_VARIABLE}), "
        "or give the model an `endpoint` under `models:` in benchrouter.yaml"
    )


def _from_environment(name: str, environ: Mapping[str, str]) -> Model:
    endpoint = _endpoint(environ.get(ENDPOINT_VARIABLE, ""), ENDPOINT_VARIABLE)
    return Model(
        name=name,
        id=name,
        endpoint=endpoint,
        api_key=_key(environ, KEY_VARIABLE),
        api_key_env=KEY_VARIABLE,
        identity={"name": name, "endpoint": endpoint},
    )


def _place(settings: Settings, name: str, *path: str) -> str:
    where, line = settings.place("models", name, *path)
    return where if line is None else f"{where}:{line}"


def _from_settings(declared: ModelSettings, settings: Settings, environ: Mapping[str, str]) -> Model:
    own = declared.endpoint or ""
    place = f"{_place(settings, declared.name, 'endpoint')}: `models.{declared.name}.endpoint`"
    where = place if own else ENDPOINT_VARIABLE
    # The environment's key belongs to the environment's endpoint: it is never sent to another one unasked.
    variable = declared.api_key_env or (None if own else KEY_VARIABLE)
    model_id = declared.id or declared.name
    parameters = dict(declared.parameters)
    return Model(
        name=declared.name,
        id=model_id,
        endpoint=_endpoint(own or environ.get(ENDPOINT_VARIABLE, ""), where),
        api_key=_key(environ, variable) if variable else NO_KEY,
        api_key_env=variable,
        parameters=parameters,
        identity={
            "name": declared.name,
            "id": model_id,
            "parameters": parameters,
            "revision": declared.revision,
        },
        max_concurrency=declared.max_concurrency,
    )


def _endpoint(value: str, where: str) -> str | None:
    value = value.strip().rstrip("/")
    if not value:
        return None
    expected = "expected a base URL such as http://localhost:8000/v1"
    try:
        parts = urlsplit(value)
        port_is_good = parts.port is None or parts.port > 0
    except ValueError:
        raise ModelError(f"{where}: not a URL; {expected}") from None
    if parts.username is not None or parts.password is not None:
        raise ModelError(f"{where}: the URL holds a user name or password; name a key by `api_key_env`")
    if parts.query or parts.fragment:
        raise ModelError(f"{where}: the URL has a part after `?` or `#`; {expected}")
    is_web = parts.scheme in ("http", "https") and bool(parts.hostname)
    if not (is_web and port_is_good and value.isprintable() and " " not in value):
        raise ModelError(f"{where}: found `{value}`; {expected}")
    return value


def _key(environ: Mapping[str, str], variable: str) -> str:
    key = environ.get(variable, "")
    if not key:
        return NO_KEY
    if not (key.isascii() and key.isprintable()):
        raise ModelError(f"{variable}: the key holds a line break or a character that is no printable ASCII")
    return key
