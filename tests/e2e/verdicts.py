"""A table of tasks and the verdicts that a run has to give on them: many odd endings in one run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from project import Done, Project


@dataclass(frozen=True)
class Case:
    """One task: its script, more of its task.yaml, and what the run has to say of it.

    `verdict` is `COMPLETED <score>` or the word of a reason; `said` has to stand in the detail (for a completed
    job: in its warnings).
    """

    name: str
    script: str
    verdict: str
    said: tuple[str, ...] = ()
    yaml: str = ""


_SHORT = 99  # what a table shows of a long detail; a block shows all of it


def write_cases(project: Project, benchmark: str, cases: Iterable[Case]) -> None:
    """Write one benchmark with a task for each case."""
    cases = list(cases)
    project.benchmark(benchmark, {case.name: case.script for case in cases})
    for case in cases:
        text = f"name: {case.name}\ncommand: sh run.sh\n{case.yaml}"
        project.write(f"benchmarks/{benchmark}/{case.name}/task.yaml", text)


def check_cases(project: Project, done: Done, benchmark: str, cases: Iterable[Case]) -> None:
    """Check every case: terminal, run record and artifact have to agree; name all that differ at once."""
    states = project.job_states()
    wrong = []
    for case in cases:
        expected = f"FAILED {case.verdict}" if " " not in case.verdict else case.verdict
        shown = line_of(done, f"{benchmark}/{case.name}")
        found, detail = recorded(project, benchmark, case.name)
        if found != expected or f" {shown_form(expected)}" not in shown:
            wrong.append(f"{case.name}: expected {expected}, recorded {found}: {detail}\n    shown: {shown}")
        elif states[f"{benchmark}/{case.name}"] != re.sub(r" [\d.]+$", "", expected):
            wrong.append(f"{case.name}: the run record says {states[f'{benchmark}/{case.name}']}")
        missing = [words for words in case.said if words not in detail]
        if missing:
            wrong.append(f"{case.name}: not said: {missing}\n    in: {detail}")
        if found.startswith("FAILED") and detail[:_SHORT] not in done.out:
            wrong.append(f"{case.name}: recorded, and shown nowhere: {detail}")
    assert not wrong, "\n".join(wrong)


def shown_form(expected: str) -> str:
    """Give a verdict as the plain lines show it."""
    state, _, rest = expected.partition(" ")
    return f"{state} {float(rest):.4f}" if state == "COMPLETED" else expected


def line_of(done: Done, job: str) -> str:
    """Find the plain line that says how a job ended."""
    ending = re.compile(rf" job:{re.escape(job)}@\S+ (COMPLETED|FAILED)")
    found = [line for line in done.out.splitlines() if ending.search(line)]
    assert len(found) == 1, f"{job}: {len(found)} lines say how it ended\n{done.text}"
    return found[0]


def recorded(project: Project, benchmark: str, task: str) -> tuple[str, str]:
    """Read state with score or reason, and detail or warnings, from a job's newest artifact."""
    completed = project.artifacts(benchmark, task)
    if completed:
        job = document(completed[0] / "job.json")
        overall = document(completed[0] / "result.json")["overall"]
        return f"COMPLETED {overall:g}", "; ".join(job.get("warnings") or ())
    failed = last_failure(project, benchmark, task)
    assert not (failed / "result.json").exists()
    job = document(failed / "job.json")
    return f"{job['state']} {job['reason']}", str(job["detail"])


def last_failure(project: Project, benchmark: str, task: str, model: str = "*") -> Path:
    """Give the directory of a job's newest failed attempt."""
    return max(project.failures(benchmark, task, model), key=lambda path: int(path.name))


def document(path: Path) -> dict[str, Any]:
    """Read a JSON document of ours, strictly: NaN is none."""
    text = path.read_text()
    return dict(json.loads(text, parse_constant=lambda word: _refuse(path, word)))


def _refuse(path: Path, word: str) -> None:
    raise AssertionError(f"{path} holds {word}")
