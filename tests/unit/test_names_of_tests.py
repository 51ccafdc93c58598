"""Modules of tests that are in no package share one name space: two of one name cannot be collected together."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_two_modules_of_one_name_could_not_be_collected_together() -> None:
    code = {path for benchmark in TESTS.rglob("benchmark.yaml") for path in benchmark.parent.rglob("*.py")}
    loose = [
        path.name
        for path in set(TESTS.rglob("*.py")) - code
        if path.name != "conftest.py" and "images" not in path.parts and not (path.parent / "__init__.py").exists()
    ]
    assert [name for name, times in Counter(loose).items() if times > 1] == []
