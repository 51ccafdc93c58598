"""Ranges that this machine has routes to; a network of ours must not hide one of them."""

from __future__ import annotations

from ipaddress import IPv4Network
from pathlib import Path

TABLE = Path("/proc/net/route")
_WIDEST = 16  # a wider route is a whole company's: a few addresses of it are not missed, all of it would be


def host_routes(table: Path = TABLE) -> list[IPv4Network]:
    """Read the routes that are narrow enough to mean one network; none where there is no such table."""
    try:
        lines = table.read_text("ascii").splitlines()[1:]
    except (OSError, UnicodeDecodeError):
        return []
    found = [_network(line.split()) for line in lines]
    return [net for net in found if net is not None and net.prefixlen >= _WIDEST]


def _network(fields: list[str]) -> IPv4Network | None:
    try:
        destination, mask = (int.from_bytes(bytes.fromhex(fields[i]), "little") for i in (1, 7))
        return IPv4Network((destination, mask.bit_count()))
    except (IndexError, ValueError):
        return None
