"""From how a container ended and what it left to the state of the job."""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchrouter.engine.containers import Exit
from benchrouter.jobs.collect import Collected
from benchrouter.jobs.contract import OUTPUT_DIR
from benchrouter.jobs.verdict import Verdict, judge, shortened
from benchrouter.models.model import Model
from benchrouter.models.preflight import key_advice
from benchrouter.spec.task import Task
from benchrouter.store.states import Reason

ENDPOINT_STATUS = 75
SHOWN = 5

_REFUSED = re.compile(r"\b(?:status(?: code)?|error code|HTTP)[ :=]+(?:401|403)\b", re.IGNORECASE)
STATUSES = {126: " (it cannot be executed)", 127: " (a command was not found)"}


@dataclass(frozen=True)
class Conclusion:
    """How a job ended: `overall` and `raw` when it completed, else a reason and one line for people.

    `final` means that another attempt in the same run would be no use, whatever the reason.
    """

    overall: float | None = None
    raw: Any = None
    reason: Reason | None = None
    detail: str = ""
    warnings: tuple[str, ...] = ()
    final: bool = False


def conclude(
    task: Task,
    exit: Exit,
    verdict: Verdict,
    memory: int | None,
    *,
    full_disk: str | None,
    last_error: str = "",
) -> Conclusion:
    """Weigh everything known of an attempt: `memory` is the limit in bytes, `full_disk` names one, if any was.

    `last_error` is the last line that the command wrote to stderr: what it said of a status that is not 0.
    """
    stopped = _stopped_by_us(task, exit)
    if stopped is not None:
        return Conclusion(reason=stopped[0], detail=stopped[1])
    oom = f"a process was killed at the memory limit of {(memory or 0) >> 20} MiB"
    if exit.code == 0 and verdict.overall is not None:
        warnings = (*verdict.warnings, oom) if exit.oom_killed else verdict.warnings
        return Conclusion(verdict.overall, verdict.raw, warnings=warnings)
    if full_disk is not None:
        return Conclusion(reason=Reason.DISK, detail=f"{full_disk} was full when the command ended")
    if exit.oom_killed:
        return Conclusion(reason=Reason.OOM, detail=f"{oom} (`resources: memory:` in task.yaml raises it)")
    if exit.code == ENDPOINT_STATUS:
        detail = f"the command ended with status {ENDPOINT_STATUS}: the endpoint failed"
        return Conclusion(reason=Reason.ENDPOINT, detail=detail + _quote(last_error))
    if verdict.reason is Reason.ENDPOINT or exit.code == 0:
        return Conclusion(reason=verdict.reason, detail=verdict.detail)
    return Conclusion(reason=Reason.EXIT_CODE, detail=_status(exit.code, verdict) + _quote(last_error))


def with_refused_key(conclusion: Conclusion, model: Model) -> Conclusion:
    """Make an endpoint's 401 or 403 final, and say which key it is about; leave any other end as it is."""
    if conclusion.reason is not Reason.ENDPOINT or model.embedded or not _REFUSED.search(conclusion.detail):
        return conclusion
    detail = f"the endpoint refuses the key: {key_advice(model)}; {conclusion.detail}"
    return replace(conclusion, detail=detail, final=True)


def _quote(line: str) -> str:
    return f"; its stderr ends with: {shortened(line)}" if line else ""


def _stopped_by_us(task: Task, exit: Exit) -> tuple[Reason, str] | None:
    if exit.cancelled:
        return Reason.CANCELLED, "interrupted"
    if exit.stopped_because:
        return Reason.DISK, exit.stopped_because
    if exit.timed_out:
        return Reason.TIMEOUT, timeout_text(task)
    return None


def timeout_text(task: Task) -> str:
    """Say that a task ran out of time."""
    return f"still running after {task.timeout:g} s (`timeout:` in task.yaml)"


def _status(code: int | None, verdict: Verdict) -> str:
    status = code if code is not None else -1
    text = f"the command ended with status {status}{STATUSES.get(status, '')}"
    if status > 128:
        try:
            text += f" ({signal.Signals(status - 128).name})"
        except ValueError:
            pass
    if verdict.overall is not None:
        text += f"; its score of {verdict.overall:g} does not count"
    return text


def judge_output(task: Task, collected: Collected) -> Verdict:
    """Judge the result file among what was collected, as the task wrote it; secrets in it are not masked yet."""
    name = task.result_file
    if name in collected.late:
        detail = f"{name} changed after the container had ended"
        return Verdict(reason=Reason.INVALID_RESULT, detail=detail)
    if collected.result is None:
        return _no_result(task, collected)
    return judge(collected.result, name, task.result_key)


def _no_result(task: Task, collected: Collected) -> Verdict:
    """Explain a result file that is not there, or is none that we read."""
    for path, why in collected.refused.items():
        if task.result_file == path or task.result_file.startswith(path + "/"):
            detail = f"{path} {why}" + ("; expected a regular file" if why.startswith("is ") else "")
            return Verdict(reason=Reason.INVALID_RESULT, detail=detail)
    if task.result_file in collected.directories:
        detail = f"{task.result_file} is a directory; expected a regular file"
        return Verdict(reason=Reason.INVALID_RESULT, detail=detail)
    found = sorted(collected.files)
    more = ", …" if len(found) > SHOWN else ""
    there = f"it holds {', '.join(found[:SHOWN])}{more}" if found else "it is empty"
    detail = f"no {task.result_file} in {OUTPUT_DIR}: {there} (`result_file:` in task.yaml names it)"
    return Verdict(reason=Reason.NO_RESULT, detail=detail)


def left_out(collected: Collected) -> Sequence[str]:
    """Warn of what the task wrote and we did not keep."""
    refused = sorted(collected.refused.items())
    texts = [f"output not kept: {path} {why}" for path, why in refused[:SHOWN]]
    if len(refused) > SHOWN:
        texts.append(f"output not kept: {len(refused) - SHOWN} more")
    return texts
