"""System call filters for containers that have most rights, but must leave some devices alone (pure)."""

from __future__ import annotations

import json

_WHOLE = 0xFFFF_FFFF
# The kernel takes an ioctl's number as 32 bits: whatever stands above them must not get around the comparison.
_LOOP_IOCTLS = (0xFFFF_FF00, 0x4C00)  # linux/loop.h: 0x4C00 to 0x4C0A; loop-control's are 0x4C80 to 0x4C82
_BLKROSET = (_WHOLE, 0x125D)  # linux/fs.h: lifts a device's write protection
_ARCHITECTURES = {
    "SCMP_ARCH_X86_64": ["SCMP_ARCH_X86", "SCMP_ARCH_X32"],
    "SCMP_ARCH_AARCH64": ["SCMP_ARCH_ARM"],
}
_EPERM = 1


def sealed_loops() -> str:
    """Allow every system call but those that steer loop devices or lift a write protection.

    Who may administer the system could otherwise put another file behind a loop device that is only open for
    reading (LOOP_CHANGE_FD), and all who share the device would read that. A filter cannot be taken off again,
    nor by children. The form is that of Docker's seccomp profiles: for SCMP_CMP_MASKED_EQ `value` is the mask.
    """
    rules = [
        {
            "names": ["ioctl"],
            "action": "SCMP_ACT_ERRNO",
            "errnoRet": _EPERM,
            "args": [{"index": 1, "value": mask, "valueTwo": number, "op": "SCMP_CMP_MASKED_EQ"}],
        }
        for mask, number in (_LOOP_IOCTLS, _BLKROSET)
    ]
    # A process of an architecture that is not named would be killed at its first call.
    archs = [{"architecture": name, "subArchitectures": more} for name, more in _ARCHITECTURES.items()]
    return json.dumps({"defaultAction": "SCMP_ACT_ALLOW", "archMap": archs, "syscalls": rules})
