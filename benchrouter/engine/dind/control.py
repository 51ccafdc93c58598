"""The directory through which a job's own daemon and we talk: what it is given there, what it leaves there."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchrouter.engine.container_spec import Mount
from benchrouter.engine.references import parse_reference

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

    def write_contents(self, known: Mapping[str, str], inside: Iterable[str]) -> None:
        """Say what of a seed the task sees: its names for image ids, out of all the ids in the seed."""
        (self.directory / "repositories.json").write_bytes(repositories(known))
        unwanted = sorted(set(inside) - set(known.values()))
        (self.directory / "unwanted").write_text("".join(f"{each.partition(':')[2]}\n" for each in unwanted))

    def read_contents(self) -> tuple[dict[str, str], frozenset[str]]:
        """Read what a daemon that has loaded images calls them, and the ids it has; only of a container of ours."""
        named = json.loads((self.directory / "repositories.json").read_bytes())["Repositories"]
        names = {name: str(image) for each in named.values() for name, image in each.items()}
        ids = (self.directory / "ids").read_text("ascii").split()
        return names, frozenset(f"sha256:{each}" for each in ids)

    @property
    def failure(self) -> str:
        """Say why the command could not begin; empty while nothing is known."""
        return self._text("failed")

    @property
    def hopeless(self) -> bool:
        """Tell whether it would be the same another time."""
        return os.path.lexists(self.directory / "hopeless")

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


def repositories(known: Mapping[str, str]) -> bytes:
    """Write names of images in the form in which a daemon of the classic store keeps them."""
    named: dict[str, dict[str, str]] = {}
    for name, image in known.items():
        reference = parse_reference(name)
        full = reference.familiar()
        repository = full.partition("@")[0] if reference.digest else full.rpartition(":")[0]
        named.setdefault(repository, {})[full] = image
    return json.dumps({"Repositories": named}, sort_keys=True).encode()
