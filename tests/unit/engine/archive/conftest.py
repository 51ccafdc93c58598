"""Fixtures of the archive's tests."""

from __future__ import annotations

from .images import archive

__all__ = ["archive"]
