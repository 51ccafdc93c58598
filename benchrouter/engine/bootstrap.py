"""Making a base image from Debian packages, for places where no registry answers."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchrouter.engine.builders import OWNER_VARIABLE
from benchrouter.engine.certificates import HOST_BUNDLE, local_certificates
from benchrouter.engine.client import Engine
from benchrouter.engine.errors import (
    BuildCancelled,
    DiskFull,
    EngineError,
    ImageBuildFailed,
    means_disk_full,
)
from benchrouter.engine.guarded import run_guarded
from benchrouter.engine.images import Image, inspect_image, remove_name
from benchrouter.engine.labels import BOOTSTRAPPED, RUN, bootstrap_labels
from benchrouter.engine.naming import name_image
from benchrouter.engine.recipes import Recipe, recipe_for
from benchrouter.engine.references import parse_reference
from benchrouter.spec.settings import Site

PREFIX = "benchrouter-bootstrap"
_DEBIAN = "http://deb.debian.org/debian"
_DEADLINE = 1200.0
_TAIL = 30
# Documentation and translations are left out, as Debian's own slim images do. As options of mmdebstrap the exclusions
# would send each package through a filter in Python, which takes longer than all the rest.
_EXCLUDE = """#!/bin/sh
set -eu
cd "$1"
for each in man doc locale info; do
    rm -rf "usr/share/$each"/*
    echo "path-exclude=/usr/share/$each/*" >>etc/dpkg/dpkg.cfg.d/99mmdebstrap
done
"""
_FINISH = """#!/bin/sh
set -eu
root=$1
here=$(dirname "$0")
mkdir -p "$root/usr/local/share/ca-certificates"
for each in "$here"/certs/*.crt; do
    [ -e "$each" ] && cp "$each" "$root/usr/local/share/ca-certificates/"
done
[ -x "$root/usr/sbin/update-ca-certificates" ] && chroot "$root" update-ca-certificates >/dev/null
printf '#!/bin/sh\\nexit 101\\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
if [ -e "$here/sources.list" ]; then
    cp "$here/sources.list" "$root/etc/apt/sources.list"
fi
rm -f "$root"/usr/lib/python3*/EXTERNALLY-MANAGED
# Debian leaves out the lists of files by which pip replaces a package, and a pinned newer one could not be installed.
for info in "$root"/usr/lib/python3/dist-packages/*-info; do
    case $info in
        *.egg-info) list=$info/installed-files.txt base=../ ;;
        *) list=$info/RECORD base= ;;
    esac
    [ -d "$info" ] && [ ! -e "$list" ] || continue
    owner=$(chroot "$root" dpkg-query --search "${info#"$root"}" | head -n 1 | cut -d: -f1)
    [ -n "$owner" ] || continue
    chroot "$root" dpkg-query --listfiles "$owner" | grep -v __pycache__ | while read -r path; do
        [ -d "$root$path" ] || echo "$path"
    done | sed -n "s|^/usr/lib/python3/dist-packages/|$base|p" | sed "$([ -n "$base" ] || echo 's/$/,,/')" >"$list"
done
# As in Debian's own images: else each layer that installs a package has its file and 80 MB of apt's index in it.
echo 'DPkg::Post-Invoke { "rm -f /var/cache/apt/*.bin /var/cache/apt/archives/*.deb || true"; };' \\
    >"$root/etc/apt/apt.conf.d/keep-nothing"
rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/*.bin "$root"/var/cache/apt/archives/*.deb
"""


@dataclass(frozen=True)
class Bootstrapped:
    """A stand-in: `ref` is what it stands in for, `name` the image made, `note` where it differs."""

    ref: str
    name: str
    image_id: str
    suite: str
    packages: tuple[str, ...]
    note: str
    made: bool


@contextmanager
def _temporary() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="benchrouter-bootstrap-", ignore_cleanup_errors=True) as place:
        yield Path(place)


def bootstrap(
    engine: Engine,
    ref: str,
    *,
    packages: tuple[str, ...] = (),
    suite: str | None = None,
    site: Site | None = None,
    cancelled: threading.Event,
    on_line: Callable[[str], None] = lambda _: None,
    again: bool = False,
    labels: Mapping[str, str] | None = None,
    scratch: Callable[[], AbstractContextManager[Path]] = _temporary,
) -> Bootstrapped:
    """Make an image that stands in for `ref`; one that is there already is kept unless `again`.

    `labels` are those of the run's containers: they tell a sweep whose the image is while it is being made, and the
    processes that make it. `scratch` makes an empty directory and removes it.

    Raises ValueError where no recipe is known, EngineError without the tools, ImageBuildFailed, DiskFull,
    BuildCancelled. The alias is written by `local_settings.add_alias`.
    """
    recipe = recipe_for(ref, packages, suite)
    name = stand_in_name(ref)
    there = None if again or packages or suite else standing(engine, ref)
    if there is not None:
        return Bootstrapped(ref, name, there.id, recipe.suite, recipe.packages, recipe.note, made=False)
    labels = labels or {}
    with scratch() as place:
        place.chmod(0o755)  # mmdebstrap's hooks may run as another user
        _write_hooks(place, (site or Site()).ca_bundle)
        if (site is not None and site.apt_mirror) or _tool("mmdebstrap") is None:
            (place / "sources.list").write_text(_sources(recipe.suite), "ascii")
        tree = _make_tree(recipe, place, site or Site(), on_line, cancelled, labels.get(RUN, ""))
        made = _import(engine, tree, name, recipe, {BOOTSTRAPPED: ref, **bootstrap_labels(labels)})
    image = name_image(
        engine,
        made,
        name,
        labels=labels,
        drop=lambda old: _drop(engine, old, ref),
        replace=again or bool(packages or suite),
    )
    return Bootstrapped(ref, name, image, recipe.suite, recipe.packages, recipe.note, made=True)


def standing(engine: Engine, ref: str) -> Image | None:
    """Find the stand-in of a reference that some workspace has made before."""
    found = inspect_image(engine, stand_in_name(ref))
    return found if found is not None and BOOTSTRAPPED in found.labels else None


def stand_in_name(ref: str) -> str:
    """Name the image that stands in for a reference."""
    reference = parse_reference(ref)
    path = reference.path.removeprefix("library/") if reference.host == "docker.io" else reference.repository
    tag = reference.tag or (reference.digest or "latest").replace(":", "-")
    return f"{PREFIX}/{path.replace(':', '-')}:{tag[:128]}"


def _write_hooks(place: Path, bundle: Path | None) -> None:
    for name, text in (("exclude", _EXCLUDE), ("finish", _FINISH)):
        (place / name).write_text(text, "ascii")
        (place / name).chmod(0o755)
    certs = place / "certs"
    certs.mkdir()
    for number, certificate in enumerate(local_certificates(bundle or HOST_BUNDLE)):
        (certs / f"benchrouter-site-{number}.crt").write_text(certificate, "ascii")


def _sources(suite: str) -> str:
    """Write Debian's own source list: no mirror may end in an image, and debootstrap leaves out the updates."""
    lines = [f"deb {_DEBIAN} {suite} main"]
    if suite not in ("sid", "forky"):
        lines.append(f"deb {_DEBIAN} {suite}-updates main")
        lines.append(f"deb {_DEBIAN}-security {suite}-security main")
    return "\n".join(lines) + "\n"


def _make_tree(
    recipe: Recipe,
    place: Path,
    site: Site,
    on_line: Callable[[str], None],
    cancelled: threading.Event,
    run_id: str,
) -> Path:
    tree = place / "tree.tar"
    tail: deque[str] = deque(maxlen=_TAIL)

    def hear(line: str) -> None:
        tail.append(line)
        on_line(line)

    environment = {"PATH": "/usr/local/sbin:/usr/sbin:/sbin", **os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    environment["TMPDIR"] = str(place)  # what a killed mmdebstrap leaves goes with the rest
    environment |= {OWNER_VARIABLE: run_id} if run_id else {}
    ended = run_guarded(_command(recipe, place, tree, site), environment, hear, cancelled, _DEADLINE)
    if ended.cancelled:
        raise BuildCancelled("stopped because the run was")
    if ended.code != 0:
        text = "\n".join(tail)
        if means_disk_full(text):
            raise DiskFull("making a base image: no space left")
        late = f" within {_DEADLINE:.0f} s" if ended.timed_out else ""
        raise ImageBuildFailed(f"Debian {recipe.suite} could not be installed{late}", text)
    return tree


def _command(recipe: Recipe, place: Path, tree: Path, site: Site) -> list[str]:
    include = ",".join(recipe.packages)
    finish = shlex.quote(str(place / "finish"))
    mmdebstrap, debootstrap = _tool("mmdebstrap"), _tool("debootstrap")
    mirror = [site.apt_mirror] if site.apt_mirror else []
    if mmdebstrap is not None:
        exclude = shlex.quote(str(place / "exclude"))
        hooks = [f'--extract-hook={exclude} "$1"', f'--customize-hook={finish} "$1"']
        options = ["--variant=minbase", "--aptopt=Acquire::Languages \"none\"", f"--include={include}"]
        return [mmdebstrap, *options, "--dpkgopt=force-unsafe-io", *hooks, recipe.suite, str(tree), *mirror]
    if debootstrap is None:
        raise EngineError("making a base image needs mmdebstrap or debootstrap: `apt-get install mmdebstrap`")
    if os.geteuid() != 0:
        raise EngineError("debootstrap needs root; `apt-get install mmdebstrap` works without")
    root = shlex.quote(str(place / "root"))
    script = (
        f"set -e; {shlex.quote(debootstrap)} --variant=minbase --include={shlex.quote(include)} "
        f"{shlex.quote(recipe.suite)} {root} {shlex.quote(mirror[0] if mirror else _DEBIAN)}; "
        f"{finish} {root}; tar -C {root} --numeric-owner --one-file-system -cf {shlex.quote(str(tree))} ."
    )
    return ["/bin/sh", "-c", script]


def _tool(name: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin:/usr/local/sbin")


def _import(engine: Engine, tree: Path, name: str, recipe: Recipe, labels: Mapping[str, str]) -> str:
    changes = [f'CMD ["{recipe.command}"]', *(f'LABEL {label}="{text}"' for label, text in labels.items())]
    changes += [f"ENV {variable}={value}" for variable, value in recipe.environment]
    with engine.errors(f"importing {name}"):
        api: Any = engine.slow
        said = str(api.import_image_from_file(str(tree), changes=changes))
    made = re.search(r"sha256:[0-9a-f]{64}", said)
    if made is None:
        raise EngineError(f"the engine did not import {name}: {said.strip()[:200]}")
    return made[0]


def _drop(engine: Engine, image: str, ref: str) -> None:
    found = inspect_image(engine, image)
    if found is not None and not found.tags and found.labels.get(BOOTSTRAPPED) == ref:
        remove_name(engine, found.id)
