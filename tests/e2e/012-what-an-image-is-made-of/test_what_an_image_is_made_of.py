"""Each kind of change in an environment rebuilds its image and runs its jobs, and `explain` gives the chain."""

from __future__ import annotations

from pathlib import Path

from project import SCORE, Project, docker

ENVIRONMENTS = {
    "dockerfile": "FROM debian:bookworm-slim\n# built by no other test\n",
    "context": "FROM debian:bookworm-slim\nCOPY . /x\n",
    "execbit": "FROM debian:bookworm-slim\nCOPY tool /tool\n",
    "linktarget": "FROM debian:bookworm-slim\nCOPY . /x\n",
    "argument": "FROM debian:bookworm-slim\nARG WHICH\nRUN echo $WHICH >/which\n",
    "shared": "FROM debian:bookworm-slim\nRUN echo one >/which\n",
    "derived": "ARG ON=shared\nFROM benchrouter-env-${ON}\nRUN cat /which\n",
    "copied": "FROM debian:bookworm-slim\nCOPY --from=benchrouter-env-shared /which /which\n",
    "ignored": "FROM debian:bookworm-slim\nCOPY . /x\n",
}
CHANGED = [name for name in ENVIRONMENTS if name != "ignored"]


def benchmark_yaml(which: str) -> str:
    """Give the benchmark file; one task per environment, named like it."""
    tasks = "".join(f"  - {{name: t-{name}, environment: {name}}}\n" for name in ENVIRONMENTS)
    return f"name: img\ntasks:\n{tasks}environments: {{argument: {{build_args: {{WHICH: {which}}}}}}}\n"


def prepare(project: Project) -> Path:
    """Write the benchmark; the shared environment's content decides the score of three tasks."""
    root = project.root / "benchmarks" / "img"
    project.write("benchmarks/img/benchmark.yaml", benchmark_yaml("one"))
    script = 'score=0.5; [ ! -e /which ] || grep -q one /which || score=1\n' + (SCORE % "'$score'")
    for name, dockerfile in ENVIRONMENTS.items():
        project.write(f"benchmarks/img/t-{name}/task.yaml", "name: t\ncommand: sh run.sh\n")
        project.write(f"benchmarks/img/t-{name}/run.sh", script)
        project.write(f"benchmarks/img/environments/{name}/Dockerfile", dockerfile)
    project.write("benchmarks/img/environments/context/data.txt", "one")
    project.write("benchmarks/img/environments/execbit/tool", "#!/bin/sh\n")
    (root / "environments" / "linktarget" / "link").symlink_to("Dockerfile")
    project.write("benchmarks/img/environments/ignored/.dockerignore", "notes\n*.log\n")
    project.write("benchmarks/img/environments/ignored/notes/todo.txt", "one")
    return root


def change(project: Project, root: Path) -> dict[str, list[str]]:
    """Make one change per environment; give the chain that `explain` has to show for the task of each."""
    project.write("benchmarks/img/environments/dockerfile/Dockerfile", "FROM debian:bookworm-slim\nRUN :\n")
    project.write("benchmarks/img/environments/context/data.txt", "two")
    (root / "environments" / "execbit" / "tool").chmod(0o755)
    (root / "environments" / "linktarget" / "link").unlink()
    (root / "environments" / "linktarget" / "link").symlink_to("elsewhere")
    project.write("benchmarks/img/benchmark.yaml", benchmark_yaml("two"))
    project.write("benchmarks/img/environments/shared/Dockerfile", ENVIRONMENTS["shared"].replace("one", "two"))
    project.write("benchmarks/img/environments/ignored/notes/todo.txt", "two")
    project.write("benchmarks/img/environments/ignored/x.log", "two")
    below = "benchmarks/img/environments"
    shared = ["image img/shared changed", f"file {below}/shared/Dockerfile changed"]
    return {
        "dockerfile": ["image img/dockerfile changed", f"file {below}/dockerfile/Dockerfile changed"],
        "context": ["image img/context changed", f"file {below}/context/data.txt changed"],
        "execbit": ["image img/execbit changed", f"file {below}/execbit/tool: exec bit set"],
        "linktarget": [
            "image img/linktarget changed",
            f"link {below}/linktarget/link changed: Dockerfile -> elsewhere",
        ],
        "argument": ["image img/argument changed", "build argument WHICH changed: one -> two"],
        "shared": shared,
        "derived": ["image img/derived changed", *shared],
        "copied": ["image img/copied changed", *shared],
    }


def chain(text: str, node: str) -> list[str]:
    """Read the chain of causes below a node, the indentation of each link deeper than the last."""
    lines = text.split(f"{node}\n", 1)[1].splitlines()
    links = []
    for line in lines:
        word = line.strip()
        if word.startswith(("job:", "image:", "- job", "parallelism")):
            break
        if word.startswith(("- ", "because ")):
            depth = len(line) - len(line.lstrip())
            assert not links or depth > links[-1][0], text
            links.append((depth, word.removeprefix("- ").removeprefix("because ")))
    return [link for _, link in links]


def test_each_change_rebuilds_its_image_and_runs_its_jobs(project: Project) -> None:
    """Eight changes at once: eight images and jobs; what `.dockerignore` excludes is none; then nothing."""
    root = prepare(project)
    first = project.run()
    assert sorted(project.built(first)) == sorted(f"img/{name}" for name in ENVIRONMENTS), first.text
    assert len(project.ran(first)) == len(ENVIRONMENTS)
    assert project.aggregate("img")["overall"] == 0.5
    again = project.run()
    assert project.ran(again) == project.built(again) == []
    chains = change(project, root)
    plan, explained = project.doit("plan", "model=m"), project.doit("explain", "job:*", "image:*", "model=m")
    for name, causes in chains.items():
        assert chain(plan.out, f"job:img/t-{name}@m") == causes, plan.out
        assert chain(explained.out, f"job:img/t-{name}@m") == causes, explained.out
        assert chain(explained.out, f"image:img/{name}") == causes[1:], explained.out
    assert chain(explained.out, "image:img/ignored") == []
    assert "images: 8 of 8 to build" in plan.out
    second = project.run()
    assert sorted(project.built(second)) == sorted(f"img/{name}" for name in CHANGED), second.text
    assert sorted(project.ran(second)) == sorted(f"img/t-{name}@m" for name in CHANGED)
    assert abs(project.aggregate("img")["overall"] - (5 * 0.5 + 4) / 9) < 1e-9

    # A site alias is no part of a key: the image resolves otherwise, and nothing moves.
    docker("tag", "benchrouter-bootstrap/debian:bookworm-slim", "benchrouter-test-012:alias")
    try:
        local = "site: {image_aliases: {'debian:bookworm-slim': 'benchrouter-test-012:alias'}}\n"
        project.write("benchrouter.local.yaml", local)
        third = project.run()
    finally:
        docker("rmi", "benchrouter-test-012:alias")
    assert project.ran(third) == project.built(third) == []
