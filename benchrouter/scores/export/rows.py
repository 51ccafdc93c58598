"""What is exported: jobs, items and rewards as flat rows, read from `results/` alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchrouter.scores.boards import Board, Boards, Standing
from benchrouter.scores.collected import JobResult
from benchrouter.scores.current import once
from benchrouter.scores.scope import EVERYTHING, Scope
from benchrouter.store.states import JobState

_JOB = ("benchmark", "task", "model", "repeat")
COLUMNS = {
    "jobs": (
        *_JOB, "state", "reason", "detail", "overall", "items_judged", "items_selected", "seconds", "variables",
        "seed", "run_id", "key",
    ),
    "items": (*_JOB, "item", "score", "error", "prompt_tokens", "completion_tokens", "variables", "seed", "key"),
    "rewards": ("benchmark", "task", "item", "model", "repeat", "reward", "state", "variables", "key", "seed"),
}  # fmt: skip
"""The columns of each kind of rows, in order."""


@dataclass(frozen=True)
class Exported:
    """One result with its jobs, and the board of comparable ones that it stands on.

    `own` are the jobs that rows are made of: none that another result has given already.
    """

    board: Board
    standing: Standing
    jobs: tuple[JobResult, ...]
    own: tuple[JobResult, ...] = ()


@dataclass(frozen=True)
class Reward:
    """What one item earned one model: `reward` in 0..1, None where nothing was judged and `state` is FAILED or QUEUED.

    `item` is None for a job without items; its reward is then the job's score. `variables` are those of the run in
    capitals, `seed` is that of the first repeat; `key` is the job's: with the item it is in no two rewards.
    """

    benchmark: str
    task: str
    item: str | None
    model: str
    repeat: int
    reward: float | None
    state: str
    variables: str = ""
    key: str = ""
    seed: int | None = None


def exported(results: Path, scope: Scope = EVERYTHING, *, every: bool = False) -> list[Exported]:
    """Read the newest result of each model on each board whose content is current; with `every`, all on disk.

    Each job is the own of one of them only, and without `every` of none when a newer one has other content.
    """
    boards, found = Boards(), []
    for placed in boards.read(results, scope):
        board, jobs, own, model = placed.board, placed.jobs, placed.current, placed.listed.model
        if scope.model(model) and (every or (own and not board.superseded and len(board.of(model)) == 1)):
            found.append(Exported(board, placed.standing, jobs, jobs if every else own))
    found.sort(key=lambda one: (one.board.benchmark, one.board.words, one.standing.model, -one.standing.when))
    each = once([one.own for one in found])
    return [replace(one, own=own) for one, own in zip(found, each, strict=True)]


def rows_of(kind: str, found: Collection[Exported]) -> Iterator[dict[str, Any]]:
    """Give the rows of a kind of COLUMNS."""
    if kind == "jobs":
        yield from job_rows(found)
    elif kind == "items":
        yield from item_rows(found)
    else:
        yield from (vars(reward) for reward in rewards(found))


def job_rows(found: Collection[Exported]) -> Iterator[dict[str, Any]]:
    """Give one row for each job."""
    for one in found:
        for job in one.own:
            counts, provenance = job.counts, job.provenance()
            yield {
                **_job(job),
                "state": job.state.value,
                "reason": job.reason.word if job.reason else None,
                "detail": str(job.facts.get("detail", "")),
                "overall": job.overall,
                "items_judged": counts.judged if counts else None,
                "items_selected": counts.selected if counts else None,
                "seconds": job.seconds or None,
                "variables": _variables(job),
                "seed": job.seed,
                "run_id": provenance.get("run_id"),
                "key": job.key,
            }


def item_rows(found: Collection[Exported]) -> Iterator[dict[str, Any]]:
    """Give one row for each item."""
    for one in found:
        for job in one.own:
            for item in job.items:
                prompt, completion = item.tokens or (None, None)
                yield {
                    **_job(job),
                    "item": item.id,
                    "score": item.score,
                    "error": item.error,
                    "prompt_tokens": prompt,
                    "completion_tokens": completion,
                    "variables": _variables(job),
                    "seed": job.seed,
                    "key": job.key,
                }


def rewards(found: Collection[Exported]) -> Iterator[Reward]:
    """Give the reward of each item, and of each job that has none; nothing of one whose artifact is lost."""
    for one in found:
        for job in (job for job in one.own if job.lost is None):
            if not job.items:
                yield _reward(job, None, job.overall, job.state)
            for item in job.items:
                state = JobState.FAILED if item.score is None else JobState.COMPLETED
                yield _reward(job, item.id, item.score, state)


def _reward(job: JobResult, item: str | None, reward: float | None, state: JobState) -> Reward:
    ident = job.id
    about = (ident.benchmark, ident.task, item, ident.model, ident.repeat)
    return Reward(*about, reward, state.value, _variables(job), job.key, job.seed)


def _variables(job: JobResult) -> str:
    return " ".join(f"{name}={value}" for name, value in sorted(job.variables.items()))


def _job(job: JobResult) -> dict[str, Any]:
    ident = job.id
    return {"benchmark": ident.benchmark, "task": ident.task, "model": ident.model, "repeat": ident.repeat}
