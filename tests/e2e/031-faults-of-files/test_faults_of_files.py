"""What is wrong in files is said at once and once, whatever else is wrong, before anything runs."""

from __future__ import annotations

from project import DOCKERFILE, SCORE, Done, Project, listing

BENCHMARK = """\
name: ../b
tasks:
  - name: gone
  - name: there
  - name: there
  - name: linked
    environment: nowhere
  - name: sound
    environment: circle-a
"""
TASK = "name: t\ncommand: sh run.sh\n"


def said(project: Project, done: Done) -> list[str]:
    """Give the lines of a refusal, with paths relative to the workspace."""
    assert done.status == 2 and "Traceback" not in done.text, done.text
    return [line.removeprefix(f"{project.root}/") for line in done.err.splitlines() if line != "doit:"]


def check_starts(lines: list[str], starts: list[str]) -> None:
    """Every line begins as expected, and there are no others."""
    pairs = zip(lines, starts, strict=False)
    assert len(lines) == len(starts) and all(line.startswith(start) for line, start in pairs), "\n".join(lines)


def test_every_fault_of_every_file_in_one_refusal(project: Project) -> None:
    """Settings, benchmark, tasks, trees, Dockerfiles, circles, templates: none hides another, none comes twice."""
    project.write("benchrouter.yaml", "site: {build_parallel: 0}\ngroups:\n  default:\n  - a/b/c\n  - helo\n  - b\n")
    project.write("benchmarks/b/benchmark.yaml", BENCHMARK)
    project.write("benchmarks/b/there/task.yaml", "command: x\ntimeout: 0\nextra_env:\n  X Y: 1\n  A: [1]\n")
    project.write("benchmarks/b/linked/task.yaml", TASK)
    (project.root / "benchmarks/b/linked/out").symlink_to("/etc/hostname")
    project.write("benchmarks/b/sound/task.yaml", TASK + "sidecars:\n  - name: s\n    build: nobody\n")
    for name, other in (("circle-a", "circle-b"), ("circle-b", "circle-a")):
        project.write(f"benchmarks/b/environments/{name}/Dockerfile", f"FROM benchrouter-env-{other}\n")
    project.write("templates/run.sh.j2", "{{ imagee }}\n")
    before = listing(project.root)
    lines = said(project, project.doit("plan", "model=m", "tasks=nonsense"))
    check_starts(
        lines,
        [
            "benchrouter.yaml:1: `site.build_parallel`: found 0, expected a whole number",
            "benchrouter.yaml:4: `groups.default[0]`: found 'a/b/c', expected `benchmark` or `benchmark/task`",
            "benchrouter.yaml:5: group `default`: no benchmark or group `helo`",
            "benchmarks/b/benchmark.yaml:1: `name`: found '../b', a name must not be a path",
            "benchmarks/b/benchmark.yaml:3: task `gone`: no directory of that name",
            "benchmarks/b/benchmark.yaml:5: task `there` is listed twice, first on line 4",
            "benchmarks/b/benchmark.yaml:6: environment `nowhere`: no `environments/nowhere/Dockerfile`",
            "benchmarks/b/there/task.yaml:1: `name` is missing",
            "benchmarks/b/there/task.yaml:2: `timeout`: found 0",
            "benchmarks/b/there/task.yaml:4: `extra_env`: 'X Y' is no name of an environment variable",
            "benchmarks/b/there/task.yaml:5: `extra_env.A`: found a list",
            "benchmarks/b/linked/out: links to `/etc/hostname`, outside the benchmark",
            "benchmarks/b/sound/task.yaml:5: environment `nobody`: no `environments/nobody/Dockerfile`",
            "benchmarks/b/environments/circle-a/Dockerfile:1: environments build on each other: ",
            "templates/run.sh.j2:1: 'imagee' is undefined",
        ],
    )
    assert listing(project.root) == before
    assert said(project, project.doit("run", "model=m", "preflight=0", "tasks=nonsense")) == lines


