"""A machine within this one: a system from an image, no registry, a network, mounts and processes of its own.

A second engine would take the shared one's bridge and socket away. Here it finds a network namespace behind NAT, a
root directory of its own, and a process namespace that ends everything in it at once.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from project import Done, docker

TOOLS = ("ip", "iptables", "unshare", "nsenter")
CAN = os.geteuid() == 0 and all(shutil.which(tool) for tool in TOOLS)
_REGISTRIES = ("registry-1.docker.io", "auth.docker.io", "index.docker.io", "docker.io")
# The first process of the namespace; it ends with its standard input, so that nothing outlives a killed test.
_INIT = """
set -e
mount --make-rprivate /
cd "$1/system"
mount --bind . .
cd "$1/system"
mount -t proc proc proc
for each in dev sys; do mount --rbind "/$each" "$each"; done
cat /etc/resolv.conf >etc/resolv.conf
cat "$1/hosts" >etc/hosts
mkdir -p old
pivot_root . old
cd /
umount -l /old
rmdir /old
mount -t tmpfs tmpfs /run
mkdir -p /run/lock
echo ready
read -r line || :
"""
_LOGIN = {
    "HOME": "/root",
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
}
_ENTER = 'cd "$1" && shift && exec "$@"'


@dataclass(frozen=True)
class Machine:
    """`root` is the root directory and `pid` the first process, both seen from outside."""

    root: Path
    pid: int

    def run(
        self, *words: str, cwd: Path, env: Mapping[str, str] | None = None, deadline: float = 600.0
    ) -> Done:
        """Run a command in the machine to its end."""
        process = self.start(*words, cwd=cwd, env=env)
        try:
            out, err = process.communicate(timeout=deadline)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            raise AssertionError(f"{' '.join(words)} did not end in {deadline} s\n{out}\n{err}") from None
        return Done(process.returncode, out, err)

    def start(self, *words: str, cwd: Path, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        """Start a command in the machine, in a directory of it."""
        return subprocess.Popen(
            [*("nsenter", "-t", str(self.pid), "-m", "-n", "-p"), "sh", "-c", _ENTER, "sh", str(cwd), *words],
            env={**plain_environment(), **_LOGIN, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


def plain_environment() -> dict[str, str]:
    """Give the environment of a person who has not set anything of ours, nor entered our environment."""
    ours = ("BENCHROUTER_", "OPENAI_", "DOCKER_", "VIRTUAL_ENV", "PYTHON", "DOITW_", "CI")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    own = os.environ.get("VIRTUAL_ENV", "")
    path = [part for part in kept.get("PATH", os.defpath).split(os.pathsep) if not _is_venv(part, own)]
    return {**kept, "PATH": os.pathsep.join(path)}


def clone(repository: Path, target: Path) -> None:
    """Copy what git knows of a checkout, as it is in the working tree: a fresh clone."""
    if not (repository / ".git").exists():
        made = (".venv*", ".benchrouter", "cache", "results", "runs", "__pycache__", "benchrouter.local.yaml")
        shutil.copytree(repository, target, symlinks=True, ignore=shutil.ignore_patterns(*made))
        return
    words = ["git", "-c", "safe.directory=*", "ls-files", "-z"]
    listed = subprocess.run(words, cwd=repository, capture_output=True, check=True)
    for name in filter(None, listed.stdout.decode().split("\0")):
        if os.path.lexists(repository / name):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(repository / name, target / name, follow_symlinks=False)


@contextmanager
def fresh_machine(image: str) -> Iterator[Machine]:
    """Make a machine whose system is an image of the shared engine; take it away with everything that runs in it.

    Raises CalledProcessError where this machine does not allow that.
    """
    place = Path(tempfile.mkdtemp(prefix="brm-", dir="/var/tmp"))
    try:
        nowhere = "".join(f"127.0.0.1 {name}\n::1 {name}\n" for name in _REGISTRIES)
        (place / "hosts").write_text(f"127.0.0.1 localhost\n{nowhere}")
        _unpack(image, place / "system")
        with _behind_nat(place.name[-6:].lower().replace("_", "x")) as network, _first_process(network, place) as pid:
            yield Machine(place / "system", pid)
    finally:
        _remove(place)


@contextmanager
def _first_process(network: str, place: Path) -> Iterator[int]:
    command = ["nsenter", f"--net=/run/netns/{network}", "unshare", "--mount", "--pid", "--fork", "--kill-child"]
    process = subprocess.Popen(
        [*command, "sh", "-c", _INIT, "sh", str(place)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        if process.stdout.readline() != "ready\n":
            raise subprocess.CalledProcessError(process.wait(20), command)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        yield int(children[0])
    finally:
        assert process.stdin is not None
        process.stdin.close()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def _behind_nat(word: str) -> Iterator[str]:
    """Make a network namespace that reaches the world through this machine's address."""
    name, inner, outer = f"br-{word}", f"bri{word}", f"bro{word}"
    net = f"10.{os.getpid() % 200 + 20}.{int(time.time()) % 250}"
    rules = [
        ["-t", "nat", "POSTROUTING", "-s", f"{net}.0/24", "!", "-d", f"{net}.0/24", "-j", "MASQUERADE"],
        ["-t", "filter", "FORWARD", "-i", outer, "-j", "ACCEPT"],
        ["-t", "filter", "FORWARD", "-o", outer, "-j", "ACCEPT"],
    ]
    try:
        _do("ip", "netns", "add", name)
        _do("ip", "link", "add", outer, "type", "veth", "peer", "name", inner, "netns", name)
        _do("ip", "addr", "add", f"{net}.1/24", "dev", outer)
        _do("ip", "link", "set", outer, "up")
        _do("ip", "-n", name, "link", "set", "lo", "up")
        _do("ip", "-n", name, "addr", "add", f"{net}.2/24", "dev", inner)
        _do("ip", "-n", name, "link", "set", inner, "up")
        _do("ip", "-n", name, "route", "add", "default", "via", f"{net}.1")
        for rule in rules:
            _do("iptables", "-w", *_inserted(rule, "-I"))
        yield name
    finally:
        for rule in rules:
            subprocess.run(["iptables", "-w", *_inserted(rule, "-D")], check=False, capture_output=True)
        subprocess.run(["ip", "link", "del", outer], check=False, capture_output=True)
        subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)


def _unpack(image: str, target: Path) -> None:
    target.mkdir()
    container = docker("create", image, "true").strip()
    try:
        with subprocess.Popen(["docker", "export", container], stdout=subprocess.PIPE) as export:
            subprocess.run(["tar", "-x", "-C", str(target)], stdin=export.stdout, check=True)
    finally:
        docker("rm", container)


def _inserted(rule: Sequence[str], how: str) -> list[str]:
    return [*rule[:2], how, *rule[2:]]


def _do(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True)


def _is_venv(part: str, own: str) -> bool:
    return bool(own and part.startswith(own)) or (Path(part).parent / "pyvenv.cfg").exists()


def _remove(place: Path) -> None:
    mounts = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    for mount in sorted((each for each in mounts if each.startswith(f"{place}/")), reverse=True):
        subprocess.run(["umount", "-l", mount], check=False, stderr=subprocess.DEVNULL)
    shutil.rmtree(place, ignore_errors=True)
