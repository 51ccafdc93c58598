"""References: every spelling of one image compares equal, and mirrors get the whole path."""

from __future__ import annotations

import pytest

from benchrouter.engine.references import is_image_name, parse_reference, same_image


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("python:3.12-slim", "docker.io/library/python:3.12-slim"),
        ("python", "docker.io/library/python:latest"),
        ("docker.io/python", "docker.io/library/python:latest"),
        ("index.docker.io/library/python:latest", "docker.io/library/python:latest"),
        ("owner/name:1", "docker.io/owner/name:1"),
        ("localhost/name", "localhost/name:latest"),
        ("127.0.0.1:5000/a/b", "127.0.0.1:5000/a/b:latest"),
        ("ghcr.io/a/b@sha256:" + "0" * 64, "ghcr.io/a/b@sha256:" + "0" * 64),
        ("a:1@sha256:" + "0" * 64, "docker.io/library/a:1@sha256:" + "0" * 64),
    ],
)
def test_spelled_in_full(text: str, normal: str) -> None:
    assert parse_reference(text).normal() == normal


def test_two_spellings_of_one_image_are_the_same() -> None:
    assert same_image("debian:bookworm", "docker.io/library/debian:bookworm")
    assert not same_image("debian:bookworm", "example.org/debian:bookworm")


@pytest.mark.parametrize("mirror", ["https://m.example/", "m.example", "http://m.example"])
def test_mirror_is_asked_for_the_library_path(mirror: str) -> None:
    assert parse_reference("python:3").at(mirror) == "m.example/library/python:3"


def test_mirror_with_a_prefix() -> None:
    assert parse_reference("owner/name:1").at("m.example/hub") == "m.example/hub/owner/name:1"


@pytest.mark.parametrize(
    "name", ["a", "a/b:c", "a_b:c", "x--y/z__w:1.0", "localhost:5000/a/b", "r.example:1/a:V_1", "Host.x/a"]
)
def test_names_that_an_image_can_have(name: str) -> None:
    assert is_image_name(name)


@pytest.mark.parametrize(
    "name", ["", "bad name", "A/b:c", "../../../tmp/evil", "a:b:c/d", "a@sha256:" + "0" * 64, "a:", "/a", "a//b", "ä"]
)
def test_import_took_names_that_no_engine_loads(name: str) -> None:
    assert not is_image_name(name)
