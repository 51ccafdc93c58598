"""The machine around the engine: disk, registry, certificates, proxies, limits."""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchrouter.engine.build import ca_bundle
from benchrouter.engine.certificates import local_certificates, split_bundle
from benchrouter.engine.errors import EngineError
from benchrouter.engine.gpus import count
from benchrouter.engine.reachable import registry_answers
from benchrouter.jobs.growth import free
from benchrouter.make.doctor.engine import engine_disk
from benchrouter.make.doctor.finding import Finding, broken, lacking, ok
from benchrouter.make.limits import needed_files
from benchrouter.spec.settings import Site
from benchrouter.store.workspace import Workspace

_COMFORTABLE = 10 << 30
_SLOTS = 8
_PROXIES = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")


def examine_machine(ws: Workspace, site: Site, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Look at everything that is not the engine itself."""
    yield ok("python", f"{sys.version.split()[0]} ({sys.executable})")
    yield from _disks(ws, site)
    yield _registry(site)
    yield _certificates(site)
    yield _proxies(site, environ)
    yield _open_files()
    yield ok("gpus", f"{count()}")


def _disks(ws: Workspace, site: Site) -> Iterator[Finding]:
    need = site.limits.free_disk
    root = next(path for path in (ws.cache, ws.root) if path.exists())
    for name, path in (("disk", root), ("engine disk", engine_disk(site))):
        if path is None:
            continue
        left = free(path)
        found = f"{left / (1 << 30):.1f} GiB free at {path}"
        mend = "free some: `benchrouter cache prune`, `docker image prune`, or lower `site: limits: free_disk`"
        if left < need:
            yield broken(name, found, f"jobs end `disk`: each needs {need >> 20} MiB to start", mend)
        elif left < _COMFORTABLE:
            yield lacking(name, found, "images of larger benchmarks may not fit", mend)
        else:
            yield ok(name, found)


def _registry(site: Site) -> Finding:
    if registry_answers(site):
        return ok("registry", "a registry answers")
    aliases = f"; {len(site.image_aliases)} base images have a stand-in" if site.image_aliases else ""
    return lacking(
        "registry",
        f"neither Docker Hub nor a mirror answers{aliases}",
        "base images that are not here cannot be pulled",
        "`benchrouter bootstrap-image --missing` makes them from Debian packages; or set `site: registry_mirrors`",
    )


def _certificates(site: Site) -> Finding:
    try:
        bundle = ca_bundle(site)
    except EngineError as error:
        return broken("certificates", str(error), "no image is built and no job starts", "mend `site: ca_bundle`")
    if bundle is not None:
        found = len(split_bundle(bundle.decode("ascii", "ignore")))
        if found:
            return ok("certificates", f"{found} in {site.ca_bundle}")
        what = "no certificate in it: what they sign is not trusted"
        return lacking("certificates", str(site.ca_bundle), what, "give a file in PEM form")
    own = len(local_certificates())
    if own:
        return lacking(
            "certificates",
            f"this machine trusts {own} of its own",
            "builds and jobs do not, and fail where a proxy or a registry is signed by them",
            "set `site: ca_bundle: /etc/ssl/certs/ca-certificates.crt` in benchrouter.local.yaml",
        )
    return ok("certificates", "none of this machine's own")


def _proxies(site: Site, environ: Mapping[str, str]) -> Finding:
    given = [name for name in (site.proxies.http, site.proxies.https) if name]
    if given:
        return ok("proxies", "those of `site: proxies`")
    here = [name for name in _PROXIES if environ.get(name)]
    if here:
        return lacking(
            "proxies",
            f"{here[0]} is set here, `site: proxies` is not",
            "builds and jobs know of no proxy",
            "name it in benchrouter.local.yaml: `site: {proxies: {http: ..., https: ...}}`",
        )
    return ok("proxies", "none")


def _open_files() -> Finding:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    need = needed_files(_SLOTS)
    if hard == resource.RLIM_INFINITY or hard >= need:
        return ok("open files", "no limit" if hard == resource.RLIM_INFINITY else f"up to {hard}")
    return lacking(
        "open files",
        f"at most {hard}",
        f"{_SLOTS} jobs at once may need {need}",
        "raise the limit (ulimit -Hn), or run with a smaller -n",
    )


def examine_workspace(ws: Workspace, here: Path, dead: int) -> Iterator[Finding]:
    """Look at the workspace itself; `here` is where the person stands."""
    import os

    if not (ws.root / "dodo.py").exists():
        mend = "`benchrouter init DIRECTORY` makes one"
        yield lacking("workspace", f"none in {here} or above", "there is nothing to run", mend)
        return
    if not os.access(ws.root, os.W_OK):
        yield broken("workspace", f"{ws.root} cannot be written to", "no run can begin", "change its owner or its mode")
    else:
        yield ok("workspace", str(ws.root))
    if dead:
        yield lacking(
            "killed runs",
            f"{dead} left something behind",
            "their containers may still be running",
            "nothing to do: the next run sweeps them up",
        )
