"""The engine that Debian 13 ships, in a root of its own: with images as it keeps them, or in containerd's store."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchrouter.engine.client import Engine
from benchrouter.engine.errors import EngineError

CAN = os.geteuid() == 0 and all(shutil.which(tool) for tool in ("mmdebstrap", "unshare", "chroot"))
_PACKAGES = "docker.io,iptables,ca-certificates,e2fsprogs"
# dockerd wants to make its own root private, so that has to be a mount.
_START = """
mount --bind "$1" "$1"
mount -t proc proc "$1/proc"
mount -t sysfs sysfs "$1/sys"
mount --rbind /sys/fs/cgroup "$1/sys/fs/cgroup"
mount --rbind /dev "$1/dev"
mount -t tmpfs tmpfs "$1/run"
mount --bind "$2" "$1/engine/data"
exec chroot "$1" dockerd --config-file /engine/daemon.json --host unix:///engine/docker.sock \
    --data-root /engine/data --exec-root /run/engine --pidfile /run/engine.pid \
    --bridge=none --iptables=false --ip6tables=false --ip-forward=false
"""


def make_root() -> Path:
    """Install the engine of Debian 13 below a directory; takes about a minute."""
    root = Path(tempfile.mkdtemp(prefix="brn-", dir="/var/tmp"))
    root.chmod(0o755)
    command = ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={_PACKAGES}", "trixie", str(root)]
    subprocess.run([*command, "http://deb.debian.org/debian"], check=True, capture_output=True)
    return root


@contextmanager
def newer_engine(root: Path, *, containerd_store: bool) -> Iterator[Engine]:
    """Start it with no images, connect, and take it away with its data."""
    place, data = root / "engine", Path(tempfile.mkdtemp(prefix="brn-data-", dir="/var/tmp"))
    (place / "data").mkdir(parents=True, exist_ok=True)
    told = "true" if containerd_store else "false"
    (place / "daemon.json").write_text(f'{{"features": {{"containerd-snapshotter": {told}}}}}')
    spaces = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private"]
    with (place / "log").open("wb") as log:
        process = subprocess.Popen([*spaces, "sh", "-ec", _START, "sh", root, data], stdout=log, stderr=log)
    try:
        yield _connected(f"unix://{place}/docker.sock")
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(data, ignore_errors=True)


def _connected(address: str) -> Engine:
    until = time.monotonic() + 60
    while True:
        try:
            return Engine.connect(address)
        except EngineError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)
