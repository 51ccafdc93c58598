"""How a command ends and what it leaves are both weighed; each ending has its reason, and a hint what to do."""

from __future__ import annotations

from project import SCORE, Project
from verdicts import Case, check_cases, last_failure, write_cases

GOOD = SCORE % 0.5
SMALL = "resources: {memory: 64m}\n"
HOG = "head -c 300M /dev/zero | tail -c 300M >/dev/null"  # tail keeps all of it in memory
CASES = [
    Case("nothing-done", "exit 0", "no_result", ("no result.json in /app/results: it is empty",)),
    Case("elsewhere", "echo '{\"overall\": 1}' >/tmp/result.json", "no_result", ("`result_file:` in task.yaml",)),
    Case("good-but-3", f"{GOOD}; exit 3", "exit_code", ("ended with status 3; its score of 0.5 does not count",)),
    Case("not-found", f"{GOOD}; no-such-command", "exit_code", ("127 (a command was not found)",)),
    Case("not-executable", f"{GOOD}; /etc/passwd", "exit_code", ("126 (it cannot be executed)",)),
    Case("segfault", f"{GOOD}; kill -SEGV $$", "exit_code", ("(SIGSEGV)",)),
    Case("killed-by-memory", f"{HOG} || exit 9", "oom", ("64 MiB", "`resources: memory:` in task.yaml"), SMALL),
    Case("no-result-by-memory", HOG, "oom", ("64 MiB",), SMALL),
    Case("survived-memory", f"{HOG}; {GOOD}", "COMPLETED 0.5", ("killed at the memory limit of 64 MiB",), SMALL),
    Case("good", GOOD, "COMPLETED 0.5"),
]  # fmt: skip


def test_every_ending_has_its_reason(project: Project) -> None:
    """One run, one table; none of them is infrastructure, so all failures count as 0 in the strict mean."""
    write_cases(project, "b", CASES)
    done = project.run(status=1)
    check_cases(project, done, "b", CASES)
    completed = [case for case in CASES if case.verdict.startswith("COMPLETED")]
    scored = project.aggregate("b")
    assert scored["coverage"] == {"completed": len(completed), "declared": len(CASES)}
    assert (scored["state"], scored["overall"]) == ("PARTIAL", 0.5)
    assert abs(scored["overall_failures_as_zero"] - 0.5 * len(completed) / len(CASES)) < 1e-9
    assert not any(f"{case.name}@m: " in done.out for case in CASES), "the task's own failure is not tried again"
    assert "no-such-command" in (last_failure(project, "b", "not-found") / "logs/stderr.log").read_text()
    shown = done.out.index("job:b/not-found@m FAILED exit_code", done.out.index(f"({len(CASES)}/{len(CASES)})"))
    assert "  | run.sh: 1: no-such-command: not found" in done.out[shown : shown + 400]
