"""Whether results pass a policy's gates, and each reason why not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchrouter.scores.aggregate import Coverage
from benchrouter.scores.comparison.choosing import Chosen, choose, words
from benchrouter.scores.comparison.comparable import listed
from benchrouter.scores.comparison.compared import paired
from benchrouter.scores.comparison.contender import Contender, contend
from benchrouter.scores.doubts import losses, outdated
from benchrouter.scores.gate.alike import other_ask, other_content
from benchrouter.scores.gate.baseline import Baseline, find_baseline
from benchrouter.scores.gate.policy import Gate
from benchrouter.scores.problems import ScoresError
from benchrouter.scores.statistics.paired import compare
from benchrouter.scores.table import one_line, p_words, score
from benchrouter.spec.names import did_you_mean

_ROUNDING = 1e-9
"""A score that is the minimum but for rounding passes."""


@dataclass(frozen=True)
class Judgement:
    """How one model fared at one gate: passed if there is no reason; `baseline` is that one's score.

    `p` is that of the test against it, where a gate asks for one and there are pairs.
    `tasks` and `variables` are what the gate is about, where it is not about all of the benchmark; `warnings` name
    later results of a part, artifacts that are lost, and what is doubtful in the baseline.
    """

    benchmark: str
    model: str
    reasons: tuple[str, ...]
    overall: float | None = None
    coverage: Coverage | None = None
    baseline: float | None = None
    p: float | None = None
    tasks: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Tell whether the gate is passed."""
        return not self.reasons

    def lines(self) -> Iterator[str]:
        """Say that it passed, or why not, one reason a line."""
        name = "/".join(filter(None, (self.benchmark, ",".join(self.tasks))))
        name += f" @ {one_line(self.model, 60)}" if self.model else ""
        name += f" with {words(self.variables)}" if self.variables else ""
        if self.passed:
            against = f", baseline {score(self.baseline)}" if self.baseline is not None else ""
            against += f" ({p_words(self.p)})" if self.p is not None else ""
            yield f"pass  {name}: {score(self.overall)}, coverage {self.coverage}{against}"
        yield from (f"FAIL  {name}: {reason}" for reason in self.reasons)

    def to_json(self) -> dict[str, Any]:
        """Give it as JSON."""
        more = {"passed": self.passed, "reasons": list(self.reasons), "model": self.model or None}
        more["coverage"] = vars(self.coverage) if self.coverage else None
        lists = {"tasks": list(self.tasks), "warnings": list(self.warnings)}
        return {**vars(self), **more, **lists, "variables": dict(self.variables)}


def judge(gates: Sequence[Gate], policy: Path, results: Path) -> list[Judgement]:
    """Judge every model at every gate; raise SpecError for a baseline that is not there."""
    return [
        replace(judgement, tasks=gate.tasks, variables=gate.variables)
        for gate in gates
        for judgement in _judge(gate, policy, results)
    ]


def _judge(gate: Gate, policy: Path, results: Path) -> Iterator[Judgement]:
    try:
        there = choose(results, gate.benchmark, (), gate.variables, gate.tasks)
    except ScoresError as error:
        yield Judgement(gate.benchmark, "", (str(error).removeprefix(f"{gate.benchmark}: "),))
        return
    by_model = {chosen.listed.model: chosen for chosen in there}
    for model in gate.models or by_model:
        if model in by_model:
            yield _of_model(gate, policy, results, by_model[model])
        else:
            yield Judgement(gate.benchmark, model, (f"no results{did_you_mean(model, by_model)}",))


def _of_model(gate: Gate, policy: Path, results: Path, chosen: Chosen) -> Judgement:
    missing = [task for task in gate.tasks if task not in chosen.listed.tasks]
    if missing:
        hint = did_you_mean(missing[0], chosen.listed.tasks)
        return Judgement(gate.benchmark, chosen.listed.model, (f"no results of task `{missing[0]}`{hint}",))
    one = contend(results, chosen, set(gate.tasks) if gate.tasks else None)
    baseline = find_baseline(gate, policy, results, one.model) if gate.baseline else None
    before = baseline.overall(one.rule, one.tasks) if baseline else None
    p = _p(results, one, baseline) if baseline and gate.significance is not None else None
    odd, doubts = _likeness(gate, results, one, baseline) if baseline else ([], [])
    reasons = (*_of_score(gate, one), *odd)
    if baseline and before is not None and not odd:  # what is not comparable has another score
        reasons += (*_of_drop(gate, one, baseline, before, p),)
    scored, later = one.scored, outdated(gate.benchmark, one.model, one.newer)
    warnings = (*later, *losses(one.jobs), *doubts)
    return Judgement(
        gate.benchmark, one.model, reasons, scored.overall, scored.coverage, before, p, warnings=warnings
    )


def _likeness(gate: Gate, results: Path, one: Contender, baseline: Baseline) -> tuple[list[str], list[str]]:
    """Say why a baseline cannot be compared with, and what is doubtful in that; other content may be allowed."""
    what = f"not comparable with baseline {baseline.name}: "
    odd = [what + text for text in other_ask(one, baseline, gate, results)]
    content, unknown = other_content(one, baseline, results)
    differing = [what + text for text in content]
    about = f"{gate.benchmark} @ {one_line(one.model, 60)}: "
    doubts = [about + text for text in differing] if gate.other_content else []
    if unknown and not content:
        why = "its artifacts are not in results/, and the keys are other ones"
        which = listed("task", unknown)
        doubts.append(f"{about}whether baseline {baseline.name} was asked the same cannot be told of {which}: {why}")
    return odd if gate.other_content else [*odd, *differing], doubts


def _p(results: Path, one: Contender, baseline: Baseline) -> float | None:
    """Test the difference as `compare` does; None where nothing is left of the baseline to pair."""
    before = baseline.contender(results, one)
    return compare(paired(before.observations, one.observations)[0], one.rule).p if before else None


def _of_score(gate: Gate, one: Contender) -> Iterator[str]:
    scored = one.scored
    share = scored.coverage.completed / scored.coverage.declared if scored.coverage.declared else 0.0
    if share < gate.coverage - _ROUNDING:
        yield f"coverage {scored.coverage} is below {gate.coverage:.0%}"
    if scored.overall is None:
        yield "there is no score"
    elif gate.minimum is not None and scored.overall < gate.minimum - _ROUNDING:
        yield f"{score(scored.overall)} is below the minimum {gate.minimum:g}"


def _of_drop(gate: Gate, one: Contender, baseline: Baseline, before: float, p: float | None) -> Iterator[str]:
    after = one.scored.overall
    if after is None or gate.maximum_drop is None:
        return
    by_chance = gate.significance is not None and p is not None and p >= gate.significance
    if before - after > gate.maximum_drop + _ROUNDING and not by_chance:
        untested = "; not tested: nothing of the baseline is left to pair" if gate.significance and p is None else ""
        yield (
            f"{score(after)} is {before - after:.4f} below the {score(before)} of baseline {baseline.name}, "
            f"at most {gate.maximum_drop:g} is allowed{'' if p is None else f' ({p_words(p)})'}{untested}"
        )
