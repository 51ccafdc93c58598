"""`plan`, `explain`, `graph`, `list`, `info` and `help` start no container and write nothing at all."""

from __future__ import annotations

import shutil

from project import SCORE, Project, docker, listing

COMMANDS = (
    ("plan", "model=m"),
    ("plan", "model=m", "V=1", "repeat=2"),
    ("plan", "-n", "16", "model=demo"),
    ("explain", "job:reading/t@m", "model=m"),
    ("explain", "*", "model=m"),
    ("graph", "model=m"),
    ("graph", "model=m", "format=dot", "full=1"),
    ("list",),
    ("list", "--all", "model=m"),
    ("list", "--all", "--status", "model=m"),
    ("info", "job:reading/t@m", "model=m"),
    ("help",),
    ("help", "plan"),
    ("clean", "-n"),
)


def test_in_a_fresh_workspace_and_in_a_used_one(project: Project) -> None:
    """Compare the whole workspace before and after each command, and the engine's containers and images."""
    root = project.benchmark("reading", {"t": SCORE % 0.5, "linked": SCORE % 0.5})
    project.write("benchmarks/reading/common/x", "x")
    (root / "linked" / "x").symlink_to("../common/x")
    check(project)
    assert not any((project.root / name).exists() for name in (".benchrouter", "cache", "results", "runs"))
    project.run()
    project.write("benchmarks/reading/t/run.sh", SCORE % 0.7)
    check(project)
    shutil.rmtree(project.root / "cache")
    check(project, COMMANDS[:1] + COMMANDS[3:4] + COMMANDS[7:9])


def check(project: Project, commands: tuple[tuple[str, ...], ...] = COMMANDS) -> None:
    """Run commands; nothing may be added, changed or touched."""
    before = listing(project.root)
    images = set(docker("images", "-q", "benchrouter/reading-reading").split())
    for words in commands:
        done = project.doit(*words)
        # doit's own `info` tells by its status whether the node is up to date.
        assert done.status in ((0, 1) if words[0] == "info" else (0,)), (words, done.text)
        after = listing(project.root)
        assert after == before, (words, sorted(after.keys() ^ before.keys()))
        assert "Traceback" not in done.text
        assert docker("ps", "-aq", "--filter", "name=benchrouter-reading-") == ""
    assert set(docker("images", "-q", "benchrouter/reading-reading").split()) == images


def test_without_an_engine(project: Project) -> None:
    """The plan says that it did not ask; it still ends 0."""
    project.benchmark("b", {"t": SCORE % 0.5})
    done = project.doit("plan", "model=m", env={"DOCKER_HOST": "tcp://127.0.0.1:1"})
    assert done.status == 0 and "images: 1 needed (engine not asked)" in done.out
