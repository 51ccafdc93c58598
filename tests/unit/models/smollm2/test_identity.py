"""What the model is, in the keys of its jobs; and that what is installed is what the key says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchrouter.models.model import Model, ModelError, resolve
from benchrouter.models.smollm2 import pins
from benchrouter.models.smollm2.install import npm_files
from benchrouter.models.smollm2.installed import check, launch_from, look, stamp_facts
from benchrouter.spec.settings import ModelSettings, Settings
from benchrouter.store import layout
from benchrouter.store.workspace import Workspace


def declared(**fields: Any) -> Model:
    return resolve("smollm2", Settings(models={"smollm2": ModelSettings(name="smollm2", **fields)}), {})


def test_identity_names_weights_runtime_and_parameters() -> None:
    """Neither a port nor a path nor whether it is installed."""
    model = resolve("smollm2", Settings(), {})
    assert (model.embedded, model.id, model.has_key) == (True, "smollm2", False)
    assert model.identity["gguf"] == f"sha256:{pins.WEIGHTS_SHA256}"
    assert "node-llama-cpp 3.14.5" in model.identity["runtime"]
    assert (model.identity["context"], model.identity["max_tokens"]) == (8192, 512)
    assert model.identity == resolve("smollm2", Settings(), {}).identity
    assert json.dumps(model.identity)


def test_declared_parameters_are_part_of_it() -> None:
    plain, warm = declared(), declared(parameters={"temperature": 0.8}, max_concurrency=2)
    assert plain.identity == resolve("smollm2", Settings(), {}).identity
    assert warm.identity["parameters"] == {"temperature": 0.8} == warm.parameters
    assert warm.max_concurrency == 2
    assert declared(revision="2").identity != plain.identity


def test_another_build_is_another_runtime() -> None:
    made = [pins.identity({}, None, build) for build in ("linux-x64", "linux-arm64", None)]
    assert len({json.dumps(each) for each in made}) == 3


@pytest.mark.parametrize("field", ["endpoint", "id", "api_key_env"])
def test_an_embedded_model_has_no_endpoint_of_its_own(field: str) -> None:
    with pytest.raises(ModelError, match=f"models.smollm2.{field}`: `smollm2` is an embedded model"):
        declared(**{field: "http://localhost/v1"})


@pytest.mark.parametrize("build", sorted(set(pins.PLATFORMS.values())))
def test_every_package_is_pinned_by_version_and_digest(build: str) -> None:
    package, lock = npm_files(build)
    assert package["dependencies"] == {"node-llama-cpp": "3.14.5", f"@node-llama-cpp/{build}": "3.14.5"}
    entries = {name: entry for name, entry in lock["packages"].items() if name}
    without = [name for name, entry in entries.items() if not entry.get("integrity", "").startswith("sha512-")]
    unproven = [] if build.startswith("linux") else [f"node_modules/@node-llama-cpp/{build}"]  # pinned by version only
    assert without == unproven and all(entry["version"] for entry in entries.values())
    assert [name for name in entries if "/@node-llama-cpp/" in name] == [f"node_modules/@node-llama-cpp/{build}"]
    assert "resolved" not in json.dumps(lock)  # the caller's registry, whichever that is


def install_stamp(ws: Workspace, facts: dict[str, Any]) -> None:
    directory = layout.models_dir(ws) / "smollm2"
    directory.mkdir(parents=True)
    (directory / "installed.json").write_text(json.dumps(facts))


def test_what_is_not_there_is_not_installed(tmp_path: Path) -> None:
    ws = Workspace(tmp_path)
    assert look(ws).state == "not installed: doit models install smollm2"
    with pytest.raises(ModelError, match="smollm2 is not installed: doit models install smollm2"):
        check(ws, {})
    assert not list(tmp_path.iterdir())


def test_what_another_version_installed_is_not_taken(tmp_path: Path) -> None:
    ws = Workspace(tmp_path)
    install_stamp(ws, {**stamp_facts(), "runtime": ["node-llama-cpp 3.0.0"], "bytes": 1 << 20})
    with pytest.raises(ModelError, match="smollm2 is installed in another version: doit models install smollm2"):
        check(ws, {})


def test_a_torn_stamp_is_none(tmp_path: Path) -> None:
    ws = Workspace(tmp_path)
    install_stamp(ws, {})
    (layout.models_dir(ws) / "smollm2" / "installed.json").write_text('{"gguf":')
    assert not look(ws).there


def test_damaged_weights_are_not_loaded(tmp_path: Path) -> None:
    """A key that names a digest must not stand for other weights."""
    (tmp_path / pins.WEIGHTS).write_bytes(b"GGUF")
    with pytest.raises(ModelError, match=r"is damaged .* doit models install smollm2"):
        launch_from(tmp_path, {}, tmp_path / "log", {})
    (tmp_path / pins.WEIGHTS).unlink()
    with pytest.raises(ModelError, match="cannot be read"):
        launch_from(tmp_path, {}, tmp_path / "log", {})
