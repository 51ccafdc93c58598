"""Whether a gate's baseline was asked the same, told as comparison tells it of two models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchrouter.scores.comparison.choosing import words
from benchrouter.scores.comparison.comparable import content_differences, listed
from benchrouter.scores.comparison.contender import Contender
from benchrouter.scores.gate.baseline import Baseline
from benchrouter.scores.gate.policy import Gate


def other_ask(one: Contender, baseline: Baseline, gate: Gate, results: Path) -> Iterator[str]:
    """Say what was asked for in other words: another rule, other variables, other tasks."""
    if baseline.rule is not None and baseline.rule != one.rule:
        yield f"aggregate: {baseline.rule} there, {one.rule} here"
    variables = baseline.variables
    if variables is None:  # an aggregate's file does not tell them
        variables = next((job.variables for job in baseline.left(results, one).jobs if job.inputs), None)
    if variables is not None and dict(variables) != dict(one.variables or {}):
        yield f"variables: {words(variables) or 'none'} there, {words(one.variables or {}) or 'none'} here"
    own = {job.id.task for job in one.jobs if job.overall is not None}
    there = baseline.tasks & set(gate.tasks) if gate.tasks else baseline.tasks
    for task in sorted(own - there):
        yield f"it has no score of task {task}"
    for task in sorted(there - own):
        yield f"only it has a score of task {task}"


def other_content(one: Contender, baseline: Baseline, results: Path) -> tuple[list[str], list[str]]:
    """Say what differs in the content, one's own first; and name the tasks of which that cannot be told any more.

    Equal keys are equal content, whatever is left. Where job.json is gone, as of a baseline's file in another
    workspace, the number of items still tells.
    """
    before = baseline.left(results, one)
    unknown = [task for task in one.tasks if task in before.of_task and not _known(one, before, task)]
    sizes: dict[tuple[int, int], list[str]] = {}
    for task in unknown:
        here = next((job.counts.selected for job in one.of_task[task] if job.counts), None)
        there = next((job.items.selected for job in baseline.jobs if job.id.task == task and job.items), None)
        if here is not None and there is not None and here != there:
            sizes.setdefault((here, there), []).append(task)
    by_size = [f"items: {here}, against {there} (in {listed('task', tasks)})" for (here, there), tasks in sizes.items()]
    return [*content_differences(one, before), *by_size], unknown


def _known(one: Contender, before: Contender, task: str) -> bool:
    jobs, others = one.of_task[task], before.of_task[task]
    if {(job.id.repeat, job.key) for job in jobs} == {(job.id.repeat, job.key) for job in others}:
        return True
    return all(any(job.inputs for job in each) for each in (jobs, others))
