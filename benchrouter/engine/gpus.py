"""How many GPUs the engine's machine has, as far as this machine can tell."""

from __future__ import annotations

import os

NVIDIA = "/proc/driver/nvidia/gpus"


def count(directory: str = NVIDIA) -> int:
    """Count the GPUs that the NVIDIA driver lists; 0 where there is none."""
    try:
        return len(os.listdir(directory))
    except OSError:
        return 0
