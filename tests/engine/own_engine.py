"""An engine of a test's own, beside the one that all share: to be stopped, killed, filled."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchrouter.engine.client import Engine
from benchrouter.engine.errors import EngineError

CAN = os.geteuid() == 0 and shutil.which("dockerd") is not None


class OwnEngine:
    """A dockerd with directories of its own and no bridge; `megabytes` puts its data on a small file system."""

    def __init__(self, place: Path, megabytes: int | None = None) -> None:
        self.place = place
        self.data = place / "data"
        self.data.mkdir(parents=True)
        self.address = f"unix://{place / 'docker.sock'}"
        self._mounted = megabytes is not None
        if megabytes is not None:
            _mount_small(place / "disk", self.data, megabytes)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> Engine:
        """Start it and connect."""
        log = (self.place / "log").open("ab")
        self._process = subprocess.Popen(
            [
                # Without a network namespace of its own it would take the shared engine's bridge away.
                *("unshare", "--net", "dockerd"),
                f"--host={self.address}",
                f"--data-root={self.data}",
                f"--exec-root={self.place / 'exec'}",
                f"--pidfile={self.place / 'pid'}",
                "--bridge=none",
                "--iptables=false",
                "--ip-forward=false",
            ],
            stdout=log,
            stderr=log,
        )
        log.close()
        until = time.monotonic() + 60
        while True:
            try:
                return Engine.connect(self.address)
            except EngineError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.2)

    def send(self, number: signal.Signals) -> None:
        """Signal it."""
        assert self._process is not None
        self._process.send_signal(number)

    def close(self) -> None:
        """Stop it and take its file system away."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGCONT)
            self._process.terminate()
            try:
                self._process.wait(30)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        _end_containerd(self.place)
        for mount in _mounts_below(self.place):
            subprocess.run(["umount", "-l", mount], check=False, stderr=subprocess.DEVNULL)
        shutil.rmtree(self.place, ignore_errors=True)


@contextlib.contextmanager
def own_engine(megabytes: int | None = None) -> Iterator[OwnEngine]:
    """Make an engine in a short path (a socket's name may have 107 bytes) and take it away again."""
    own = OwnEngine(Path(tempfile.mkdtemp(prefix="bre-", dir="/var/tmp")), megabytes)
    try:
        yield own
    finally:
        own.close()


def copy_image(source: Engine, image: str, target: Engine) -> None:
    """Copy an image from one engine to another."""
    with tempfile.TemporaryFile() as file:
        for chunk in source.slow.get_image(image):
            file.write(chunk)
        file.seek(0)
        for _ in target.slow.load_image(file):
            pass


def _mount_small(disk: Path, data: Path, megabytes: int) -> None:
    with disk.open("wb") as file:
        file.truncate(megabytes << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", str(disk)], check=True)
    subprocess.run(["mount", "-o", "loop", str(disk), str(data)], check=True)


def _mounts_below(place: Path) -> list[str]:
    mounts = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    return sorted((mount for mount in mounts if mount.startswith(f"{place}/")), reverse=True)


def _end_containerd(place: Path) -> None:
    """End the containerd and the containers that a killed dockerd left: all have our directory in their command."""
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if f"{place}/".encode() in entry.read_bytes() and int(entry.parent.name) != os.getpid():
                os.kill(int(entry.parent.name), signal.SIGKILL)
        except OSError:
            continue
