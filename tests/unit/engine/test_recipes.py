"""Stand-ins for well-known images."""

from __future__ import annotations

import pytest

from benchrouter.engine.bootstrap import stand_in_name
from benchrouter.engine.recipes import recipe_for


def test_debian_takes_the_suite_of_its_tag() -> None:
    assert recipe_for("debian:bookworm-slim").suite == "bookworm"
    assert recipe_for("debian:13").suite == "trixie"
    assert recipe_for("debian").suite == "bookworm"


def test_python_brings_python_and_pip_and_says_which() -> None:
    recipe = recipe_for("python:3.11-slim")
    assert recipe.suite == "bookworm"
    assert {"python3-pip", "python-is-python3"} <= set(recipe.packages)
    assert recipe.note == ""


def test_python_that_debian_lacks_is_the_next_newer_and_noted() -> None:
    recipe = recipe_for("python:3.12-slim")
    assert recipe.suite == "trixie"
    assert recipe.note == "Python 3.13 of Debian trixie instead of 3.12"


def test_unknown_image_says_what_to_type() -> None:
    with pytest.raises(ValueError, match="--packages"):
        recipe_for("ubuntu:24.04")
    assert "curl" in recipe_for("ubuntu:24.04", ("curl",)).packages


def test_every_stand_in_has_certificates() -> None:
    for ref in ("debian:12", "python:3", "node:20", "gcc:12"):
        assert "ca-certificates" in recipe_for(ref).packages


@pytest.mark.parametrize(
    ("ref", "name"),
    [
        ("python:3.12-slim", "benchrouter-bootstrap/python:3.12-slim"),
        ("docker.io/library/python:3.12-slim", "benchrouter-bootstrap/python:3.12-slim"),
        ("ghcr.io/a/b", "benchrouter-bootstrap/ghcr.io/a/b:latest"),
        ("localhost:5000/a:1", "benchrouter-bootstrap/localhost-5000/a:1"),
    ],
)
def test_name_of_a_stand_in(ref: str, name: str) -> None:
    assert stand_in_name(ref) == name
