"""An internal error over what one task wrote: that attempt is kept, with our traceback, and its siblings count."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from project import SCORE, Project, containers_of

STUMBLES = """
from benchrouter.jobs import {module}

def stumbling(*given, _real={module}.{name}, **named):
    if "stumble" in repr(given):
        raise UnicodeEncodeError("utf-8", "\\ud800 canary-0123456789", 0, 1, "surrogates not allowed")
    return _real(*given, **named)

{module}.{name} = stumbling
"""


@pytest.mark.parametrize(
    ("module", "name", "word"),
    [("executor", "judge_output", "stumble-when-judged"), ("publish", "masked", "stumble-when-published")],
)
def test_an_internal_error_costs_neither_the_attempt_nor_its_siblings(
    project: Project, tmp_path: Path, module: str, name: str, word: str
) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(STUMBLES.format(module=module, name=name))
    result = f"""echo said; echo '{{"overall": 0.5, "x": "{word}"}}' >"$BENCHROUTER_OUTPUT_DIR/result.json" """
    project.benchmark("b", {"odd": result, "sound": SCORE % 0.75}, task_yaml="pass_env: [SECRET_NAME]\n")
    if module == "executor":
        project.write("benchmarks/b/odd/task.yaml", "name: stumble\ncommand: sh run.sh\npass_env: [SECRET_NAME]\n")
    done = project.run(env={"PYTHONPATH": str(site), "SECRET_NAME": "canary-0123456789"}, status=1)

    assert project.job_states() == {"b/odd": "FAILED engine", "b/sound": "COMPLETED"}
    scored = project.aggregate("b")
    assert (scored["overall"], scored["coverage"]) == (0.75, {"completed": 1, "declared": 2})
    (kept,) = project.failures("b", "odd")
    detail = json.loads((kept / "job.json").read_text())["detail"]
    assert detail.startswith("internal error, please report it: UnicodeEncodeError: ") and detail in done.out
    assert (kept / "logs/stdout.log").read_text() == "said\n"
    assert word in (kept / "output/result.json").read_text()
    told = (kept / "logs/internal-error.log").read_text()
    assert "stumbling" in told
    assert "canary-0123456789" not in told + detail + done.text
    assert containers_of(project.id) == []
    assert project.ran(project.run()) == ["b/odd@m"]
