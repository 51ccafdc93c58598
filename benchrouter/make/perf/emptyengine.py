"""An empty engine with a restored archive, against building the same images: the shipped benchmarks' environments."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from tempfile import mkdtemp

from benchrouter.engine.client import Engine
from benchrouter.engine.errors import EngineError
from benchrouter.make.workspace_files import write_workspace_files

CAN = os.geteuid() == 0 and all(shutil.which(tool) for tool in ("dockerd", "unshare"))
BENCHMARKS = ("hello", "humaneval")
_DOIT = Path(sys.executable).with_name("doit")


def write_workspace(root: Path, shipped: Path, local: Path) -> None:
    """Copy the shipped benchmarks into a workspace of their own."""
    root.mkdir(parents=True)
    write_workspace_files(root, local)
    for name in BENCHMARKS:
        shutil.copytree(shipped / name, root / "benchmarks" / name)
        # An engine may have these images already: other keys, so that they are built.
        (root / "benchmarks" / name / "environments" / name / "perf").write_text(token_hex(8))
    if local.exists():
        shutil.copy(local, root)


def built(root: Path) -> float:
    """Build the images without any cache, and archive them afterwards; seconds of the building alone."""
    refresh = ",".join(f"{name}/{name}" for name in BENCHMARKS)
    seconds = _doit(root, "run", "image", f"refresh={refresh}", "cache=0")
    _doit(root, "run", "tar", "cache=1")
    return seconds


def loaded(root: Path, address: str) -> float:
    """Bring the same images into an empty engine; seconds."""
    return _doit(root, "run", "image", "cache=1", address=address)


@contextmanager
def empty_engine() -> Iterator[str]:
    """Start an engine of our own, without a network, and take it away again; gives its address."""
    place = Path(mkdtemp(prefix="brp-", dir="/var/tmp"))
    address = f"unix://{place}/docker.sock"
    options = ["--bridge=none", "--iptables=false", "--ip-forward=false", f"--host={address}"]
    places = [f"--data-root={place}/data", f"--exec-root={place}/exec", f"--pidfile={place}/pid"]
    with (place / "log").open("wb") as log:
        process = subprocess.Popen(["unshare", "--net", "dockerd", *options, *places], stdout=log, stderr=log)
    try:
        _wait(address)
        yield address
    finally:
        process.terminate()
        process.wait(60)
        subprocess.run(["umount", "-l", f"{place}/exec/netns/default"], check=False, capture_output=True)
        shutil.rmtree(place, ignore_errors=True)


def _wait(address: str) -> None:
    until = time.monotonic() + 60
    while True:
        try:
            return Engine.connect(address).close()
        except EngineError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


def _doit(root: Path, *words: str, address: str | None = None) -> float:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("BENCHROUTER_")}
    environ |= {"DOCKER_HOST": address} if address else {}
    began = time.perf_counter()
    done = subprocess.run([str(_DOIT), *words], cwd=root, env=environ, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"doit {' '.join(words)} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return time.perf_counter() - began
