from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from benchrouter.scores.aggregate import Aggregate, JobScore, aggregate
from benchrouter.spec.aggregation import Aggregation
from benchrouter.store.items import ItemCounts
from benchrouter.store.jobid import JobId
from benchrouter.store.states import JobState, Reason, RunState

DONE, FAILED, QUEUED = JobState.COMPLETED, JobState.FAILED, JobState.QUEUED


def done(task: str, overall: float, repeat: int = 0) -> JobScore:
    return JobScore(JobId("b", task, "m", repeat), f"key-{task}-{repeat}", DONE, overall)


def failed(task: str, reason: Reason, repeat: int = 0) -> JobScore:
    return JobScore(JobId("b", task, "m", repeat), f"key-{task}-{repeat}", FAILED, reason=reason)


def of(*jobs: JobScore, declared: int | None = None) -> Aggregate:
    return aggregate("b", "m", len(jobs) if declared is None else declared, jobs)


@pytest.mark.parametrize(
    ("rule", "overall", "with_zeros"),
    [
        (Aggregation("mean"), (0.25 + 1.0) / 2, (0.25 + 1.0 + 0.0) / 3),
        # Items: 4 of x, 16 of y (repeats of 12 and 20, pooled to 0.5); z fails and stands for (4 + 12 + 20) / 3 = 12.
        (Aggregation("items"), (4 * 0.25 + 16 * 1.0) / 20, (4 * 0.25 + 16 * 1.0) / 32),
        (Aggregation("min"), 0.25, 0.0),
        (Aggregation("max"), 1.0, 1.0),
        (Aggregation("weighted", {"x": 3, "y": 1, "z": 4}), (0.75 + 1.0) / 4, (0.75 + 1.0) / 8),
        (Aggregation("weighted", {"x": 0, "y": 1, "z": 0}), 1.0, 1.0),
        (Aggregation("weighted", {"x": 0, "y": 0, "z": 1}), None, 0.0),
    ],
    ids=str,
)
def test_declared_rules(rule: Aggregation, overall: float | None, with_zeros: float) -> None:
    jobs = [
        replace(done("x", 0.25), items=ItemCounts(4, 5)),
        replace(done("y", 1.0), items=ItemCounts(12, 12)),
        replace(done("y", 1.0, 1), items=ItemCounts(20, 20)),
        failed("z", Reason.TIMEOUT),
    ]
    made = aggregate("b", "m", 4, jobs, rule)
    assert made.overall == (None if overall is None else pytest.approx(overall))
    assert made.overall_failures_as_zero == pytest.approx(with_zeros)
    assert str(made.coverage) == "3/4"
    written = made.to_json()
    assert written.get("aggregate", "mean") == rule.to_json()
    assert ("aggregate" in written) is (rule != Aggregation())


def test_shards_of_one_set_score_as_the_set() -> None:
    """Repeats of different size pool within their task, tasks without items count as one."""
    jobs = [
        replace(done("x", 0.5), items=ItemCounts(10, 10)),
        replace(done("x", 1.0, 1), items=ItemCounts(30, 30)),
        done("y", 0.0),
    ]
    rule = Aggregation("items")
    assert aggregate("b", "m", 3, jobs, rule).overall == pytest.approx((20 * 0.875 + 1 * 0.0) / 21)


def test_mean_over_tasks() -> None:
    result = of(done("x", 0.5), done("y", 1.0))
    assert (result.state, result.overall, result.overall_failures_as_zero) == (RunState.COMPLETED, 0.75, 0.75)
    assert str(result.coverage) == "2/2"


def test_repeats_are_averaged_per_task_before_tasks_are() -> None:
    result = of(done("x", 0.0), done("x", 1.0, 1), done("x", 0.5, 2), done("y", 1.0))
    assert result.overall == 0.75


def test_own_failures_count_as_zero_only_in_the_second_mean() -> None:
    result = of(done("x", 0.8), failed("y", Reason.EXIT_CODE))
    assert (result.state, result.overall, result.overall_failures_as_zero) == (RunState.PARTIAL, 0.8, 0.4)
    assert str(result.coverage) == "1/2"