def test_mistakes_of_the_command_line_come_with_them(project: Project) -> None:
    """What was typed wrongly is said beside what is written wrongly."""
    project.benchmark("b", {"t": SCORE % 1})
    project.benchmark("c", {"t": SCORE % 1})
    project.write("benchrouter.yaml", "models:\n  m:\n    endpoint: http://h/v1?key=1\n")
    project.write("benchmarks/b/t/task.yaml", "name: t\n")
    check_starts(
        said(project, project.doit("plan", "model=m", "bench=b,cc", "tasks=x")),
        [
            "benchmarks/b/t/task.yaml:1: `command` is missing",
            "benchrouter.yaml:3: `models.m.endpoint`: the URL has a part after",
            "no benchmark, group or benchmark directory `cc` (did you mean `c`?)",
            "no selected benchmark has a task `x`",
        ],
    )
    check_starts(
        said(project, project.doit("plan", "model=x", "bench=c", "tasks=x", "refresh=c/d")),
        ["no selected benchmark has a task `x`", "refresh=c/d: no such environment in this run (did you mean `c/c`?)"],
    )


def test_a_file_that_two_benchmarks_share_is_blamed_once(project: Project) -> None:
    """An environment of the workspace is read for each benchmark that uses it."""
    for name in ("one", "two"):
        project.benchmark(name, {"t": SCORE % 1}, dockerfile=None)
        project.write(
            f"benchmarks/{name}/benchmark.yaml", f"name: {name}\ntasks: [{{name: t, environment: shared}}]\n"
        )
    project.write("environments/shared/Dockerfile", "RUN x\n")
    (line,) = said(project, project.doit("plan", "model=m"))
    assert line == f"doit: {project.root}/environments/shared/Dockerfile:1: found RUN before the first FROM"
    project.write("environments/shared/Dockerfile", DOCKERFILE)
    assert project.doit("plan", "model=m").status == 0


def test_an_environment_that_is_not_there_is_told_with_the_line_that_names_it(project: Project) -> None:
    """In a Dockerfile as in YAML."""
    project.benchmark("b", {"t": SCORE % 1}, dockerfile=f"{DOCKERFILE}\nCOPY --from=benchrouter-env-nobody /x /x\n")
    (line,) = said(project, project.doit("plan", "model=m"))
    assert "environments/b/Dockerfile:3: `benchrouter-env-nobody`: no such environment" in line


def test_a_settings_file_that_cannot_be_read_hides_no_other_fault(project: Project) -> None:
    """Without its groups nobody knows what the default is; what is named is looked at."""
    project.benchmark("b", {"t": SCORE % 1})
    project.write("benchmarks/b/t/task.yaml", "name: t\n")
    project.write("benchrouter.yaml", "groups: [\n")
    named = said(project, project.doit("plan", "model=m", "bench=b,typo"))
    check_starts(named, ["benchrouter.yaml:2: not valid YAML", "benchmarks/b/t/task.yaml:1: `command` is missing"])
    alone = said(project, project.doit("plan", "model=m"))
    assert len(alone) == 1 and "not valid YAML" in alone[0]


def test_words_that_mean_nothing_come_with_errors_of_settings_and_tasks(project: Project) -> None:
    """They were once said only after the files had been repaired."""
    project.benchmark("b", {"t": SCORE % 1})
    project.write("benchmarks/b/t/task.yaml", "name: t\n")
    project.write("benchrouter.yaml", "site: {build_parallel: 0}\n")
    broken = ["benchrouter.yaml:1: `site.build_parallel`", "benchmarks/b/t/task.yaml:1: `command` is missing"]
    check_starts(
        said(project, project.doit("plan", "model=m", "bench=nosuch,b/zz", "tasks=yy", "refresh=b/nope")),
        [
            broken[0],
            broken[1],
            "no benchmark, group or benchmark directory `nosuch`",
            "benchmark `b` has no task `zz`",
            "no selected benchmark has a task `yy`",
            "refresh=b/nope: no such environment",
        ],
    )
    check_starts(said(project, project.doit("plan", "model=m")), broken)


