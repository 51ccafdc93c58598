"""docs/configuration.md: its example loads, and it names every key that there is, with its default."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchrouter.spec import settings_shape, site_shape
from benchrouter.spec.settings import SiteLimits, load_settings
from benchrouter.spec.values import seconds, size

PAGE = Path(__file__).parents[3] / "docs" / "configuration.md"


def test_the_example_loads_without_a_warning(tmp_path: Path) -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "benchrouter.yaml").write_text(example)
    settings, warnings = load_settings(tmp_path, {"PROXY_PASSWORD": "x"})
    assert not warnings
    assert settings.models["my-model"].revision == "2025-06-01"


@pytest.mark.parametrize(
    "shape",
    ["SettingsShape", "BindingShape", "CacheShape", "ModelShape", "SiteShape", "LimitsShape", "CredentialsShape"],
)
def test_every_key_is_documented(shape: str) -> None:
    text = PAGE.read_text(encoding="utf-8")
    found = getattr(settings_shape, shape, None) or getattr(site_shape, shape)
    for key in found.model_fields:
        assert re.search(rf"[`{{ .]{key}[`,:}}]|^## {key}$|^### site\.{key}$", text, re.MULTILINE), key


def test_the_documented_limits_are_the_defaults() -> None:
    rows = dict(
        re.findall(r"^\| `(\w+)` \|.*\| `?([^`|]+?)`? \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    )
    for key, default in vars(SiteLimits()).items():
        written = rows[key]
        assert default in (seconds(written) if key.endswith("_patience") else size(written),), key
