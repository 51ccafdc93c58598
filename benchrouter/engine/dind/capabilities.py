"""Capabilities of Linux: their names, and which of them a Docker daemon needs (pure, but for one file read)."""

from __future__ import annotations

from pathlib import Path

_ALL = (
    "CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE "
    "NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT "
    "SYS_ADMIN SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL "
    "SETFCAP MAC_OVERRIDE MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF CHECKPOINT_RESTORE"
)
_USUAL = "CHOWN DAC_OVERRIDE FSETID FOWNER MKNOD NET_RAW SETGID SETUID SETFCAP SETPCAP NET_BIND_SERVICE SYS_CHROOT"

NAMES = tuple(_ALL.split())
"""In the order of their numbers."""

OF_CONTAINERS = (*_USUAL.split(), "KILL", "AUDIT_WRITE")
"""What Docker gives to every container: a daemon that lacks one of them cannot start any."""

OF_DAEMON = ("SYS_ADMIN", "NET_ADMIN")
"""Mounts, control groups and namespaces; bridges, addresses and packet filters. Without them there is no daemon."""

WELCOME = ("SYS_PTRACE", "SYS_RESOURCE", "SYS_NICE", "IPC_LOCK")
"""Looking into containers, limits and priorities that a task may give to its own ones.

Not among them: DAC_READ_SEARCH, which opens any file of the host's file system by its handle; modules, raw
devices, the clock, the kernel's log.
"""

FEWEST = (*OF_CONTAINERS, *OF_DAEMON)
NEEDED = (*FEWEST, *WELCOME)


def bounding_set(status: str) -> frozenset[str] | None:
    """Read the bounding set in the text of a /proc/<pid>/status; None when it is not there."""
    for line in status.splitlines():
        name, _, value = line.partition(":")
        if name == "CapBnd":
            mask = int(value.strip(), 16)
            return frozenset(known for number, known in enumerate(NAMES) if mask >> number & 1)
    return None


def known_to_kernel(last: str) -> frozenset[str]:
    """Name the capabilities up to the number in the text of /proc/sys/kernel/cap_last_cap."""
    return frozenset(NAMES[: int(last.strip()) + 1])


def read_host() -> tuple[frozenset[str], frozenset[str]] | None:
    """Read what this machine can give and what its kernel knows; None where that is not to be had.

    Inside an ordinary container the reading is that container's, not the engine's: what no engine could work
    with is not believed.
    """
    try:
        bounding = bounding_set(Path("/proc/self/status").read_text("ascii", "replace"))
        known = known_to_kernel(Path("/proc/sys/kernel/cap_last_cap").read_text("ascii"))
    except (OSError, ValueError):
        return None
    return (bounding, known) if bounding is not None and bounding.issuperset(FEWEST) else None
