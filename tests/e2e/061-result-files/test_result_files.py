"""Every kind of result file gets the right verdict and a clear text; nothing hangs, nothing outside is read."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

from project import Project, files_below
from verdicts import Case, check_cases, document, last_failure, recorded, write_cases

CANARY = "canary-of-the-host-c0ffee"


def case(name: str, text: str, verdict: str, *said: str, key: str = "") -> Case:
    """Make a task that leaves a result file with exactly this text."""
    mapping = f"result_mapping:\n  overall: {key}\n" if key else ""
    return Case(name, f"cat >\"$BENCHROUTER_OUTPUT_DIR/result.json\" <<'END'\n{text}\nEND\n", verdict, said, mapping)


def odd(name: str, script: str, verdict: str, *said: str, yaml: str = "") -> Case:
    """Make a task that runs a script in its output directory."""
    return Case(name, f'cd "$BENCHROUTER_OUTPUT_DIR"\n{script}\n', verdict, said, yaml)


WANTED = "expected a number from 0 to 1"
BAD = "invalid_result"
CASES = [
    odd("missing", "echo x >other.txt", "no_result", "no result.json in /app/results", "other.txt", "result_file:"),
    odd("empty", ": >result.json", BAD, "result.json is empty"),
    odd("truncated", """printf '{"overall": 0.' >result.json""", BAD, "cut off"),
    case("not-json", "accuracy: 0.5", BAD, "is not JSON", "line 1, column 1"),
    case("a-list", "[0.5]", BAD, "a list", "expected a JSON object"),
    case("nan", '{"overall": NaN}', BAD, "NaN", WANTED),
    case("infinity", '{"overall": Infinity}', BAD, "Infinity", WANTED),
    case("too-large-a-number", '{"overall": 1e400}', BAD, "1e400", WANTED),
    case("a-string", '{"overall": "0.5"}', BAD, '"0.5" (a string)', WANTED),
    case("a-boolean", '{"overall": true}', BAD, "true (a boolean)", WANTED),
    case("a-null", '{"overall": null}', BAD, "null", WANTED),
    case("below", '{"overall": -0.1}', BAD, "-0.1", WANTED),
    case("above", '{"overall": 1.5}', BAD, "1.5", WANTED),
    case("absent-key", '{"overal": 0.5}', BAD, "no `overall` (did you mean `overal`?)", "result_mapping"),
    case("remapped-literal", '{"pass@1": 0.25, "overall": 0.1}', "COMPLETED 0.25", key='"pass@1"'),
    case("remapped-with-a-dot", '{"a.b": 0.25, "a": {"b": 0.75}}', "COMPLETED 0.25", key="a.b"),
    case("remapped-path", '{"a": {"b": 0.75}}', "COMPLETED 0.75", key="a.b"),
    case("remapped-nowhere", '{"a": {"c": 0.5}, "overall": 0.5}', BAD, "no `a.b`", "`a` holds `c`", key="a.b"),
    case("bom", '\ufeff{"overall": 0.5}', "COMPLETED 0.5"),
    case("duplicate", '{"overall": 0.5, "overall": 0.6}', BAD, "`overall` occurs more than once"),
    odd("latin-1", """printf '{"overall": 0.5, "name": "caf\\351"}' >result.json""", BAD, "not UTF-8"),
    odd(
        "too-large",
        """{ printf '{"overall": 0.5, "pad": "'; head -c 65M /dev/zero | tr '\\0' x; printf '"}'; } >result.json""",
        BAD,
        "larger than 64 MB",
    ),
    odd(
        "too-deep",
        """
        { printf '{"overall": 0.5, "a": '; printf '[%.0s' $(seq 1001); printf ']%.0s' $(seq 1001); echo '}'; } \\
            >result.json
        """,
        BAD,
        "deeper than 1000",
    ),
    odd("directory", "mkdir result.json; echo 1 >result.json/x", BAD, "is a directory", "regular file"),
    odd("link", "ln -s {host}/secret.json result.json", BAD, "is a symbolic link", "regular file"),
    odd("link-in-container", "echo '{\"overall\": 1}' >x; ln -s x result.json", BAD, "is a symbolic link"),
    odd("link-above", "ln -s {host} out", BAD, "out is a symbolic link", yaml="result_file: out/secret.json\n"),
    odd("fifo", "mkfifo result.json", BAD, "is a FIFO", "regular file"),
    case("error-beside-0", '{"overall": 0.0, "error": "quota exceeded"}', BAD, "holds 0 beside", '"quota exceeded"'),
    case("error-beside-0.4", '{"overall": 0.4, "error": "one item lost"}', "COMPLETED 0.4", '"one item lost"'),
    case("nan-elsewhere", '{"overall": 0.5, "loss": NaN, "deep": [{"x": -Infinity}]}', "COMPLETED 0.5"),
    case("half-a-pair-beside-a-score", r'{"overall": 0.5, "error": "\ud800"}', "COMPLETED 0.5", "\ufffd"),
    case("half-a-pair-beside-0", r'{"overall": 0, "error": "\ud800"}', BAD, 'holds 0 beside an `error`: "\ufffd"'),
    case("half-a-pair", r'{"overall": "\ud800"}', BAD, '"\ufffd" (a string)', WANTED),
    case("half-a-pair-as-a-key", r'{"\ud800": 0.5}', BAD, "it holds `\ufffd`"),
    case(
        "half-a-pair-in-an-item",
        r'{"overall": 1, "items": [{"id": "a", "error": "\ud800"}, {"id": "b", "score": 1}]}',
        "COMPLETED 1",
        "1 of 2 items could not be judged; a: \ufffd",
    ),
    odd(
        "quotes-that-never-end",
        r"""
        { printf '{"overall": 0.5, "a": ['; printf '[],%.0s' $(seq 1100); printf '0], "b": "'
          head -c 400000 /dev/zero | tr '\0' '"' | sed 's/"/\\"/g'; } >result.json
        """,
        BAD,
        "is not JSON",
    ),
    odd(
        "one-key-twice-among-many",
        """{ printf '{"overall": 0.5'; seq -f ',"k%.0f":0' 100000; echo ',"k1":1}'; } >result.json""",
        "COMPLETED 0.5",
    ),
    odd("shipped", "true", "no_result", "it is empty"),
]  # fmt: skip


def test_every_kind_of_result_file_gets_its_verdict(project: Project) -> None:
    """One run, one table."""
    host = project.root / "of-the-host"
    host.mkdir()
    (host / "secret.json").write_text(f'{{"overall": 1, "secret": "{CANARY}"}}')
    cases = [
        Case(c.name, c.script.replace("{host}", str(host)), c.verdict, c.said, c.yaml) for c in CASES
    ]
    write_cases(project, "odd", cases)
    project.write("benchmarks/odd/shipped/result.json", '{"overall": 1}')
    began = time.monotonic()
    done = project.run(status=1)
    assert time.monotonic() - began < 90
    check_cases(project, done, "odd", cases)

    raw = document(project.artifacts("odd", "nan-elsewhere")[0] / "result.json")
    assert raw["raw_metrics"] == {"overall": 0.5, "loss": None, "deep": [{"x": None}]}
    (row,) = [line for line in done.out.splitlines() if line.startswith("  error-beside-0.4 ")]
    assert "COMPLETED  0.4000" in row and "  warning: " in row
    assert "job:odd/error-beside-0.4@m COMPLETED 0.4000" in done.out and ", 1 warning (" in done.out
    for path in files_below(project.root, "results", "runs", "cache"):
        assert CANARY.encode() not in path.read_bytes(), path
    completed = sum(case.verdict.startswith("COMPLETED") for case in cases)
    scored = project.aggregate("odd")
    assert scored["coverage"] == {"completed": completed, "declared": len(cases)}
    again = project.run(status=1)
    assert len(project.ran(again)) == len(cases) - completed
    check_cases(project, again, "odd", [case for case in cases if not case.verdict.startswith("COMPLETED")])


def test_result_left_by_an_earlier_attempt_is_not_taken(project: Project) -> None:
    """The first attempt writes a good result and fails; the second writes none and ends well."""
    script = """
        if [ "$STEP" = first ]; then echo '{"overall": 1}' >"$BENCHROUTER_OUTPUT_DIR/result.json"; exit 3; fi
        ls -A "$BENCHROUTER_OUTPUT_DIR"
    """
    project.benchmark("b", {"t": script}, task_yaml="pass_env: [STEP]\n")
    project.run(env={"STEP": "first"}, status=1)
    assert recorded(project, "b", "t") == (
        "FAILED exit_code",
        "the command ended with status 3; its score of 1 does not count",
    )
    assert (last_failure(project, "b", "t") / "output/result.json").is_file()
    project.run(env={"STEP": "second"}, status=1)
    assert recorded(project, "b", "t")[0] == "FAILED no_result"
    assert (last_failure(project, "b", "t") / "logs/stdout.log").read_text() == ""


def test_result_that_changes_after_the_container_ended_is_refused(project: Project) -> None:
    """Somebody outside goes on writing into a file that takes a while to copy: what was measured is not known."""
    large = """{ printf '{"overall": 0.5, "pad": "'; head -c 40M /dev/zero | tr '\\0' x; printf '"}'; }"""
    project.benchmark("b", {"t": f'cd "$BENCHROUTER_OUTPUT_DIR"; {large} >x; mv x result.json\nsleep 1'})
    over = threading.Event()
    writer = threading.Thread(target=_keep_writing, args=(project.root / "cache", over))
    writer.start()
    try:
        project.run(status=1)
    finally:
        over.set()
        writer.join()
    verdict, detail = recorded(project, "b", "t")
    assert verdict == "FAILED invalid_result"
    assert detail == "result.json changed after the container had ended"


def _keep_writing(cache: Path, over: threading.Event) -> None:
    descriptor = -1
    while not over.wait(0.001):
        if descriptor < 0:
            found = next(cache.glob("attempts/*/*/output/result.json"), None)
            if found is None or not found.stat().st_size:
                continue
            descriptor = os.open(found, os.O_WRONLY)
        os.pwrite(descriptor, b'{"overall": 1.0', 0)
    if descriptor >= 0:
        os.close(descriptor)
