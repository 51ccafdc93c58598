"""Which surroundings a mode has."""

from __future__ import annotations

from collections.abc import Mapping

from benchrouter.jobs import dind, simple
from benchrouter.jobs.course import Surround
from benchrouter.spec.mode import Mode

SURROUNDINGS: Mapping[Mode, Surround] = {
    Mode.SIMPLE: simple.surround,
    Mode.DIND: dind.surround,
}
