"""The directory through which a job's own daemon and we talk: what it is given there, what it leaves there."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchrouter.engine.container_spec import Mount

CONTROL = "/run/benchrouter"
STORAGE = "/var/lib/docker"
SEED_DEVICE = "/dev/benchrouter-seed"
SCRIPT = "dind-entrypoint.sh"
_MOST = 4096
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True)
class Control:
    """The directory on our side; the job has root in it, so that nothing in it is trusted."""

    directory: Path

    @classmethod
    def fresh(cls, directory: Path, script: bytes) -> Control:
        """Make the directory, with the script in it."""
        directory.mkdir()
        directory.chmod(0o777)  # for the root of a container with users of its own; above it is closed to others
        (directory / SCRIPT).write_bytes(script)
        return cls(directory)

    @property
    def mount(self) -> Mount:
        """Put it where the script looks for it."""
        return Mount(str(self.directory), CONTROL, read_only=False)

    @property
    def images(self) -> Path:
        """Where the script reads the images that it loads."""
        return self.directory / "images.tar"

    def write_names(self, lines: Iterable[str]) -> None:
        """Say what the images that are loaded are called, line by line."""
        (self.directory / "names").write_text("".join(f"{line}\n" for line in lines))

    @property
    def failure(self) -> str:
        """Say why the command could not begin; empty while nothing is known."""
        return self._text("failed")

    @property
    def driver(self) -> str:
        """Name the storage driver that the daemon uses."""
        return self._text("driver")

    @property
    def preloaded(self) -> str:
        """Tell how the images came to be there: `seed` or `loaded`."""
        return self._text("preloaded")

    @property
    def ready(self) -> bool:
        """Tell whether the command has begun."""
        return os.path.lexists(self.directory / "ready")

    def open_log(self) -> int | None:
        """Open the daemon's log for reading; None when there is none, or it is no regular file."""
        try:
            descriptor = os.open(self.directory / "dockerd.log", _FLAGS)
        except OSError:
            return None
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return descriptor
        os.close(descriptor)
        return None

    def _text(self, name: str) -> str:
        try:
            descriptor = os.open(self.directory / name, _FLAGS)
        except OSError:
            return ""
        try:
            regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
            return os.read(descriptor, _MOST).decode(errors="replace").strip() if regular else ""
        except OSError:
            return ""
        finally:
            os.close(descriptor)