def test_a_default_that_means_nothing_hides_no_benchmark(project: Project) -> None:
    """Nobody knows then what was meant; errors of all benchmarks show, and no task is said to be none of theirs."""
    project.benchmark("b", {"t": SCORE % 1})
    project.write("benchmarks/b/t/task.yaml", "name: t\n")
    project.write("benchrouter.yaml", "site: {build_parallel: 0}\ngroups:\n  default: [nosuch]\n")
    check_starts(
        said(project, project.doit("plan", "model=m", "tasks=zz")),
        [
            "benchrouter.yaml:1: `site.build_parallel`",
            "benchrouter.yaml:3: group `default`: no benchmark or group `nosuch`",
            "benchmarks/b/t/task.yaml:1: `command` is missing",
        ],
    )


def test_a_key_given_twice_hides_nothing(project: Project) -> None:
    """Neither the rest of its file nor other files: the first value counts until that is repaired."""
    project.benchmark("b", {"t": SCORE % 1})
    project.write("benchrouter.yaml", "site: {build_parallel: 0}\npass_env: []\npass_env: []\n")
    project.write("benchmarks/b/benchmark.yaml", "name: b\nname: c\ntasks: [{name: t}, {name: gone}]\n")
    project.write("benchmarks/b/t/task.yaml", "name: t\nname: u\ntimeout: 0\n")
    lines = said(project, project.doit("plan", "model=m", "bench=b/zz,b,nosuch"))
    check_starts(
        lines,
        [
            "benchrouter.yaml:1: `site.build_parallel`",
            "benchrouter.yaml:3: duplicate key `pass_env`, first given on line 2",
            "benchmarks/b/benchmark.yaml:2: duplicate key `name`, first given on line 1",
            "benchmarks/b/benchmark.yaml:3: task `gone`: no directory of that name",
            "benchmarks/b/t/task.yaml:1: `command` is missing",
            "benchmarks/b/t/task.yaml:2: duplicate key `name`, first given on line 1",
            "benchmarks/b/t/task.yaml:3: `timeout`: found 0",
            "no benchmark, group or benchmark directory `nosuch`",
            "benchmark `b` has no task `zz`",
        ],
    )


def test_a_list_of_no_tasks_and_options_for_no_environment_are_said(project: Project) -> None:
    project.benchmark("b", {"t": SCORE % 1})
    (project.root / "benchmarks/b/environments/nope").mkdir()
    path = "benchmarks/b/benchmark.yaml"
    project.write(path, "name: b\ntasks: [{name: t}]\nenvironments: {nope: {build_args: {A: 1}}}\n")
    done = project.doit("plan", "model=m")
    assert done.status == 0 and f"{path}:3: warning: `environments.nope`: no task uses" in done.out
    project.write(path, "name: b\ntasks: []\n")
    (line,) = said(project, project.doit("plan", "model=m"))
    assert line.endswith(f"{path}:2: `tasks`: found an empty list, expected a list of at least one task")


def test_a_variable_given_twice_is_refused(project: Project) -> None:
    """doit would take the last one without a word."""
    project.benchmark("b", {"t": SCORE % 1})
    done = project.doit("plan", "model=m", "model=n", "V=1", "V=2", "bench=b")
    assert done.status == 2 and "model= is given 2 times (m, n); write model=m,n" in done.err
    assert "V= is given 2 times; keep one of them" in done.err


def test_a_workspace_without_benchmarks_is_no_success(project: Project) -> None:
    """Nothing done is not everything up to date."""
    for words in ((), ("bench=all",)):
        for command in ("run", "plan"):
            done = project.doit(command, "model=demo", *words)
            assert done.status == 2 and f"no benchmarks in {project.root}/benchmarks" in done.err, done.text


def test_doits_own_listing_commands_say_a_mistake_in_one_message(project: Project) -> None:
    """`list`, `info` and `help NODE` printed a traceback for what `plan` says in a line."""
    project.benchmark("b", {"t": SCORE % 1})
    for words in (("list",), ("list", "--all"), ("info", "job:b/t@m"), ("help", "job:b/t@m")):
        (line,) = said(project, project.doit(*words, "model=m", "bench=nonsense"))
        assert line.startswith("doit: no benchmark, group or benchmark directory `nonsense`")
    project.write("benchmarks/b/benchmark.yaml", "name: b\ntasks: 3\n")
    for words in (("list", "--all"), ("info", "job:b/t@m")):
        assert "benchmarks/b/benchmark.yaml:2: `tasks`" in "\n".join(said(project, project.doit(*words, "model=m")))
