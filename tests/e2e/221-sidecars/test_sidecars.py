"""Sidecars through the command line: what a plan says, what a failure says, what makes a job run again."""

from __future__ import annotations

import json

import psutil
import pytest
from project import MAY_DIFFER, SCORE, Project, contents, docker

DB = """\
    sidecars:
      - name: db
        %s
        command: [sh, -c, "%s"]
        ports: ["15432:5432"]
"""
SERVE = "echo serving; exec sleep 600"


def test_what_a_plan_says(project: Project) -> None:
    """Networks, sidecars and rights, before anything starts."""
    rights = "        cap_add: [NET_ADMIN]\n"
    project.benchmark("b", {"t": SCORE % 0.5}, task_yaml=DB % ("build: b", SERVE) + rights)
    said = project.doit("plan", "model=m").out
    assert "networks: one of their own each, the endpoint through our relay (1 job)" in said
    assert "sidecars: db (environment b) (1 job)" in said
    assert "privileges: sidecar db asks for cap_add: ['NET_ADMIN'] (1 job)" in said


def test_memory_of_sidecars_was_not_in_admission(project: Project) -> None:
    """Two jobs whose sidecars want two thirds of the machine run one after the other, and the plan says so."""
    half = psutil.virtual_memory().total // 3 * 2
    yaml = DB % ("build: b", SERVE) + f"        mem_limit: {half}\n"
    project.benchmark("b", {"t": f"sleep 1; {SCORE % 1}", "u": f"sleep 1; {SCORE % 1}"}, task_yaml=yaml)
    said = project.doit("plan", "model=m").out
    assert "parallelism: 1 job at a time" in said
    assert f"{half / 2**30:.1f} GiB of it for sidecars (2 jobs)" in said
    done = project.run()
    lines = [line.split()[2] for line in done.out.splitlines() if " job:b/" in line]
    assert lines == ["started", "COMPLETED", "started", "COMPLETED"], done.out


def test_a_sidecar_that_does_not_start_is_retried_and_shown_with_its_log(project: Project) -> None:
    """It is infrastructure: no score, the reason `sidecar`, and the words that matter at the terminal."""
    project.benchmark("b", {"t": SCORE % 0.5}, task_yaml=DB % ("build: b", "echo no room for it; exit 3"))
    done = project.run(status=1)
    assert project.job_states() == {"b/t": "FAILED sidecar"}
    assert "sidecar db ended with status 3" in done.text and "[sidecar db] no room for it" in done.text
    assert len(project.failures()) == 3  # a start is tried again
    log = project.failures()[-1] / "logs" / "sidecar-db.log"
    assert log.read_text() == "no room for it\n"
    assert project.aggregate("b")["overall_failures_as_zero"] is None


def test_one_that_dies_under_the_evaluation_is_not(project: Project) -> None:
    """Hours of work are not repeated for a sidecar that lived and died."""
    project.benchmark("b", {"t": "sleep 60"}, task_yaml=DB % ("build: b", "sleep 7; exit 4"))
    project.run(status=1)
    assert project.job_states() == {"b/t": "FAILED sidecar"}
    assert len(project.failures()) == 1


def test_an_image_that_nobody_has_is_told_before_anything_starts(project: Project) -> None:
    """Its jobs end `image_missing`, the others run; with strict=1 nothing does."""
    project.benchmark("b", {"t": SCORE % 0.5})
    project.benchmark("c", {"t": SCORE % 0.5}, task_yaml=DB % ("image: nobody.invalid/nothing:1", SERVE))
    done = project.run(status=1)
    assert project.job_states() == {"b/t": "COMPLETED", "c/t": "FAILED image_missing"}
    before, _, _ = done.text.partition("job:b/t@m started")
    assert "nobody.invalid/nothing:1" in before
    assert "strict=1: not started" in project.run("strict=1", status=1).text


def test_what_a_sidecar_runs_is_part_of_the_key(project: Project) -> None:
    """A changed image of a sidecar's environment reruns its jobs, and explain names the file."""
    project.benchmark("b", {"t": SCORE % 0.5}, task_yaml=DB % ("build: db", SERVE))
    project.write("benchmarks/b/environments/db/Dockerfile", "FROM debian:bookworm-slim\n")
    project.run()
    assert project.due() == []
    project.write("benchmarks/b/environments/db/Dockerfile", "FROM debian:bookworm-slim\nENV A=1\n")
    assert project.due() == ["b/t@m"]
    assert "environments/db/Dockerfile" in project.doit("explain", "job:b/t@m", "model=m").out


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("a.env", "env_file: a.env"),
        ("a.env", "env_file: [./a.env]"),
        ("sub/a.env", "env_file: [{path: sub/a.env}]"),
        ("p.json", "security_opt: ['seccomp:./p.json']"),
        ("x/y", "volumes: ['./x:/x']"),
        ("x/y", "volumes: [{type: bind, source: x, target: /x}]"),
    ],
)
def test_files_that_compose_reads_are_in_the_key(project: Project, file: str, line: str) -> None:
    """Stale results otherwise; that a file of elsewhere is refused is the other half."""
    project.benchmark("b", {"t": SCORE % 0.5}, task_yaml=DB % ("build: b", SERVE) + f"        {line}\n")
    project.write(f"benchmarks/b/t/{file}", '{"defaultAction": "SCMP_ACT_ALLOW"}\n' if "json" in file else "A=1\n")
    project.run()
    assert project.due() == []
    project.write(f"benchmarks/b/t/{file}", "{}\n" if "json" in file else "A=2\n")
    assert project.due() == ["b/t@m"]


def test_extends_gave_rights_that_no_plan_shows(project: Project) -> None:
    """Compose reads the file that it names, and with it whatever that grants."""
    extends = "        extends: {file: x.yaml, service: s}\n"
    project.benchmark("b", {"t": SCORE % 0.5}, task_yaml=DB % ("build: b", SERVE) + extends)
    project.write("benchmarks/b/t/x.yaml", "services: {s: {volumes: ['/:/host'], pid: host, cap_add: [SYS_ADMIN]}}\n")
    for command in ("plan", "run"):
        done = project.doit(command, "model=m")
        assert done.status == 2 and "expected no `extends`" in done.text


def test_two_runs_of_a_job_are_the_same_bytes(project: Project) -> None:
    """Networks, ports and project names differ from run to run, and stand in provenance and logs only."""
    project.benchmark("b", {"t": SCORE % 0.5, "u": SCORE % 0.6}, task_yaml=DB % ("build: b", SERVE))
    project.run()
    first = contents(project.root / "results", leave_out=MAY_DIFFER)
    project.run("-a")
    assert contents(project.root / "results", leave_out=MAY_DIFFER) == first
    (artifact,) = project.artifacts(task="t")
    provenance = json.loads((artifact / "provenance.json").read_text())
    assert provenance["network"]["subnet"].endswith("/28")
    assert not docker("network", "ls", "-q", "--filter", f"label=benchrouter.workspace={project.id}")
