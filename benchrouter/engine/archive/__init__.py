"""Images on disk: each layer once across all images, compressed; loads into any engine, also by hand."""

from __future__ import annotations

from benchrouter.engine.archive.archive import Archive
from benchrouter.engine.archive.entries import Entry
from benchrouter.engine.archive.problems import ArchiveDamaged, NotAnImageArchive
from benchrouter.engine.archive.transfer import load, save

__all__ = ["Archive", "ArchiveDamaged", "Entry", "NotAnImageArchive", "load", "save"]
