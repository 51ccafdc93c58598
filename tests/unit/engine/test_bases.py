from __future__ import annotations

from benchrouter.engine.bases import lacking
from benchrouter.spec.settings import Site


def test_a_stand_in_of_debian_is_offered_only_where_there_is_a_recipe() -> None:
    """`doit bootstrap-image postgres:17` was advised, and said that it has no recipe."""
    assert "`doit bootstrap-image python:3.12-slim` makes one" in lacking("python:3.12-slim", "refused", Site())
    assert lacking("postgres:17", "refused", Site()) == (
        "refused. Without a registry, name a stand-in under site.image_aliases in benchrouter.local.yaml"
    )


def test_the_benchmarks_own_hint_comes_first() -> None:
    said = lacking("debian:12", "refused", Site(), "docker load < it.tar")
    assert said.startswith("refused; to get it: docker load < it.tar. Without a registry, `doit bootstrap-image")
