"""What a job's network reaches of this machine, where we may say so: as root, with the engine's own iptables.

A network without a way out still reaches its gateway, which is this machine: whatever listens on all addresses here.
And a machine that refuses by default refuses our relay, too. The rules name the bridge of one network and carry the
run in a comment; without that network they match nothing.

The kernel gives a bridge an IPv6 address that nobody asked for, and raw frames reach it from a container that has no
IPv6 of its own. No job needs that, and either of two things closes it: no IPv6 at the bridge, or rules for it.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchrouter.engine import deadlines
from benchrouter.engine.networks import Network

_PLACES = ("/usr/sbin", "/sbin")
_IPV4, _IPV6 = "iptables", "ip6tables"
_FILTERS = (_IPV4, _IPV6)
_HAS_IPV6 = Path("/proc/net/if_inet6")
_SETTINGS = Path("/proc/sys/net/ipv6/conf")


@contextmanager
def fenced(network: Network, port: int | None, run_id: str, *, closed: bool) -> Iterator[bool]:
    """Let a network reach a port of this machine, if it is `closed` no other one; tell whether that could be done."""
    if os.geteuid() != 0 or not Path("/sys/class/net", network.bridge).exists():
        yield False
        return
    made: list[list[str]] = []
    try:
        done = _insert(_rules(network, port, run_id, closed), made)
        if closed:
            unheard = _insert(_rules_ipv6(network, run_id), made)
            done = (_without_ipv6(network.bridge) or unheard) and done
        yield done
    finally:
        for command, chain, *rule in reversed(made):
            _filter(command, "-D", chain, *rule)


def sweep_rules(run_id: str) -> int:
    """Remove the rules that a dead run left; return how many there were."""
    if os.geteuid() != 0 or not run_id:
        return 0
    swept = 0
    for command in _FILTERS:
        lines = [shlex.split(line) for line in (_filter(command, "-S") or "").splitlines()]
        ours = [words for words in lines if words[:1] == ["-A"] and _mark(run_id) in words]
        swept += sum(_filter(command, "-D", *words[1:]) is not None for words in ours)
    return swept


def _rules(network: Network, port: int | None, run_id: str, closed: bool) -> Iterator[list[str]]:
    """Give filter, chain and rule; each goes to the top, so the last one is looked at first."""
    mark = ["-m", "comment", "--comment", _mark(run_id)]
    here = [_IPV4, "INPUT", "-i", network.bridge]
    if closed:
        yield [*here, *mark, "-j", "REJECT"]
    if port is not None:
        relay = ["-d", f"{network.gateway}/32", "-p", "tcp", "-m", "tcp", "--dport", str(port)]
        yield [*here, *relay, *mark, "-j", "ACCEPT"]


def _rules_ipv6(network: Network, run_id: str) -> Iterator[list[str]]:
    """As _rules. The engine forwards nothing out of an internal network, but knows of no IPv6 there."""
    mark = ["-m", "comment", "--comment", _mark(run_id)]
    for chain in ("INPUT", "FORWARD"):
        yield [_IPV6, chain, "-i", network.bridge, *mark, "-j", "DROP"]


def _mark(run_id: str) -> str:
    return f"benchrouter {run_id}"


def _insert(rules: Iterator[list[str]], made: list[list[str]]) -> bool:
    for command, chain, *rule in rules:
        if _filter(command, "-I", chain, *rule) is None:
            return False
        made.append([command, chain, *rule])
    return True


def _without_ipv6(bridge: str) -> bool:
    """Take IPv6 from this machine's end of a network, whose last trace goes with the bridge."""
    if not _HAS_IPV6.exists():
        return True
    try:
        (_SETTINGS / bridge / "disable_ipv6").write_text("1\n")
    except OSError:  # /proc/sys is read-only in most containers
        return False
    return True


def _filter(command: str, *words: str) -> str | None:
    """Run one command of a packet filter; None when there is none, or it fails."""
    found = shutil.which(command, path=os.pathsep.join((os.environ.get("PATH", os.defpath), *_PLACES)))
    if found is None:
        return None
    argv = [found, "--wait", str(round(deadlines.CONNECT)), *words]
    try:
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=deadlines.CONNECT * 2, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