@pytest.mark.parametrize("reason", [reason for reason in Reason if reason.infrastructure])
def test_an_infrastructure_failure_is_never_a_zero(reason: Reason) -> None:
    result = of(done("x", 0.8), failed("y", reason))
    assert (result.overall, result.overall_failures_as_zero) == (0.8, 0.8)
    assert (result.state, str(result.coverage)) == (RunState.PARTIAL, "1/2")


def test_a_failed_repeat_weighs_within_its_task() -> None:
    result = of(done("x", 1.0), failed("x", Reason.TIMEOUT, 1), failed("x", Reason.ENGINE, 2), done("y", 1.0))
    assert (result.overall, result.overall_failures_as_zero) == (1.0, 0.75)
    assert str(result.coverage) == "2/4"


def test_missing_jobs_lower_the_coverage_and_nothing_else() -> None:
    queued = JobScore(JobId("b", "y", "m"), "k", QUEUED)
    result = of(done("x", 0.8), queued, declared=5)
    assert (result.overall, result.overall_failures_as_zero, str(result.coverage)) == (0.8, 0.8, "1/5")
    assert result.state is RunState.PARTIAL


def test_a_run_of_some_tasks_is_completed_with_partial_coverage() -> None:
    result = of(done("x", 0.8), declared=4)
    assert (result.state, str(result.coverage)) == (RunState.COMPLETED, "1/4")


def test_no_jobs_and_no_scores_have_no_mean() -> None:
    assert (of().state, of().overall, of(declared=3).coverage.declared) == (RunState.FAILED, None, 3)
    result = of(failed("x", Reason.ENDPOINT))
    assert (result.state, result.overall, result.overall_failures_as_zero) == (RunState.FAILED, None, None)
    assert of(failed("x", Reason.OOM)).overall_failures_as_zero == 0.0


def test_bytes_do_not_depend_on_the_order_in_which_jobs_ended() -> None:
    jobs = [done(f"t{i}", i / 7, repeat) for i in range(7) for repeat in range(3)]
    first = of(*jobs).to_bytes()
    for seed in range(5):
        random.Random(seed).shuffle(jobs)
        assert of(*jobs).to_bytes() == first
    assert first.endswith(b"}\n")


def test_json_has_the_published_fields() -> None:
    content = json.loads(of(done("x", 0.8), failed("y", Reason.NO_RESULT)).to_bytes())
    assert content == {
        "benchmark_name": "b",
        "model_name": "m",
        "state": "PARTIAL",
        "overall": 0.8,
        "overall_failures_as_zero": 0.4,
        "coverage": {"completed": 1, "declared": 2},
        "items": None,
        "jobs": [
            {
                "task": "x",
                "repeat": 0,
                "key": "key-x-0",
                "state": "COMPLETED",
                "reason": None,
                "overall": 0.8,
                "items": None,
            },
            {
                "task": "y",
                "repeat": 0,
                "key": "key-y-0",
                "state": "FAILED",
                "reason": "no_result",
                "overall": None,
                "items": None,
            },
        ],
    }


def test_the_mean_of_equal_scores_is_that_score() -> None:
    for n in range(1, 20):
        assert of(*(done(f"t{i}", 0.8) for i in range(n))).overall == 0.8


def test_items_of_all_jobs_are_summed_up() -> None:
    few = JobScore(JobId("b", "x", "m"), "k", DONE, 0.8, items=ItemCounts(9, 10))
    many = JobScore(JobId("b", "y", "m"), "k", DONE, 0.8, items=ItemCounts(30, 30))
    content = of(few, many, done("z", 0.5), failed("f", Reason.OOM)).to_json()
    assert content["items"] == {"judged": 39, "selected": 40}
    assert [job["items"] for job in content["jobs"]] == [
        None,
        {"judged": 9, "selected": 10},
        {"judged": 30, "selected": 30},
        None,
    ]


def test_predicted_scores_of_the_shipped_benchmarks_are_exact() -> None:
    assert of(done("capitals", 0.8), done("arithmetic", 0.875), done("opposites", 0.875)).overall == 0.85
    assert of(*(done(f"p{i}", 33 / 41) for i in range(4))).overall == 33 / 41


def test_run_state() -> None:
    assert RunState.of([DONE, DONE]) is RunState.COMPLETED
    assert RunState.of([DONE, FAILED]) is RunState.PARTIAL
    assert RunState.of([FAILED, QUEUED]) is RunState.of([]) is RunState.FAILED
