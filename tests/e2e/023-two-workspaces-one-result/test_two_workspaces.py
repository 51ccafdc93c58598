"""The same deterministic benchmark in two workspaces at different paths gives the same bytes."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from project import MAY_DIFFER, SCORE, Project, contents


def write_benchmark(project: Project) -> None:
    """Write tasks that complete, fail, write more files, print, use links, variables and a sibling image."""
    tasks = {
        "files": 'mkdir -p "$BENCHROUTER_OUTPUT_DIR/deep/er"; echo x >"$BENCHROUTER_OUTPUT_DIR/deep/er/x"\n'
        'pwd; date +%N; echo "$HOSTNAME" >&2\n' + SCORE % 0.5,
        "linked": SCORE % "'$(cat link)'",
        "fails": "date +%N; exit 3",
    }
    root = project.benchmark("b", tasks, task_yaml="extra_env: {B: two, A: one}\nseed: 3\nrepeat: 2\n")
    project.write("benchmarks/b/common/value", "0.25")
    # Failed attempts are numbered as they end, so a task that fails is not repeated here.
    project.write("benchmarks/b/fails/task.yaml", "name: fails\ncommand: sh run.sh\n")
    (root / "linked" / "link").symlink_to("../common/value")
    project.write("benchmarks/b/environments/b/Dockerfile", "FROM benchrouter-env-under\nRUN :\n")
    project.write("benchmarks/b/environments/under/Dockerfile", "FROM debian:bookworm-slim\nRUN : 023\n")


def test_results_are_byte_identical(project: Project, second_project: Project) -> None:
    """Other paths, times, orders, run ids, numbers of slots; directories in another order; modes of files too."""
    write_benchmark(project)
    shutil.copytree(project.root / "benchmarks", second_project.root / "benchmarks", symlinks=True, dirs_exist_ok=True)
    for path in (second_project.root / "benchmarks").rglob("*"):
        if not path.is_symlink():
            os.utime(path, (1, 1))
    for one, slots in ((project, "8"), (second_project, "1")):
        one.run("-n", slots, "V=x", status=1, env={"OPENAI_API_KEY": f"sk-secret-{slots}-aaaaaaaa"})
        one.run("-n", slots, status=1)
    first, second = (contents(one.root / "results", MAY_DIFFER) for one in (project, second_project))
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []
    assert {modes(project)[name] for name in first} == {modes(second_project)[name] for name in second}
    assert any(name.endswith("output/deep/er/x") for name in first)
    assert len(list(project.root.glob("results/b/m/*/*/result.json"))) == 8
    for name, data in first.items():
        assert bytes(project.root) not in data and project.id.encode() not in data, name


def modes(project: Project) -> dict[str, int]:
    """Map each published file to its permissions."""
    root = project.root / "results"
    return {str(path.relative_to(root)): path.stat().st_mode for path in Path(root).rglob("*")}
