"""A comparison as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchrouter.scores.comparison.choosing import words
from benchrouter.scores.comparison.compared import Comparison, Pair
from benchrouter.scores.comparison.contender import Contender
from benchrouter.scores.statistics.intervals import Interval
from benchrouter.scores.table import cells, one_line, p_words, padded, score

_NAME = 40


def lines_of(found: Comparison, *, detail: bool = False) -> Iterator[str]:
    """Give the table of models, what differs between them, and why some are not compared; tasks with `detail`."""
    yield title(found)
    yield from aligned(_table(found), right=(1, 3))
    if detail:
        yield ""
        yield from aligned(_tasks(found), right=())
        if found.best_of:
            yield "  * better than every other model in this task, by more than chance"
    shown = _shown_pairs(found, detail)
    if shown:
        yield ""
        yield from (f"  {_pair(pair, found.family)}" for pair in shown)
    if len(found.comparable) > 1 and found.best is None:
        yield "  no model is best by more than chance"
    for model, reasons in found.apart.items():
        yield ""
        yield f"  {_short(model)} is not comparable with {_short(found.comparable[0].model)}:"
        yield from (f"    {one_line(reason, 160)}" for reason in reasons)


def flip_lines(found: Comparison) -> Iterator[str]:
    """Give the items on which comparable models differ, with the score of each; a dash where it was not judged."""
    models = [one.model for one in found.comparable]
    if not found.flips:
        yield "  no item flipped" if len(models) > 1 else "  nothing to compare"
        return
    rows = [("task", "item", *map(_short, models))]
    for flip in found.flips:
        scores = (f"{flip.scores[model]:.4g}" if model in flip.scores else "-" for model in models)
        rows.append((flip.task, one_line(flip.item, 60) or "(whole task)", *scores))
    yield from aligned(rows, right=range(2, 2 + len(models)))


def title(found: Comparison) -> str:
    """Name the benchmark, the variables of the run, and the declared aggregation where it is not the mean."""
    first = found.comparable[0] if found.comparable else None
    parts = [found.benchmark]
    if first is not None and first.variables:
        parts.append(one_line(words(first.variables), 120))
    if first is not None and first.rule.rule != "mean":
        parts.append(f"aggregate: {one_line(str(first.rule), 80)}")
    return " · ".join(parts)


def aligned(rows: Sequence[Sequence[str]], right: Sequence[int] | range) -> list[str]:
    """Align columns, those in `right` to the right; columns with nothing below their head are left out."""
    kept = [n for n in range(len(rows[0])) if any(row[n] for row in rows[1:])]
    widths = {n: max(cells(row[n]) for row in rows) for n in kept}
    return [
        ("  " + "  ".join(padded(row[n], widths[n], right=n in right) for n in kept)).rstrip() for row in rows
    ]


def between(interval: Interval | None, digits: int = 4) -> str:
    """Write an interval; nothing for None."""
    return "" if interval is None else f"{interval.low:.{digits}f} – {interval.high:.{digits}f}"


def _table(found: Comparison) -> list[tuple[str, ...]]:
    more = ("coverage", "items", "repeats", "pass@k", "pass^k", "")
    head = ("model", "overall", "95 % interval", "failures as 0", *more)
    return [head, *(_row(found, one) for one in found.contenders)]


def _row(found: Comparison, one: Contender) -> tuple[str, ...]:
    scored, repeats, passes = one.scored, one.by_repeat, one.passes
    zeros = score(scored.overall_failures_as_zero) if scored.overall_failures_as_zero != scored.overall else ""
    note = "best" if one.model == found.best else "not comparable" if one.model in found.apart else ""
    spread = f"{repeats.n} ± {repeats.deviation:.4f}" if repeats.deviation is not None else ""
    last = len(passes.at) if passes else 0
    return (
        _short(one.model),
        score(scored.overall),
        between(one.interval),
        zeros,
        str(scored.coverage),
        str(scored.items or ""),
        spread,
        f"@{last} {passes.at[-1]:.4f}" if passes else "",
        f"^{last} {passes.all[-1]:.4f}" if passes else "",
        note,
    )


def _tasks(found: Comparison) -> list[tuple[str, ...]]:
    tasks = list(dict.fromkeys(task for one in found.contenders for task in one.tasks))
    head = ("task", *(_short(one.model) for one in found.contenders))
    return [head, *((task, *(_cell(found, one, task) for one in found.contenders)) for task in tasks)]


def _cell(found: Comparison, one: Contender, task: str) -> str:
    own = one.score_of(task)
    if own is None:
        failed = [job.reason.word for job in one.of_task.get(task, ()) if job.reason]
        return failed[0] if failed else "-"
    limits = between(one.interval_of(task), 2)
    mark = "*" if (found.best_of or {}).get(task) == one.model else ""
    return f"{own:.4f}{f' ({limits})' if limits else ''}{mark}"


def _shown_pairs(found: Comparison, detail: bool) -> list[Pair]:
    """Show the pairs with the best score in them; all of them with `detail`."""
    first = found.comparable[0].model if found.comparable else ""
    return [pair for pair in found.pairs if detail or pair.first == first]


def _pair(pair: Pair, family: int) -> str:
    tested = pair.tested
    head = f"{_short(pair.first)} against {_short(pair.second)}: "
    if tested.difference is None or pair.adjusted is None:
        return head + "nothing that both were judged on"
    limits = tested.interval
    text = head + f"{tested.difference:+.4f}"
    if limits is not None:
        text += f" ({limits.low:+.4f} to {limits.high:+.4f})"
    text += f", {p_words(pair.adjusted)}{f' (Holm, {family} pairs)' if family > 1 else ''}"
    text += f" · {tested.better} better, {tested.worse} worse, {tested.same} same"
    return text + (f" · {pair.left_out} not judged in both" if pair.left_out else "")


def _short(model: str) -> str:
    return one_line(model, _NAME)
