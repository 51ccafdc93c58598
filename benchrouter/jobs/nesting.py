"""How deep brackets nest in a text that claims to be JSON, before anything is parsed (pure; hostile bytes)."""

from __future__ import annotations

import re
from array import array
from itertools import accumulate

# Possessive, and content with a string that never ends: nothing is searched anew from each quote of a hostile text.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_OTHERS = bytes(sorted(set(range(256)) - set(b"[]{}")))
_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")  # as signed bytes 1 and -1
_SLICE = 1 << 18  # so many brackets are counted before another thread may go on


def deeper_than(data: bytes, most: int) -> bool:
    """Tell whether brackets nest deeper than that outside of strings; without recursion."""
    if data.count(b"[") + data.count(b"{") <= most:
        return False
    steps = _STRING.sub(b"", data).translate(_STEPS, _OTHERS)
    level = 0
    for start in range(0, len(steps), _SLICE):
        levels = list(accumulate(array("b", steps[start : start + _SLICE]), initial=level))
        if max(levels) > most:
            return True
        level = levels[-1]
    return False
