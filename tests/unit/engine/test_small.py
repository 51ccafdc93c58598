"""The small pure parts: clock, labels, certificates, transient answers, container configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchrouter.engine.certificates import local_certificates, split_bundle
from benchrouter.engine.clock import epoch
from benchrouter.engine.container_config import create_config
from benchrouter.engine.container_spec import ContainerSpec, Limits
from benchrouter.engine.errors import means_disk_full
from benchrouter.engine.labels import object_labels, owned
from benchrouter.engine.registry import is_transient

PEM = "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n"


def test_engine_time_with_nanoseconds() -> None:
    assert epoch("2026-01-01T00:00:00.123456789Z") == pytest.approx(1767225600.123457)
    assert epoch("0001-01-01T00:00:00Z") == 0.0
    assert epoch("nonsense") == 0.0


def test_ours_is_only_what_carries_both_labels() -> None:
    labels = object_labels("w", "r", job="a/b")
    assert owned(labels, "w", "r")
    assert not owned(labels, "w", "other")
    assert not owned({"benchrouter.workspace": "w"}, "w", "")
    assert not owned(None, "w", "r")


def test_only_certificates_that_debian_lacks(tmp_path: Path) -> None:
    (tmp_path / "known.crt").write_text(PEM.format("AAAA"))
    bundle = tmp_path / "bundle.pem"
    bundle.write_text("# a comment\n" + PEM.format("AAAA") + PEM.format("BBBB") + PEM.format("BBBB"))
    distributed = tmp_path / "share"
    distributed.mkdir()
    (tmp_path / "known.crt").rename(distributed / "known.crt")
    assert len(split_bundle(bundle.read_text())) == 2
    assert local_certificates(bundle, distributed) == [PEM.format("BBBB")]


@pytest.mark.parametrize(
    "answer",
    ["toomanyrequests: Too Many Requests", "received unexpected HTTP status: 503 Service Unavailable"],
)
def test_429_and_5xx_are_asked_again(answer: str) -> None:
    assert is_transient(answer)


@pytest.mark.parametrize("answer", ["manifest unknown", "no such host", "pull access denied"])
def test_a_refusal_is_not_asked_again(answer: str) -> None:
    assert not is_transient(answer)


def test_disk_full_is_told_apart() -> None:
    assert means_disk_full("write /x: no space left on device")
    assert not means_disk_full("manifest unknown")


def test_limits_allow_no_swap_and_values_stay_byte_for_byte() -> None:
    spec = ContainerSpec(
        name="n",
        image="i",
        entrypoint=("/bin/sh",),
        command=("-c", "true"),
        workdir="/",
        environment={"A": "q'\"$x\n=ü", "B": ""},
        mounts=(),
        limits=Limits(memory=1 << 26, cpus=0.5, pids=10),
        secrets={"K": "s3cret"},
    )
    config = create_config(spec)
    host = config["HostConfig"]
    assert (host["Memory"], host["MemorySwap"], host["NanoCpus"], host["PidsLimit"]) == (
        1 << 26,
        1 << 26,
        500_000_000,
        10,
    )
    assert config["Env"] == ["A=q'\"$x\n=ü", "B=", "K=s3cret"]
    assert "s3cret" not in repr(spec)
