"""What a site gives a build, and that no secret among it can be seen."""

from __future__ import annotations

import pytest

from benchrouter.engine.errors import EngineError
from benchrouter.engine.site_build import deliver, mask, with_arguments
from benchrouter.spec.settings import Proxies, Site

SECRET = "https://me:c4nary-secret@pypi.example/simple"


def test_ca_bundle_is_mounted_and_only_its_path_is_an_argument() -> None:
    delivery = deliver(Site(), buildkit=True, ca_bundle=b"PEM")
    assert delivery.files["ca.crt"] == b"PEM"
    assert delivery.variables["SSL_CERT_FILE"] == "/dev/benchrouter/ca.crt"
    assert all("PEM" not in value for value in delivery.variables.values())


def test_secret_index_is_in_a_mounted_file_and_masked() -> None:
    delivery = deliver(Site(pip_index_url=SECRET), buildkit=True, ca_bundle=None)
    assert b"c4nary-secret" in delivery.files["pip.conf"]
    assert "c4nary" not in repr(delivery)
    assert "c4nary" not in mask(f"Looking in indexes: {SECRET}", delivery.masked)
    assert "c4nary" not in str(delivery.variables)


@pytest.mark.parametrize("site", [Site(pip_index_url=SECRET), Site(proxies=Proxies(http="http://u:p4ss@proxy"))])
def test_a_secret_without_buildkit_is_refused(site: Site) -> None:
    with pytest.raises(EngineError, match="BuildKit"):
        deliver(site, buildkit=False, ca_bundle=None)


def test_proxies_are_given_in_both_cases() -> None:
    delivery = deliver(Site(proxies=Proxies(https="http://proxy:3128")), buildkit=False, ca_bundle=None)
    assert delivery.proxies == {"HTTPS_PROXY": "http://proxy:3128", "https_proxy": "http://proxy:3128"}


def test_arguments_are_declared_in_every_stage() -> None:
    text = "ARG V=1\nFROM a:$V AS x\nRUN true\nFROM b"
    assert with_arguments(text, {"A": "1"}) == "ARG V=1\nFROM a:$V AS x\nARG A=1\nRUN true\nFROM b\nARG A=1\n"
