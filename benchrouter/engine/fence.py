"""What a job's network reaches of this machine, where we may say so: as root, with the engine's own iptables.

A network without a way out still reaches its gateway, which is this machine: whatever listens on all addresses here.
And a machine that refuses by default refuses our relay, too. The rules name the bridge of one network and carry the
run in a comment; without that network they match nothing.
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


@contextmanager
def fenced(network: Network, port: int | None, run_id: str, *, closed: bool) -> Iterator[bool]:
    """Let a network reach a port of this machine, if it is `closed` no other one; tell whether that could be done."""
    iptables = _iptables()
    if iptables is None or not Path("/sys/class/net", network.bridge).exists():
        yield False
        return
    made: list[list[str]] = []
    try:
        # Each goes to the top, so the last one is looked at first.
        done = all(_insert(iptables, rule, made) for rule in _rules(network, port, run_id, closed))
        yield done
    finally:
        for rule in reversed(made):
            _run([*iptables, "-D", "INPUT", *rule])


def sweep_rules(run_id: str) -> int:
    """Remove the rules that a dead run left; return how many there were."""
    iptables = _iptables()
    if iptables is None or not run_id:
        return 0
    lines = [shlex.split(line) for line in (_run([*iptables, "-S", "INPUT"]) or "").splitlines()]
    ours = [words for words in lines if words[:2] == ["-A", "INPUT"] and _mark(run_id) in words]
    return sum(_run([*iptables, "-D", *words[1:]]) is not None for words in ours)


def _rules(network: Network, port: int | None, run_id: str, closed: bool) -> Iterator[list[str]]:
    mark = ["-m", "comment", "--comment", _mark(run_id)]
    if closed:
        yield ["-i", network.bridge, *mark, "-j", "REJECT"]
    if port is not None:
        relay = ["-d", f"{network.gateway}/32", "-p", "tcp", "-m", "tcp", "--dport", str(port)]
        yield ["-i", network.bridge, *relay, *mark, "-j", "ACCEPT"]


def _mark(run_id: str) -> str:
    return f"benchrouter {run_id}"


def _insert(iptables: list[str], rule: list[str], made: list[list[str]]) -> bool:
    if _run([*iptables, "-I", "INPUT", *rule]) is None:
        return False
    made.append(rule)
    return True


def _iptables() -> list[str] | None:
    if os.geteuid() != 0:
        return None
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), *_PLACES))
    found = shutil.which("iptables", path=path)
    return [found, "--wait", str(round(deadlines.CONNECT))] if found else None


def _run(argv: list[str]) -> str | None:
    """Run one command of the packet filter; None when it fails."""
    try:
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=deadlines.CONNECT * 2, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
