"""The filter that keeps jobs from steering the loop device that they share."""

from __future__ import annotations

import json

import pytest

from benchrouter.engine.seccomp import sealed_loops

RULES = [rule["args"][0] for rule in json.loads(sealed_loops())["syscalls"]]


def refused(number: int) -> bool:
    """Decide as the kernel would: masked comparison of the whole register."""
    return any(number & rule["value"] == rule["valueTwo"] for rule in RULES)


@pytest.mark.parametrize("number", [*range(0x4C00, 0x4C0B), 0x4C80, 0x4C82, 0x125D])
def test_no_loop_device_can_be_steered_whatever_stands_in_the_bits_that_the_kernel_drops(number: int) -> None:
    assert refused(number) and refused(number | 1 << 32) and refused(number | 0xFFFF_FFFF << 32)


@pytest.mark.parametrize("number", [0x5401, 0x1272, 0x8912, 0x4B46, 0x4D00])
def test_others_are_let_through(number: int) -> None:
    assert not refused(number)
