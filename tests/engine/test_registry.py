"""Pulling: one image, several places, patience where it helps, and a message that names every refusal."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
from engine_bench import Bench
from registry_stub import RegistryStub

from benchrouter.engine.bases import ensure_base
from benchrouter.engine.errors import BuildCancelled, EngineError, ImageMissing
from benchrouter.engine.images import image_id, remove_name
from benchrouter.engine.reachable import registry_answers
from benchrouter.engine.registry import pull
from benchrouter.spec.settings import Credentials, Site

NEVER = threading.Event()


@pytest.fixture
def stubs(on_engine: Bench) -> Iterator[list[RegistryStub]]:
    """Registries that a test opens; closed afterwards, with the names that they gave."""
    opened: list[RegistryStub] = []
    yield opened
    for stub in opened:
        remove_name(on_engine.engine, f"{stub.host}/library/tiny:1")
        remove_name(on_engine.engine, f"{stub.host}/library/tiny@{stub.digest}")
        stub.close()
    remove_name(on_engine.engine, "registry.invalid/library/tiny:1")


def test_429_is_asked_again_and_is_no_failure(on_engine: Bench, stubs: list[RegistryStub]) -> None:
    stubs.append(RegistryStub(refusals=[429, 503]))
    lines: list[str] = []
    ref = f"{stubs[0].host}/library/tiny:1"
    assert pull(on_engine.engine, ref, Site(), {}, NEVER, lines.append, first_wait=0.05).name == ref
    assert image_id(on_engine.engine, ref)
    assert any("asking again" in line for line in lines)


def test_a_registry_that_stays_busy_is_named_with_its_answer(on_engine: Bench, stubs: list[RegistryStub]) -> None:
    stubs.append(RegistryStub(refusals=[429] * 50))
    with pytest.raises(ImageMissing, match=r"asked 3 times"):
        pull(on_engine.engine, f"{stubs[0].host}/library/tiny:1", Site(), {}, NEVER, tries=3, first_wait=0.01)


def test_mirrors_come_first_and_leave_no_name_of_theirs(on_engine: Bench, stubs: list[RegistryStub]) -> None:
    stubs += [RegistryStub(), RegistryStub()]
    stubs[0].refusals = [404] * 20
    ref = "registry.invalid/library/tiny:1"
    site = Site(registry_mirrors={"registry.invalid": tuple(stub.host for stub in stubs)})
    base = ensure_base(on_engine.engine, ref, site, cancelled=NEVER)
    assert (base.used, base.how) == (ref, "registry")
    assert base.repo_digests == (f"{stubs[1].host}/library/tiny@{stubs[1].digest}",)
    assert stubs[0].asked and stubs[1].asked
    assert image_id(on_engine.engine, f"{stubs[1].host}/library/tiny:1") is None
    assert ensure_base(on_engine.engine, ref, site, cancelled=NEVER).how == "engine"


def test_a_pinned_digest_comes_from_a_mirror_under_the_mirrors_name(
    on_engine: Bench, stubs: list[RegistryStub]
) -> None:
    stubs.append(RegistryStub())
    site = Site(registry_mirrors={"registry.invalid": (f"http://{stubs[0].host}",)})
    ref = f"registry.invalid/library/tiny@{stubs[0].digest}"
    base = ensure_base(on_engine.engine, ref, site, cancelled=NEVER)
    assert base.used == f"{stubs[0].host}/library/tiny@{stubs[0].digest}"
    assert base.repo_digests == (base.used,)


def test_credentials_come_from_named_variables(on_engine: Bench, stubs: list[RegistryStub]) -> None:
    stubs.append(RegistryStub(login=("me", "c4nary-password")))
    ref = f"{stubs[0].host}/library/tiny:1"
    site = Site(registry_credentials={stubs[0].host: Credentials("R_USER", "R_PASS")})
    with pytest.raises(EngineError, match="not set: R_USER, R_PASS"):
        pull(on_engine.engine, ref, site, {}, NEVER)
    with pytest.raises(ImageMissing) as refused:
        pull(on_engine.engine, ref, site, {"R_USER": "me", "R_PASS": "c4nary-wrong"}, NEVER)
    assert "c4nary" not in str(refused.value)
    assert pull(on_engine.engine, ref, site, {"R_USER": "me", "R_PASS": "c4nary-password"}, NEVER).name == ref


def test_an_alias_stands_in_where_no_registry_answers(on_engine: Bench) -> None:
    site = Site(image_aliases={"docker.io/library/benchrouter-none:1": on_engine.image})
    base = ensure_base(on_engine.engine, "benchrouter-none:1", site, cancelled=NEVER)
    assert (base.used, base.how) == (on_engine.image, "alias")


def test_a_base_that_cannot_be_had_says_what_to_type(on_engine: Bench) -> None:
    with pytest.raises(ImageMissing, match=r"registry\.invalid/x:1.*site\.image_aliases"):
        ensure_base(on_engine.engine, "registry.invalid/x:1", Site(), cancelled=NEVER)


def test_cancellation_ends_the_patience(on_engine: Bench, stubs: list[RegistryStub]) -> None:
    stubs.append(RegistryStub(refusals=[429] * 50))
    cancelled = threading.Event()
    threading.Timer(0.3, cancelled.set).start()
    began = time.monotonic()
    with pytest.raises(BuildCancelled):
        ref = f"{stubs[0].host}/library/tiny:1"
        pull(on_engine.engine, ref, Site(), {}, cancelled, first_wait=60.0)
    assert time.monotonic() - began < 10


def test_only_a_registry_answers_as_one(stubs: list[RegistryStub]) -> None:
    stubs.append(RegistryStub(login=("a", "b")))
    mirrors = {"docker.io": (f"http://{stubs[0].host}",)}
    assert registry_answers(Site(registry_mirrors=mirrors), deadline=2.0)
