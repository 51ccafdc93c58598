"""The error of this floor."""

from __future__ import annotations

from errno import EEXIST, ENOTDIR


class StoreError(Exception):
    """Something on disk that we own is not as it has to be; the text says where and what to do."""


class Unwritable(StoreError):
    """The workspace cannot be written, as one on a read-only file system; what is in it can be looked at."""

    def __init__(self, root: object, error: OSError) -> None:
        in_the_way = f": {error.filename}" if error.filename and error.errno in (EEXIST, ENOTDIR) else ""
        why = f"{error.strerror or error}{in_the_way}"
        super().__init__(
            f"{root} cannot be written ({why}): a run puts its record in runs/, scores in results/ "
            f"and what it makes in cache/; make the workspace writable, or run in a copy of it"
        )
