"""Small networks of our own, one for each job that needs one, out of a range of our own."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, collapse_addresses
from itertools import islice
from typing import Any

from benchrouter.engine import deadlines
from benchrouter.engine.client import Engine
from benchrouter.engine.errors import Cancelled, EngineError
from benchrouter.engine.host_routes import host_routes

MOST = 256  # bridges of one run at a time; a kernel and its packet filter bear many more
_SMALLEST = 28  # 13 containers beside the gateway, where Docker's own ranges give away 65,534 addresses
_OVERHEAD = 3  # the network's own address, the gateway, broadcast
_TICK = 0.5
_TRIES = 50


@dataclass(frozen=True)
class Network:
    """A network that the engine has made; `gateway` is the host's address in it."""

    id: str
    name: str
    subnet: IPv4Network
    gateway: IPv4Address

    @property
    def bridge(self) -> str:
        """Name the host's end of the network, as the engine does."""
        return f"br-{self.id[:12]}"


def free_networks(engine: Engine, pool: IPv4Network) -> tuple[int, int]:
    """Count the smallest networks of a range that neither the engine nor a route of this machine has, and all of it."""
    networks = Networks(engine, pool)
    near = [net for net in networks.taken() if net.overlaps(pool)]
    prefix = max(_SMALLEST, pool.prefixlen)
    every = 1 << (prefix - pool.prefixlen)
    used = sum(max(1, 1 << max(0, prefix - max(net.prefixlen, pool.prefixlen))) for net in _apart(near))
    return max(0, every - used), every


def _apart(networks: Iterable[IPv4Network]) -> list[IPv4Network]:
    """Leave out what lies in another: the engine's networks are routes, too."""
    return [*collapse_addresses(networks)]


class Networks:
    """Makes and removes networks; shared by all threads of a run, so that no two of them try the same range."""

    def __init__(self, engine: Engine, pool: IPv4Network, most: int = MOST) -> None:
        self._engine = engine
        self._pool = pool
        self._most = most
        self._held: set[IPv4Network] = set()
        self._lock = threading.Lock()

    @contextmanager
    def network(
        self,
        name: str,
        labels: Mapping[str, str],
        cancelled: threading.Event,
        *,
        internal: bool = False,
        room: int = 8,
    ) -> Iterator[Network]:
        """Make a network for `room` containers, and remove it with whatever is still attached to it.

        Waits while all of the range is taken. Raises EngineError or Cancelled; a removal that fails is left to
        the sweep of a later start.
        """
        made = self._make(name, labels, cancelled, internal, room)
        try:
            yield made
        finally:
            remove_network(self._engine, made.id)
            with self._lock:
                self._held.discard(made.subnet)

    def _make(
        self, name: str, labels: Mapping[str, str], cancelled: threading.Event, internal: bool, room: int
    ) -> Network:
        prefix = min(_SMALLEST, 32 - (room + _OVERHEAD - 1).bit_length())
        for _ in range(_TRIES):
            subnet = self._reserve(prefix, cancelled)
            try:
                return self._create(name, labels, subnet, internal)
            except EngineError as error:
                with self._lock:
                    self._held.discard(subnet)
                if "overlap" not in str(error):
                    self._remove_if_made(name, labels)
                    raise
        raise EngineError(f"making network {name}: other programs took each range of {self._pool} that we tried")

    def _reserve(self, prefix: int, cancelled: threading.Event) -> IPv4Network:
        ends_at = time.monotonic() + deadlines.NETWORK
        while True:
            if cancelled.is_set():
                raise Cancelled("interrupted while waiting for a network")
            with self._lock:
                subnet = self._free(prefix) if len(self._held) < self._most else None
                if subnet is not None:
                    self._held.add(subnet)
                    return subnet
            if time.monotonic() > ends_at:
                raise EngineError(
                    f"no network is free in {self._pool} (`site: networks:`): {self._count()} networks of the "
                    "engine lie in it; `docker network ls` shows them"
                )
            cancelled.wait(_TICK)

    def _free(self, prefix: int) -> IPv4Network | None:
        """Choose a free range at random: another run may be choosing at the same moment."""
        near = [net for net in self.taken() if net.overlaps(self._pool)]
        count = 1 << max(0, prefix - self._pool.prefixlen)
        start = random.randrange(count)
        size = 1 << (32 - prefix)
        base = int(self._pool.network_address)
        every = (IPv4Network((base + (start + i) % count * size, prefix)) for i in range(count))
        return next((net for net in every if not any(net.overlaps(other) for other in near)), None)

    def taken(self) -> list[IPv4Network]:
        """List what is not to be had: held by this run, the engine's, routes of this machine."""
        return [*self._held, *self._subnets(), *(host_routes() if self._engine.address.local else ())]

    def _count(self) -> int:
        return sum(net.overlaps(self._pool) for net in self._subnets())

    def _subnets(self) -> list[IPv4Network]:
        with self._engine.errors("listing the engine's networks"):
            found = self._engine.api.networks()
        texts = [
            str(config.get("Subnet", ""))
            for each in found
            for config in (each.get("IPAM") or {}).get("Config") or ()
        ]
        return [IPv4Network(text, strict=False) for text in texts if text and ":" not in text]

    def _create(self, name: str, labels: Mapping[str, str], subnet: IPv4Network, internal: bool) -> Network:
        gateway = next(islice(subnet.hosts(), 1))
        ipam = {"Driver": "default", "Config": [{"Subnet": str(subnet), "Gateway": str(gateway)}]}
        with self._engine.errors(f"making network {name}"):
            api: Any = self._engine.api
            made = api.create_network(
                name, driver="bridge", ipam=ipam, check_duplicate=True, internal=internal, labels=dict(labels)
            )
        return Network(str(made["Id"]), name, subnet, gateway)

    def _remove_if_made(self, name: str, labels: Mapping[str, str]) -> None:
        """Remove what a request that timed out may have made; another's network of that name stays."""
        try:
            with self._engine.errors("looking for a network that was half made"):
                found = self._engine.api.networks(names=[name])
        except EngineError:
            return
        for each in found:
            if dict(labels).items() <= (each.get("Labels") or {}).items():
                remove_network(self._engine, str(each["Id"]))


def remove_network(engine: Engine, network: str) -> str:
    """Remove a network of ours, whatever is attached to it; return what went wrong, empty if nothing."""
    for _ in range(2):
        try:
            with engine.errors(f"removing network {network[:12]}"):
                engine.api.remove_network(network)
            return ""
        except EngineError as error:
            if "not found" in str(error).lower():
                return ""
            left = str(error)
        _detach(engine, network)
    return left


def _detach(engine: Engine, network: str) -> None:
    try:
        with engine.errors("looking what is attached to a network"):
            api: Any = engine.api
            attached = list(api.inspect_network(network).get("Containers") or {})
        for container in attached:
            with engine.errors("detaching a container"):
                api.disconnect_container_from_network(container, network, force=True)
    except EngineError:
        pass  # tried once more, then left to the sweep
