"""Who is at work here: each owner writes itself into `runs/` and holds a kernel lock on that file.

The lock is the first truth: it is gone exactly when the process is gone. Facts about the process come second,
and only to spare: an owner that might live, or that we cannot judge from here, is never called dead.
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Any

from benchrouter.store import documents, layout
from benchrouter.store.atomic import TEMPORARY, sync
from benchrouter.store.flock import try_flock
from benchrouter.store.killed import record_killed
from benchrouter.store.problems import StoreError, Unwritable
from benchrouter.store.runs import new_run_id
from benchrouter.store.workspace import Workspace


@dataclass(frozen=True)
class Owner:
    """One process that may own containers: `start_time` in clock ticks since boot, `pid_ns` an inode."""

    run_id: str
    pid: int
    start_time: int
    boot_id: str
    pid_ns: int
    host: str

    @classmethod
    def this_process(cls, run_id: str) -> Owner:
        """Describe the calling process."""
        pid = os.getpid()
        return cls(run_id, pid, _start_time(pid) or 0, _boot_id(), _pid_ns(), socket.gethostname())

    @property
    def label(self) -> str:
        """Render the owner as the value of a label."""
        return f"pid={self.pid} start={self.start_time} boot={self.boot_id} pidns={self.pid_ns}"


@dataclass
class Journal:
    """The entry of this process, locked; leaving the context removes it (a clean end), unless abandoned."""

    owner: Owner
    path: Path
    descriptor: int

    @classmethod
    def open(cls, ws: Workspace, run_id: str | None = None) -> Journal:
        """Write this process into `runs/`: locked before it is visible, durable before it returns.

        Raise Unwritable where nothing can be written.
        """
        owner = Owner.this_process(run_id or new_run_id())
        path = layout.owner_file(ws, owner.run_id)
        hidden = path.with_name(f".{path.name}.{secrets.token_hex(4)}{TEMPORARY}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(hidden, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise Unwritable(ws.root, error) from error
        try:
            try_flock(descriptor)
            facts = {**asdict(owner), "inode": os.fstat(descriptor).st_ino}
            os.write(descriptor, documents.to_bytes(facts))
            os.fsync(descriptor)
            hidden.rename(path)
            sync(path.parent)
        except BaseException:
            os.close(descriptor)
            hidden.unlink(missing_ok=True)
            raise
        return cls(owner, path, descriptor)

    def close(self) -> None:
        """Remove the entry: everything that the run created is gone."""
        if self.descriptor >= 0:
            self.path.unlink(missing_ok=True)
            self.abandon()

    def abandon(self) -> None:
        """Let go but leave the entry: something could not be removed, and the next start has to sweep."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def dead_owners(ws: Workspace) -> list[Owner]:
    """List owners that ended without a clean end, oldest first; write nothing."""
    entries = sorted(ws.runs.glob("*.owner")) if ws.runs.is_dir() else []
    return [owner for owner in map(_if_dead, entries) if owner is not None]


def living_owners(ws: Workspace) -> int:
    """Count owners whose lock is held."""
    return sum(_locked(path) for path in ws.runs.glob("*.owner"))


def living(ws: Workspace) -> list[Owner]:
    """List owners whose lock is held, oldest first."""
    entries = sorted(ws.runs.glob("*.owner")) if ws.runs.is_dir() else []
    owners = [_read_owner(path) for path in entries if _locked(path)]
    return [owner for owner in owners if owner is not None]


def interrupt(ws: Workspace, owner: Owner) -> None:
    """Send a living owner what Ctrl-C sends; raise StoreError when its process is not certainly that owner."""
    path = layout.owner_file(ws, owner.run_id)
    if not path.exists() or not _locked(path):
        raise StoreError(f"run {owner.run_id} is not under way any more")
    if (owner.boot_id, owner.pid_ns) != (_boot_id(), _pid_ns()):
        raise StoreError(f"run {owner.run_id} belongs to process {owner.pid} elsewhere, on {owner.host}: stop it there")
    try:
        process = os.pidfd_open(owner.pid)  # from here on the number cannot come to mean another process
    except OSError as error:
        raise StoreError(f"run {owner.run_id}: process {owner.pid}: {error.strerror}") from None
    try:
        if _start_time(owner.pid) != owner.start_time:
            raise StoreError(f"run {owner.run_id}: process {owner.pid} is another one by now; nothing was sent")
        signal.pidfd_send_signal(process, signal.SIGINT)
    except OSError as error:
        raise StoreError(f"run {owner.run_id}: process {owner.pid}: {error.strerror}") from None
    finally:
        os.close(process)


def oldest_living(ws: Workspace) -> float | None:
    """Tell when the oldest living owner began, in seconds since the epoch; None when nobody is at work."""
    began: list[float] = []
    for path in ws.runs.glob("*.owner"):
        try:
            written = path.stat().st_mtime
        except FileNotFoundError:
            continue
        if _locked(path):
            began.append(written)
    return min(began, default=None)


def forget(ws: Workspace, owner: Owner) -> None:
    """Drop a dead owner's entry: what it left has been swept, and its run is on record.

    Where a full disk does not take the record, the entry stays, and the next start tries again.
    """
    try:
        record_killed(ws, owner.run_id)
    except OSError:
        return
    layout.live_file(ws, owner.run_id).unlink(missing_ok=True)
    layout.owner_file(ws, owner.run_id).unlink(missing_ok=True)


def _locked(path: Path) -> bool:
    return _probe(path) is None


def _probe(path: Path) -> int | None:
    """Return the inode of an entry whose lock is free; None when it is held (or gone: a clean end)."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        # shared: two starts that look at the same moment do not take each other for the living owner
        return os.fstat(descriptor).st_ino if try_flock(descriptor, shared=True) else None
    finally:
        os.close(descriptor)


def _if_dead(path: Path) -> Owner | None:
    inode = _probe(path)
    facts = documents.read(path) if inode is not None else None
    owner = _owner_of(path, facts) if facts is not None else None
    if facts is None or owner is None:  # held, or torn
        return None
    copied = facts.get("inode") != inode
    return owner if _judged_dead(owner, copied=copied) else None


def _read_owner(path: Path) -> Owner | None:
    facts = documents.read(path)
    return _owner_of(path, facts) if facts is not None else None


def _owner_of(path: Path, facts: dict[str, Any]) -> Owner | None:
    try:
        owner = Owner(**{field.name: facts[field.name] for field in fields(Owner)})
    except KeyError:
        return None
    return owner if path.name == f"{owner.run_id}.owner" else None


def _judged_dead(owner: Owner, *, copied: bool) -> bool:
    """Judge an owner whose entry nobody holds; the lock of a copied entry says nothing, that of the original might."""
    if owner.boot_id != _boot_id():
        # another boot: of this machine (everything it ran has ended), or another machine with the same files
        return owner.host == socket.gethostname()
    if owner.pid_ns != _pid_ns():
        return not copied  # same kernel, so the free lock is proof; its pid means nothing here
    return _start_time(owner.pid) != owner.start_time and not (copied and _hidden(owner.pid))


def _hidden(pid: int) -> bool:
    """Tell whether there is a process of which /proc does not tell us."""
    if os.path.exists(f"/proc/{pid}/stat"):
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _start_time(pid: int) -> int | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    rest = stat[stat.rindex(b")") + 2 :].split()  # the name before it may hold anything
    return None if rest[0] in (b"Z", b"X") else int(rest[19])


def _boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return "unknown"


def _pid_ns() -> int:
    try:
        return os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        return 0
