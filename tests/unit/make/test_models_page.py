"""docs/models.md: what it says of smollm2 is what the pins say."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from benchrouter.models.smollm2 import pins
from benchrouter.spec.settings import load_settings

PAGE = (Path(__file__).parents[3] / "docs" / "models.md").read_text(encoding="utf-8")


def test_versions_and_numbers_are_those_of_the_pins() -> None:
    package, version = pins.PYTHON_PACKAGE.split("==")
    assert f"`{package}` {version}" in PAGE
    assert f"`{pins.RUNTIME}` {pins.RUNTIME_VERSION}" in PAGE
    assert f"Node {pins.OLDEST_NODE} or newer" in PAGE
    assert f"{pins.CONTEXT} tokens" in PAGE and f"| {pins.MAX_TOKENS} where none is given" in PAGE


def test_what_it_declares_can_be_declared(tmp_path: Path) -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert yaml.safe_load(text)
    (tmp_path / "benchrouter.yaml").write_text(text)
    settings, warnings = load_settings(tmp_path, {})
    assert "smollm2" in settings.models and not warnings
