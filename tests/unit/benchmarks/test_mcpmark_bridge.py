"""What MCPMark's bridge makes of what a run of its pipeline left."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from code_of import code_of

MCPMARK = {"task_name": "a__b", "turn_count": 2, "token_usage": {}}
CRASHED = '[{"output": "{\\"text\\": \\"Page crashed\\"}"}]'


@pytest.mark.parametrize(
    ("result", "messages", "record"),
    [
        ({"success": True, "error_message": "Operation timed out"}, "", {"score": 1, "note": "Operation timed out"}),
        ({"success": False, "error_message": "MCP service error"}, "", {"error": "MCP service error"}),
        ({"success": False, "error_message": "LLM x: ContextWindowExceededError"}, "", {"score": 0}),
        ({"success": False, "verification_error": "AssertionError"}, "[]", {"score": 0}),
        ({"success": False, "verification_error": "requests.ConnectionError"}, "", {"error": "ConnectionError"}),
        ({"success": False, "verification_error": "AssertionError"}, CRASHED, {"error": "Page crashed"}),
        ({"success": True, "verification_error": None}, CRASHED, {"score": 1}),
    ],
)
def test_a_failure_of_mcpmark_is_one_only_where_it_is_the_models(
    result: dict[str, Any], messages: str, record: dict[str, Any], tmp_path: Path
) -> None:
    verdicts = code_of("mcpmark", "verdicts")
    (tmp_path / "meta.json").write_text(json.dumps({**MCPMARK, "execution_result": result}))
    (tmp_path / "messages.json").write_text(messages)
    found = verdicts.verdict("a/b", [tmp_path / "meta.json"], 0)
    assert found.get("score") == record.get("score")
    assert record.get("error", "") in found.get("error", "")
    assert found["turns"] == 2


def test_a_run_of_mcpmark_counts_only_for_the_one_task_that_was_asked(tmp_path: Path) -> None:
    """It takes what it does not find for a part of other names, and runs all of those."""
    verdicts = code_of("mcpmark", "verdicts")
    file = tmp_path / "meta.json"
    file.write_text(json.dumps({**MCPMARK, "execution_result": {"success": True}}))
    assert verdicts.verdict("a/bc", [file], 0) == {"error": "the pipeline ran a__b instead"}
    said = "the pipeline ended with 0 and left 2 results instead of one"
    assert verdicts.verdict("a/b", [file, file], 0) == {"error": said}
    file.write_text("{}")
    said = "meta.json is no result of the pipeline: KeyError('task_name')"
    assert verdicts.verdict("a/b", [file], 0) == {"error": said}
