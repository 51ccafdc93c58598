"""The container engine: is it there, is it new enough, what can it do."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network
from pathlib import Path

from benchrouter.engine.client import Engine, EngineInfo
from benchrouter.engine.compose import INSTALL, ComposeMissing, find_compose
from benchrouter.engine.dind.daemons import planned_choice
from benchrouter.engine.dind.runtime import Runtime
from benchrouter.engine.docker_cli import find_cli
from benchrouter.engine.errors import EngineError
from benchrouter.engine.networks import free_networks
from benchrouter.make.doctor.finding import Finding, broken, lacking, ok
from benchrouter.spec.settings import Site

_OLDEST = (20, 10)
_SLOW_DRIVERS = {"vfs": "every layer is a whole copy: builds are slow and take many times the disk"}
_LEAST_MEMORY = 4 << 30


def examine_engine(site: Site, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Look at the engine and at what works only with it; where none answers, at nothing else."""
    try:
        engine = Engine.connect(site.engine)
    except EngineError as error:
        what = "no job can run; scores that are there are still shown, and plans"
        yield broken("engine", str(error), what, "start a Docker engine, or name one in DOCKER_HOST or `site: engine`")
        return
    try:
        info = engine.info
        yield _version(info, engine.address.url)
        yield _place(info)
        yield _driver(info)
        yield _memory(info)
        yield from _daemons(info)
        yield _compose(environ)
        yield _buildkit(info, environ)
        yield _networks(engine, site)
    except EngineError as error:
        yield broken("engine", str(error), "no job can run", "look into the engine's own log")
    finally:
        engine.close()


def _version(info: EngineInfo, url: str) -> Finding:
    found = f"Docker {info.version} at {url}, API {info.api_version}, {info.operating_system} {info.architecture}"
    numbers = tuple(int(part) for part in info.version.split(".")[:2] if part.isdigit())
    if numbers and numbers < _OLDEST:
        return lacking("engine", found, "what runs here is not tested with it", "update it to 20.10 or newer")
    return ok("engine", found)


def _place(info: EngineInfo) -> Finding:
    if info.local:
        return ok("files", "the engine is on this machine")
    return broken(
        "files",
        "the engine is on another machine",
        "containers do not see the tasks of this one",
        "use an engine of this machine, or work where the engine is",
    )


def _driver(info: EngineInfo) -> Finding:
    follows = _SLOW_DRIVERS.get(info.storage_driver)
    if follows:
        return lacking("storage", info.storage_driver, follows, "move the engine's data to a disk where overlay2 works")
    return ok("storage", f"{info.storage_driver} in {info.root_dir}")


def _memory(info: EngineInfo) -> Finding:
    found = f"{info.memory / (1 << 30):.1f} GiB, {info.ncpu} CPUs"
    if info.memory < _LEAST_MEMORY:
        return lacking("memory", found, "few jobs run at once", "run with -n 1, or declare less in `resources.reserve`")
    return ok("memory", found)


def _daemons(info: EngineInfo) -> Iterator[Finding]:
    choice = planned_choice(info)
    if choice.runtime is Runtime.SYSBOX:
        yield ok("daemons", f"tasks with `docker: true` run {choice}")
    else:
        yield lacking(
            "daemons",
            f"tasks with `docker: true` run {choice}",
            "such a task is close to root on this machine: run only those that you trust",
            "install Sysbox, and nothing else changes",
        )
    if not os.path.exists("/dev/loop-control"):
        yield lacking(
            "seeds",
            "no loop devices (/dev/loop-control)",
            "each job with `docker: true` loads its images anew, which costs time and disk",
            "load the kernel's module: modprobe loop",
        )


def _compose(environ: Mapping[str, str]) -> Finding:
    try:
        found = find_compose(environ)
    except ComposeMissing as error:
        why = str(error).removesuffix(f"; {INSTALL}")
        return lacking("compose", why, "jobs with sidecars end `unsupported`", INSTALL)
    return ok("compose", f"{found.version} ({' '.join(found.argv)})")


def _buildkit(info: EngineInfo, environ: Mapping[str, str]) -> Finding:
    cli, why = find_cli(environ)
    if cli is not None and info.buildkit:
        return ok("buildkit", f"through {cli.path} {cli.version}")
    return lacking(
        "buildkit",
        why or "the engine has none",
        "images are built by the classic builder: slower, and Dockerfiles that need BuildKit end `image_build`",
        "install the docker client with its buildx plugin (docker-ce-cli docker-buildx-plugin)",
    )


def _networks(engine: Engine, site: Site) -> Finding:
    pool = IPv4Network(site.networks)
    left, every = free_networks(engine, pool)
    found = f"{left} of {every} small networks free in {pool}"
    if left == 0:
        return lacking(
            "networks",
            found,
            "jobs that need a network of their own wait, and then end `engine`",
            "set `site: networks` to a range that nothing here uses, or remove old networks",
        )
    return ok("networks", found)


def engine_disk(site: Site) -> Path | None:
    """Give the engine's data directory where it is on this machine and can be seen."""
    try:
        engine = Engine.connect(site.engine)
    except EngineError:
        return None
    try:
        root = Path(engine.info.root_dir)
        return root if engine.info.local and os.access(root, os.F_OK) else None
    except EngineError:
        return None
    finally:
        engine.close()
