"""The engine's timestamps."""

from __future__ import annotations

import re
from datetime import UTC, datetime

_RFC3339 = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)")


def epoch(text: str) -> float:
    """Read an RFC 3339 time with up to nanoseconds as seconds since the epoch; 0.0 for never and nonsense."""
    found = _RFC3339.fullmatch(text)
    if found is None:
        return 0.0
    zone = "+00:00" if found[3] == "Z" else found[3]
    whole = datetime.fromisoformat(found[1] + zone).astimezone(UTC).timestamp()
    return max(0.0, whole + float(found[2] or 0))
