"""Rows as Parquet, by pyarrow, which is an extra: `pip install 'benchrouter[parquet]'`."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from typing import Any

_KINDS = {
    "repeat": "int64",
    "seed": "int64",
    "items_judged": "int64",
    "items_selected": "int64",
    "prompt_tokens": "int64",
    "completion_tokens": "int64",
    "overall": "float64",
    "score": "float64",
    "reward": "float64",
    "seconds": "float64",
}


def to_parquet(rows: Iterable[Mapping[str, Any]], columns: Iterable[str]) -> bytes:
    """Give rows as a file; the types of columns do not hang on what is in them. Raise ImportError without pyarrow."""
    import pyarrow
    from pyarrow import parquet

    types = {"int64": pyarrow.int64(), "float64": pyarrow.float64()}
    schema = pyarrow.schema([(name, types[_KINDS[name]] if name in _KINDS else pyarrow.string()) for name in columns])
    table = [{name: _value(value) for name, value in row.items()} for row in rows]
    out = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(table, schema=schema), out)
    return out.getvalue()


def _value(value: Any) -> Any:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
