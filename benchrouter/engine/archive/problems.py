"""What can be wrong with an archive, as types."""

from __future__ import annotations

from benchrouter.engine.errors import EngineError


class ArchiveDamaged(EngineError):
    """A stored layer is not what was written; it has been dropped, so that its images count as missing."""


class NotAnImageArchive(EngineError):
    """A stream is not what `docker save` writes, or is cut off."""
