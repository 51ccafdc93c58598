"""Making a seed in a container of the environment: it needs no rights of ours on the host."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_hex

from benchrouter.engine import deadlines
from benchrouter.engine.client import Engine
from benchrouter.engine.container_spec import ContainerSpec, Mount, Privileges
from benchrouter.engine.containers import run_container
from benchrouter.engine.dind.control import STORAGE, Control
from benchrouter.engine.dind.pipe import piped
from benchrouter.engine.dind.preload import Preload, Source
from benchrouter.engine.errors import Cancelled, EngineError
from benchrouter.engine.references import normal_form

SEEDS = "/run/benchrouter-seeds"
LOOP_DEVICES = ("b 7:* rwm", "c 10:237 rwm")
SPARE = 2 << 30
_MKFS = ("-q", "-F", "-m", "0", "-i", "8192", "-O", "^has_journal,^resize_inode", "-E", "nodiscard")
_MOST_SAID = 4000


@dataclass(frozen=True)
class Workshop:
    """What a seed is made and held with: the environment's image, the rights its daemons run with, our labels."""

    engine: Engine
    image: str
    privileges: Privileges
    labels: Mapping[str, str]

    def spec(self, verb: str, seed: Path, mounts: tuple[Mount, ...], rights: Privileges) -> ContainerSpec:
        """Describe a container that does one of the script's two things with a seed."""
        script = (Path(__file__).parent / "seed.sh").read_text("ascii")
        return ContainerSpec(
            name=f"benchrouter-seed-{token_hex(6)}",
            image=self.image,
            entrypoint=("/bin/sh",),
            command=("-c", script, "seed.sh", verb, f"{SEEDS}/{seed.name}"),
            workdir="/",
            environment={},
            mounts=mounts,
            network="none",
            labels=self.labels,
            stop_grace=2.0,
            user="0:0",
            privileges=rights,
        )


def size_of(preload: Preload) -> int:
    """Give a size for a seed's file system, with room to spare: what is not used takes no space."""
    return 2 * preload.size + SPARE


def make_seed(
    shop: Workshop,
    target: Path,
    preload: Preload,
    control: Path,
    script: bytes,
    source: Source,
    cancelled: threading.Event,
) -> dict[str, str]:
    """Fill the file `target` with the storage of a daemon that has loaded `preload` out of `source`.

    `control` is a directory to make for it, `script` the entrypoint of a job. Returns what the engine's image ids
    are in there. Raises EngineError or Cancelled.
    """
    _format(target)
    talk = Control.fresh(control, script)
    talk.write_names(())
    rights = shop.privileges
    if not rights.privileged:
        rights = replace(rights, device_rules=LOOP_DEVICES)
    mounts = (talk.mount, Mount(str(target.parent), SEEDS, read_only=False))
    said = bytearray()
    with piped(talk.images, source) as pipe:
        ended = run_container(
            shop.engine,
            replace(shop.spec("make", target, mounts, rights), volumes=(STORAGE,)),
            timeout=deadlines.PRELOAD,
            on_output=lambda _, data: said.extend(data[: max(0, _MOST_SAID - len(said))]),
            cancelled=cancelled,
        )
    if ended.cancelled:
        raise Cancelled("interrupted while a seed was made")
    if ended.code != 0:
        words = talk.failure or said.decode(errors="replace").strip()[-300:] or f"status {ended.code}"
        raise EngineError(f"making a seed of the images: {pipe.fault or words}")
    return _inside(talk, preload)


def _inside(talk: Control, preload: Preload) -> dict[str, str]:
    """Find the images in the daemon that loaded them: by name, or by an id that is the same there."""
    try:
        names, ids = talk.read_contents()
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise EngineError(f"making a seed of the images: its contents cannot be read: {error}") from None
    inside = {
        image: names.get(normal_form(source), image) for source, image in preload.ids.items()
    }
    lost = [source for source, image in preload.ids.items() if inside[image] not in ids]
    if lost:
        raise EngineError(f"making a seed of the images: {lost[0]} is not in it")
    return inside


def _format(target: Path) -> None:
    """Make the file system, or leave a note for the container to do it, where this machine has not the tool."""
    tool = shutil.which("mkfs.ext4") or shutil.which("mkfs.ext4", path="/usr/sbin:/sbin")
    if tool is None:
        target.with_name(target.name + ".bare").touch()
        return
    done = subprocess.run([tool, *_MKFS, str(target)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise EngineError(f"making a file system for a seed: {done.stderr.strip()[:300]}")
