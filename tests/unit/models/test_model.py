from __future__ import annotations

import pytest

from benchrouter.models.model import Model, ModelError, resolve
from benchrouter.spec.settings import ModelSettings, Settings

ENDPOINT = "BENCHROUTER_MODEL_ENDPOINT"
KEY = "OPENAI_API_KEY"


def declared(**fields: object) -> Settings:
    return Settings(models={"big": ModelSettings(name="big", **fields)})  # type: ignore[arg-type]


def test_model_of_the_environment_is_identified_by_name_and_endpoint() -> None:
    model = resolve("openai/gpt-4o", Settings(), {ENDPOINT: "http://localhost:8000/v1/", KEY: "sk-1"})
    assert (model.name, model.id) == ("openai/gpt-4o", "openai/gpt-4o")
    assert model.endpoint == "http://localhost:8000/v1"
    assert model.api_key == "sk-1"
    assert model.identity == {"name": "openai/gpt-4o", "endpoint": "http://localhost:8000/v1"}


def test_without_endpoint_and_key_a_model_still_resolves() -> None:
    model = resolve("m", Settings(), {})
    assert (model.endpoint, model.api_key, model.has_key) == (None, "EMPTY", False)


def test_declared_model_is_identified_by_name_id_parameters_and_revision() -> None:
    settings = declared(
        endpoint="https://one/v1", id="vendor/big", parameters={"temperature": 0}, revision="r1"
    )
    model = resolve("big", settings, {ENDPOINT: "http://other/v1"})
    assert model.endpoint == "https://one/v1"
    assert model.id == "vendor/big"
    moved = resolve("big", declared(endpoint="https://two/v1", id="vendor/big", parameters={"temperature": 0},
                                    revision="r1"), {})  # fmt: skip
    assert moved.identity == model.identity
    assert moved.identity == {
        "name": "big",
        "id": "vendor/big",
        "parameters": {"temperature": 0},
        "revision": "r1",
    }


def test_declared_model_without_endpoint_is_served_by_the_environment() -> None:
    model = resolve("big", declared(), {ENDPOINT: "http://h/v1", KEY: "sk-1"})
    assert (model.endpoint, model.api_key) == ("http://h/v1", "sk-1")


def test_key_comes_from_the_declared_variable() -> None:
    model = resolve(
        "big", declared(endpoint="https://one/v1", api_key_env="BIG_KEY"), {KEY: "a", "BIG_KEY": "b"}
    )
    assert (model.api_key, model.api_key_env) == ("b", "BIG_KEY")


def test_key_of_the_environment_is_never_sent_to_a_declared_endpoint_unasked() -> None:
    assert resolve("big", declared(endpoint="https://one/v1"), {KEY: "sk-1"}).api_key == "EMPTY"


def test_key_is_hidden_in_repr_and_identity() -> None:
    model = resolve("m", Settings(), {ENDPOINT: "http://h/v1", KEY: "sk-canary"})
    assert "sk-canary" not in repr(model)
    assert "sk-canary" not in str(model.identity)


def test_demo_is_embedded_and_cannot_be_declared() -> None:
    assert resolve("demo", Settings(), {ENDPOINT: "http://h/v1", KEY: "k"}) == Model(
        name="demo", id="demo", embedded=True, identity={"name": "demo"}
    )
    with pytest.raises(ModelError, match="choose another name"):
        resolve("demo", Settings(models={"demo": ModelSettings(name="demo")}), {})


@pytest.mark.parametrize(
    ("endpoint", "said"),
    [
        ("localhost:8000/v1", "expected a base URL"),
        ("ftp://h/v1", "expected a base URL"),
        ("http://", "expected a base URL"),
        ("http://h:99999/v1", "not a URL"),
        ("http://[::1/v1", "not a URL"),
        ("http://h/v1 x", "expected a base URL"),
        ("http://h/v1?a=1", "after `?`"),
    ],
)
def test_an_endpoint_that_cannot_work_is_named_with_its_source(endpoint: str, said: str) -> None:
    with pytest.raises(ModelError) as caught:
        resolve("m", Settings(), {ENDPOINT: endpoint})
    assert ENDPOINT in str(caught.value)
    assert said in str(caught.value)


def test_a_password_in_an_endpoint_is_refused_and_not_repeated() -> None:
    with pytest.raises(ModelError) as caught:
        resolve("m", Settings(), {ENDPOINT: "https://me:hunter22@h/v1"})
    assert "hunter22" not in str(caught.value)


def test_a_key_with_a_line_break_is_refused_and_not_repeated() -> None:
    with pytest.raises(ModelError) as caught:
        resolve("m", Settings(), {KEY: "sk-canary\n"})
    assert KEY in str(caught.value)
    assert "canary" not in str(caught.value)


def test_an_empty_name_is_refused() -> None:
    with pytest.raises(ModelError, match="model=demo"):
        resolve(" ", Settings(), {})
