"""The image archive against `docker save | zstd` and `zstd -d | docker load`, and against building the same images."""

from __future__ import annotations

import shutil
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from secrets import token_hex

from benchrouter.engine.archive import Archive, Entry, load, save
from benchrouter.engine.bases import alias_of, present
from benchrouter.engine.client import Engine
from benchrouter.engine.images import Image, inspect_image, remove_name
from benchrouter.spec.settings import Site
from benchrouter.store.workspace import Workspace

ROUNDS = 3
IMAGES = 6
_BASE = "debian:bookworm-slim"
_COPIES = 5  # of /usr, so that the image has about 600 MB


class Trial:
    """One large image that shares no layer with others, and six small ones on one base; all removed at the end."""

    def __init__(self, root: Path, engine: Engine, site: Site) -> None:
        self.engine = engine
        self._root = root
        root.mkdir(parents=True)
        alias = alias_of(_BASE, site)
        self._base = _BASE if present(engine, _BASE) or alias is None else alias
        self._word = token_hex(4)
        self._container = f"benchrouter-perf-{self._word}"
        self._whole = f"benchrouter-perf/whole-{self._word}:1"
        self.large = f"benchrouter-perf/large-{self._word}:1"
        self.small = [f"benchrouter-perf/small-{self._word}:{n}" for n in range(IMAGES)]

    def make(self) -> None:
        """Make the images."""
        copies = " && ".join(
            f"mkdir /copy{n} && cp -a /usr/lib /copy{n}/ && echo {self._word}{n} >/copy{n}/own" for n in range(_COPIES)
        )
        self._build(self._whole, copies)
        # Without its base's layers: the engine would skip those on both sides.
        _output(f"docker create --name {self._container} {self._whole} true")
        _shell(f"docker export {self._container} | docker import - {self.large}", self._root)
        for number, name in enumerate(self.small):
            self._build(name, f"cp -a /usr/share /own{number}; echo {self._word}{number} >/own")

    def _build(self, name: str, script: str) -> None:
        text = f"FROM {self._base}\nRUN {script}\n"
        command = ["docker", "build", "-q", "--network", "none", "-t", name, "-"]
        subprocess.run(command, input=text, text=True, check=True, capture_output=True)

    def saving(self) -> tuple[float, float]:
        """Save the large image into an empty archive, and by hand."""
        theirs = _timed(lambda: _shell(f"docker save {self.large} | zstd -1 -q -f -o large.zst", self._root))
        archive = self._empty_archive()
        ours = _timed(lambda: self._save(archive, self.large))
        return ours, theirs

    def loading(self) -> tuple[float, float]:
        """Load what `saving` left, each time into an engine that has nothing of it."""
        archive = Archive(Workspace(self._root / "archive"))
        entry = archive.find(self.large)
        assert entry is not None
        remove_name(self.engine, self.large)
        theirs = _timed(lambda: _shell("zstd -d -q -c large.zst | docker load -q", self._root))
        remove_name(self.engine, self.large)
        ours = _timed(lambda: load(archive, self.engine, entry, [self.large], cancelled=threading.Event()))
        return ours, theirs

    def sharing(self) -> tuple[float, float]:
        """Bytes of the archive with six images on one base, and of their distinct layers compressed by hand."""
        archive = self._empty_archive()
        for name in self.small:
            self._save(archive, name)
        _shell(f"docker save {' '.join(self.small)} | tar x -C .", self._directory("layers"))
        layers = [path for path in self._root.glob("layers/*/layer.tar") if not path.is_symlink()]
        layers += [path for path in self._root.glob("layers/blobs/sha256/*") if path.stat().st_size > 1 << 20]
        theirs = sum(len(_zstd(path)) for path in layers)
        return archive.size(), theirs

    def _save(self, archive: Archive, name: str) -> Entry:
        image = inspect_image(self.engine, name)
        assert isinstance(image, Image)
        return save(archive, self.engine, image, name, cancelled=threading.Event())

    def _empty_archive(self) -> Archive:
        return Archive(Workspace(self._directory("archive")).ensure())

    def _directory(self, name: str) -> Path:
        shutil.rmtree(self._root / name, ignore_errors=True)
        (self._root / name).mkdir()
        return self._root / name

    def remove(self) -> None:
        """Take away what was made of the container and the images."""
        subprocess.run(["docker", "rm", "-f", self._container], capture_output=True, check=False)
        for name in (self._whole, self.large, *self.small):
            remove_name(self.engine, name)


def _timed(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def _zstd(path: Path) -> bytes:
    return subprocess.run(["zstd", "-1", "-q", "-c", path], capture_output=True, check=True).stdout


def _shell(command: str, where: Path) -> None:
    subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=where, check=True, stdout=subprocess.DEVNULL)


def _output(command: str) -> str:
    return subprocess.run(command.split(), capture_output=True, text=True, check=True).stdout.strip()
