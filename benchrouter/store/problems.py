"""The error of this floor."""

from __future__ import annotations


class StoreError(Exception):
    """Something on disk that we own is not as it has to be; the text says where and what to do."""
