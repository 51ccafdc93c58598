"""Source lists with the site's mirror."""

from __future__ import annotations

from benchrouter.engine.apt_sources import with_base_mounts, with_mirror


def test_archive_and_security_archive_are_replaced_and_others_stay() -> None:
    text = (
        "deb http://deb.debian.org/debian bookworm main\n"
        "deb http://security.debian.org/debian-security bookworm-security main\n"
        "URIs: https://deb.debian.org/debian/\n"
        "deb https://deb.nodesource.com/node_20.x nodistro main\n"
    )
    assert with_mirror(text, "http://m.example/debian/") == (
        "deb http://m.example/debian bookworm main\n"
        "deb http://m.example/debian-security bookworm-security main\n"
        "URIs: http://m.example/debian/\n"
        "deb https://deb.nodesource.com/node_20.x nodistro main\n"
    )


def test_each_run_gets_the_mounts_of_its_own_base() -> None:
    text = "FROM a AS x\nRUN one\nFROM alpine\nRUN two\nFROM x\nRUN three\n"
    assert with_base_mounts(text, {}, {"a": ("m",)}) == (
        "FROM a AS x\nRUN --mount=m one\nFROM alpine\nRUN two\nFROM x\nRUN --mount=m three\n"
    )
