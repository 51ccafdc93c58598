from __future__ import annotations

from pathlib import Path

import pytest

from benchrouter.engine.containers import Exit
from benchrouter.jobs.collect import Collected
from benchrouter.jobs.ending import Conclusion, conclude, left_out, with_refused_key
from benchrouter.jobs.verdict import Verdict
from benchrouter.models.model import Model
from benchrouter.spec.task import Task
from benchrouter.store.states import Reason

GOOD = Verdict(overall=0.5, raw={"overall": 0.5})
NONE = Verdict(reason=Reason.NO_RESULT, detail="nothing")
ENDPOINT = Verdict(reason=Reason.ENDPOINT, detail="429")


def ended(exit: Exit, verdict: Verdict, *, full: bool = False) -> Conclusion:
    return conclude(Task("T", "x", timeout=5), exit, verdict, 64 << 20, full_disk="the disk of /x" if full else None)


@pytest.mark.parametrize(
    ("exit", "verdict", "full", "reason"),
    [
        (Exit(0), GOOD, False, None),
        (Exit(0), GOOD, True, None),
        (Exit(0, oom_killed=True), GOOD, False, None),
        (Exit(0), NONE, False, Reason.NO_RESULT),
        (Exit(0), NONE, True, Reason.DISK),
        (Exit(0), ENDPOINT, False, Reason.ENDPOINT),
        (Exit(1), ENDPOINT, False, Reason.ENDPOINT),
        (Exit(1), GOOD, False, Reason.EXIT_CODE),
        (Exit(1), GOOD, True, Reason.DISK),
        (Exit(75), GOOD, False, Reason.ENDPOINT),
        (Exit(75), NONE, False, Reason.ENDPOINT),
        (Exit(137), NONE, False, Reason.EXIT_CODE),
        (Exit(137, oom_killed=True), NONE, False, Reason.OOM),
        (Exit(0, oom_killed=True), NONE, False, Reason.OOM),
        (Exit(1, oom_killed=True), GOOD, False, Reason.OOM),
        (Exit(143, timed_out=True), GOOD, False, Reason.TIMEOUT),
        (Exit(0, timed_out=True), GOOD, False, Reason.TIMEOUT),
        (Exit(137, cancelled=True), GOOD, True, Reason.CANCELLED),
        (Exit(None, cancelled=True), NONE, False, Reason.CANCELLED),
        (Exit(143, stopped_because="too much"), GOOD, False, Reason.DISK),
    ],
)
def test_what_ended_a_job_decides_its_reason(
    exit: Exit, verdict: Verdict, full: bool, reason: Reason | None
) -> None:
    found = ended(exit, verdict, full=full)
    assert found.reason is reason
    assert found.overall == (0.5 if reason is None else None)
    assert bool(found.detail) == (reason is not None)


def test_child_killed_for_memory_beside_a_result_is_a_warning() -> None:
    assert "64 MiB" in ended(Exit(0, oom_killed=True), GOOD).warnings[0]


def test_a_status_alone_did_not_say_why() -> None:
    """The last line of stderr stands beside it, cut to 200 characters; other endings have words of their own."""
    for exit, words in ((Exit(3), "with status 3"), (Exit(75), "with status 75: the endpoint failed")):
        said = conclude(Task("T", "x"), exit, NONE, None, full_disk=None, last_error="no such table").detail
        assert said == f"the command ended {words}; its stderr ends with: no such table"
    long = conclude(Task("T", "x"), Exit(1), NONE, None, full_disk=None, last_error="x" * 300).detail
    assert long.endswith(f": {'x' * 200}…")
    assert conclude(Task("T", "x"), Exit(0), NONE, None, full_disk=None, last_error="warning").detail == "nothing"


def test_signal_is_named() -> None:
    assert "SIGSEGV" in ended(Exit(139), NONE).detail


def test_what_is_left_out_is_told_but_not_without_end() -> None:
    many = {f"f{i:02d}": "is a FIFO" for i in range(50)}
    texts = left_out(Collected(frozenset(), frozenset(), many))
    assert len(texts) == 6 and texts[-1].endswith("45 more")


def test_a_sparse_result_file_is_too_large_rather_than_irregular(tmp_path: Path) -> None:
    """900 GB that take no room: the message speaks of the size, and of nothing else."""
    from benchrouter.jobs.collect import Caps, collect
    from benchrouter.jobs.ending import judge_output
    from benchrouter.jobs.redact import Redactor

    (tmp_path / "from").mkdir()
    with open(tmp_path / "from" / "result.json", "wb") as file:
        file.truncate(900 << 30)
    found = collect(tmp_path / "from", tmp_path / "to", Redactor([]), Caps(), None, "result.json")
    verdict = judge_output(Task("t", "true"), found)
    assert verdict.detail == "result.json has 966367641600 bytes, and an output may have 2147483648 in all"


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_final_and_names_its_variable(status: int) -> None:
    """Asking again is no use; who reads has to know which variable to look at."""
    model = Model("m", "m", "http://e/v1", "wrong", api_key_env="MY_KEY")
    told = f"the endpoint failed; its stderr ends with: endpoint: /chat/completions: status {status}: no"
    refused = with_refused_key(Conclusion(reason=Reason.ENDPOINT, detail=told), model)
    assert refused.final and refused.detail == f"the endpoint refuses the key: check the value of MY_KEY; {told}"
    for other in (
        Conclusion(reason=Reason.ENDPOINT, detail="endpoint: status 503"),
        Conclusion(reason=Reason.EXIT_CODE, detail=told),
    ):
        assert with_refused_key(other, model) == other
