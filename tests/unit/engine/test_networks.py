"""Choosing a range: pure but for what the engine and the routes say."""

from __future__ import annotations

import threading
from ipaddress import IPv4Network
from pathlib import Path
from typing import Any

import pytest

from benchrouter.engine.host_routes import host_routes
from benchrouter.engine.networks import Networks

POOL = IPv4Network("10.231.0.0/24")
HEAD = "Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT\n"


class Said:
    """What an engine that is asked for its networks says."""

    def __init__(self, *subnets: str) -> None:
        self.api = self
        self.address = self
        self.local = False
        self.subnets = subnets

    def errors(self, *_: Any) -> Any:
        from contextlib import nullcontext

        return nullcontext()

    def networks(self) -> list[dict[str, Any]]:
        return [{"IPAM": {"Config": [{"Subnet": subnet}]}} for subnet in self.subnets] + [{"IPAM": {"Config": None}}]


def networks(*subnets: str, pool: IPv4Network = POOL, most: int = 256) -> Any:
    return Networks(Said(*subnets), pool, most)  # type: ignore[arg-type]


def test_all_of_the_range_is_used_before_anything_waits() -> None:
    ours = networks("10.231.0.64/26", "fd00::/64", "172.17.0.0/16", "10.231.0.0/28")
    got = {ours._reserve(28, threading.Event()) for _ in range(11)}
    assert len(got) == 11
    assert not any(net.overlaps(IPv4Network("10.231.0.64/26")) for net in got)
    assert ours._free(28) is None


def test_a_wider_network_of_a_stranger_takes_all_of_it() -> None:
    assert networks("10.0.0.0/8")._free(28) is None


def test_many_sidecars_get_a_wider_range() -> None:
    made: list[IPv4Network] = []
    for room in (1, 13, 14, 29, 30):
        ours = networks()  # places are chosen at random: in this small range, small ones may leave none for a wide one
        ours._create = lambda *given: made.append(given[2])
        ours._make("n", {}, threading.Event(), False, room)
    assert [net.prefixlen for net in made] == [28, 28, 27, 27, 26]


def test_what_others_take_meanwhile_is_not_tried_for_ever() -> None:
    from benchrouter.engine.errors import EngineError

    def taken(*_: Any) -> None:
        raise EngineError("Pool overlaps with other one on this address space")

    ours = networks()
    ours._create = taken
    with pytest.raises(EngineError, match="other programs took"):
        ours._make("n", {}, threading.Event(), False, 1)
    assert not ours._held


def test_routes_that_mean_one_network_are_respected(tmp_path: Path) -> None:
    table = tmp_path / "route"
    rows = [
        "eth0 00000000 010200C0 0003 0 0 0 00000000 0 0 0",  # the default
        "tun0 0000000A 00000000 0001 0 0 0 000000FF 0 0 0",  # a company's 10/8: all of it would be too much
        "eth1 0003E70A 00000000 0001 0 0 0 00FFFFFF 0 0 0",
        "eth1 broken",
    ]
    table.write_text(HEAD + "\n".join(rows) + "\n")
    assert host_routes(table) == [IPv4Network("10.231.3.0/24")]
    assert host_routes(tmp_path / "nothing") == []
