"""Any image will do, and every value arrives byte for byte, from task.yaml and from the command line."""

from __future__ import annotations

import json
import os
from pathlib import Path

import yaml
from project import Project

ODD = {
    "QUOTES": "'\"` it's \"so\"",
    "DOLLAR": "$HOME ${HOME} $$ $(id) `id`",
    "LINES": "first\nsecond\n\n",
    "EQUALS": "=a=b==",
    "UNICODE": "é€𝄞 \u202e \u00a0",
    "NOTHING": "",
    "SPACES": "  a  b  ",
    "BACKSLASH": "\\n\\\\ \\",
    "PERCENT": "%s %(x)s %% 100%",
    "TEMPLATE": "{{ image }} {% raw %} {# no #}",
    "CONTROL": "\t\r\x1b[31m\x7f",
    "HASH": "# not a comment: - [x, y]",
    "GLOB": "* ? [a-z] ~",
    "DASH": "--rm -v /:/x",
    "AT": "@file",
}
DUMP = """
env -0 >"$BENCHROUTER_OUTPUT_DIR/env"
pwd >"$BENCHROUTER_OUTPUT_DIR/place"; id -u >>"$BENCHROUTER_OUTPUT_DIR/place"
echo '{"overall": 0.5}' >"$BENCHROUTER_OUTPUT_DIR/result.json"
"""
MODULE = """
import os, of_the_image, benchrouter.sdk.runner
assert os.environ["PYTHONPATH"] == "/app:/of/the/image"
assert of_the_image.WORD == "mine"
open(os.path.join(os.environ["BENCHROUTER_OUTPUT_DIR"], "imported"), "w").write("both")
"""
ENVIRONMENTS = {
    "plain": "FROM debian:bookworm-slim\n",
    "entry": 'FROM debian:bookworm-slim\nENTRYPOINT ["/bin/false", "x"]\nCMD ["y"]\nWORKDIR /elsewhere\n',
    "user": "FROM debian:bookworm-slim\nUSER 1234:1234\nENV HOME=/nowhere LINES=of-the-image\n",
    "python": "FROM python:3.12-slim\nENV PYTHONPATH=/of/the/image\nCOPY of_the_image.py /of/the/image/\n",
}
SCRIPTS = {
    "plain": f"command -v python3 python >&2 && exit 1\n{DUMP}",
    "entry": DUMP,
    "user": f"test ! -w /etc\n{DUMP}",
    "python": f"python probe.py || exit 2\n{DUMP}",
}


def write_benchmark(project: Project, extra: dict[str, str]) -> None:
    """Write one benchmark with an environment for each task."""
    project.benchmark("b", SCRIPTS, dockerfile=None, task_yaml=yaml.safe_dump({"extra_env": extra}))
    listed = "".join(f"  - {{name: {name}, environment: {name}}}\n" for name in SCRIPTS)
    project.write("benchmarks/b/benchmark.yaml", f"name: b\ntasks:\n{listed}")
    for name, dockerfile in ENVIRONMENTS.items():
        project.write(f"benchmarks/b/environments/{name}/Dockerfile", dockerfile)
    project.write("benchmarks/b/environments/python/of_the_image.py", "WORD = 'mine'\n")
    project.write("benchmarks/b/python/probe.py", MODULE)


def seen(artifact: Path) -> dict[str, str]:
    """Read the environment that a task saw."""
    pairs = (artifact / "output/env").read_bytes().decode().split("\0")
    return dict(pair.split("=", 1) for pair in pairs if pair)


def test_bytes_that_would_not_arrive_as_they_are_are_refused(project: Project) -> None:
    """The engine takes text: what is not UTF-8 would silently become something else."""
    project.benchmark("b", {"t": DUMP}, task_yaml="pass_env: [WORD]\n")
    odd = os.fsdecode(b"a\xff")
    given = project.run(f"X={odd}", status=2)
    assert "X holds bytes that are not UTF-8" in given.text and "Traceback" not in given.text
    passed = project.run(env={"WORD": odd}, status=1)
    assert "unsupported: pass_env: the value of WORD is not UTF-8" in passed.out
    assert project.ran(passed) == []


def test_any_image_and_any_value(project: Project) -> None:
    """Values of task.yaml, then some of them overridden on the command line, in four kinds of images."""
    write_benchmark(project, ODD)
    first = project.run()
    assert len(project.ran(first)) == 4
    for name in ENVIRONMENTS:
        found = seen(project.artifacts("b", name)[0])
        assert {key: found.get(key) for key in ODD} == ODD, name
    write_benchmark(project, dict.fromkeys(ODD, "of the task") | {"STAYS": "of the task"})
    project.run(*(f"{name}={value}" for name, value in ODD.items()))
    for name in ENVIRONMENTS:
        artifact = max(project.artifacts("b", name), key=lambda path: path.stat().st_mtime_ns)
        found = seen(artifact)
        assert {key: found.get(key) for key in ODD} == ODD, name
        assert found["STAYS"] == "of the task"
        place, uid = (artifact / "output/place").read_text().split()
        assert (place, uid) == ("/app/benchmark", "1234" if name == "user" else "0")
        assert found["PYTHONPATH"] == ("/app:/of/the/image" if name == "python" else "/app")
        assert all(path.stat().st_uid == os.geteuid() for path in artifact.rglob("*"))
        assert json.loads((artifact / "job.json").read_text())["inputs"]["variables"] == ODD
    assert (project.artifacts("b", "python")[0] / "output/imported").read_text() == "both"
    assert project.newest_run()["variables"] == ODD
    assert project.ran(project.run(*(f"{name}={value}" for name, value in ODD.items()))) == []
