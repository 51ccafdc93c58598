"""Scanning benchmarks and environments: what reruns a job, and that the cache only saves time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from benchrouter.keys import scan as scanning
from benchrouter.keys.cache import StatCache
from benchrouter.keys.environment import environment_facts
from benchrouter.keys.scan import ScannedBenchmark, faults_of_tasks, scan_benchmark
from benchrouter.keys.settings import scan_settings
from benchrouter.spec.benchmark import EnvironmentOptions
from benchrouter.spec.problems import SpecError
from benchrouter.spec.settings import load_settings

TASK = "name: T\ncommand: sh run.sh\n"


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    root = tmp_path / "b"
    for task in ("t1", "t2"):
        (root / task).mkdir(parents=True)
        (root / task / "task.yaml").write_text(TASK)
        (root / task / "run.sh").write_text("echo\n")
    (root / "benchmark.yaml").write_text("name: b\ntasks:\n- name: t1\n- name: t2\n")
    (root / "environments" / "b").mkdir(parents=True)
    (root / "environments" / "b" / "Dockerfile").write_text("FROM debian:12\nRUN x\n")
    return root


def scan(bench: Path, cache: StatCache | None = None) -> ScannedBenchmark:
    return scan_benchmark(bench, cache or StatCache.load(bench.parent / "none", bench))


def settle(bench: Path) -> StatCache:
    """Fill a cache when stats may be trusted; the kernel's clock for files steps by 10 ms at most."""
    time.sleep(0.02)
    cache = StatCache.load(bench.parent / "hashes", bench)
    cache.grain = 0
    scan(bench, cache)
    environment_facts(bench / "environments" / "b", EnvironmentOptions(), cache)
    cache.save()
    return StatCache.load(bench.parent / "hashes", bench)


def keys(found: ScannedBenchmark) -> dict[str, tuple[str, str]]:
    return {name: (facts.tree_digest, facts.spec_digest) for name, facts in found.tasks.items()}


def test_warm_and_cold_say_the_same_and_warm_reads_nothing(
    bench: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cold = scan(bench)
    cache = settle(bench)
    monkeypatch.setattr(scanning, "load_task", None)
    monkeypatch.setattr(scanning, "hash_walk", None)
    monkeypatch.setattr(scanning, "parse_benchmark", None)
    warm = scan(bench, cache)
    assert warm == cold
    assert not cache.dirty
    assert warm.tasks["t1"].task().command == "sh run.sh"
    assert warm.tasks["t1"].tree().digest == warm.tasks["t1"].tree_digest
    assert warm.tasks["t1"].signature_now() == warm.tasks["t1"].signature


def test_a_warm_scan_imports_no_yaml(bench: Path) -> None:
    (bench / "benchrouter.yaml").write_text("pass_env: [A]\n")
    code = (
        "import sys\nfrom pathlib import Path\nfrom benchrouter.keys.cache import StatCache\n"
        "from benchrouter.keys.scan import scan_benchmark\nfrom benchrouter.keys.environment import environment_facts\n"
        "from benchrouter.keys.settings import scan_settings\n"
        f"root = Path({str(bench)!r}); cache = StatCache.load(root.parent / 'hashes', root)\n"
        "found = scan_benchmark(root, cache); scan_settings(root, cache)\n"
        "environment_facts(root / 'environments' / 'b', found.benchmark.options('b'), cache); cache.save()\n"
        "print(sorted({'yaml', 'pydantic', 'docker', 'jinja2', 'rich'} & set(sys.modules)))\n"
    )
    time.sleep(2.1)
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in "12"
    ]
    assert [run.stdout for run in runs] == ["['pydantic', 'yaml']\n", "[]\n"]


CHANGES: dict[str, Callable[[Path], object]] = {
    "a byte of a script": lambda b: (b / "t1" / "run.sh").write_text("exit\n"),
    "an exec bit": lambda b: (b / "t1" / "run.sh").chmod(0o755),
    "the command": lambda b: (b / "t1" / "task.yaml").write_text(TASK.replace("run.sh", "run2.sh")),
    "a variable": lambda b: (b / "t1" / "task.yaml").write_text(TASK + "extra_env: {A: 1}\n"),
}
NO_CHANGES: dict[str, Callable[[Path], object]] = {
    "touch": lambda b: [os.utime(path) for path in b.rglob("*")],
    "a description": lambda b: (b / "t1" / "task.yaml").write_text(TASK + "description: x\n"),
    "a timeout": lambda b: (b / "t1" / "task.yaml").write_text(TASK + "timeout: 5\n"),
    "a comment": lambda b: (b / "t1" / "task.yaml").write_text("# c\n" + TASK),
    "a readme": lambda b: (b / "README.md").write_text("x"),
    "a directory that no task names": lambda b: (b / "code").mkdir(),
}


@pytest.mark.parametrize("change", [*CHANGES, *NO_CHANGES])
def test_what_reruns_a_job_and_what_does_not(bench: Path, change: str) -> None:
    cache = settle(bench)
    before = keys(scan(bench, cache))
    (CHANGES | NO_CHANGES)[change](bench)
    after = keys(scan(bench, cache))
    assert after == keys(scan(bench))
    assert after["t2"] == before["t2"]
    assert (after["t1"] != before["t1"]) == (change in CHANGES)


def test_other_content_under_equal_mtime_and_size_is_seen(bench: Path) -> None:
    cache = settle(bench)
    before, script = keys(scan(bench, cache)), bench / "t1" / "run.sh"
    stat = script.stat()
    script.write_text("ECHO\n")
    os.utime(script, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert keys(scan(bench, cache))["t1"] != before["t1"]


def test_a_change_right_after_the_first_scan_is_seen(bench: Path) -> None:
    """The racy case: the clock's grain hides the second write, so the first scan must not be trusted."""
    cache = StatCache.load(bench.parent / "hashes", bench)
    before = keys(scan(bench, cache))
    cache.save()
    (bench / "t1" / "run.sh").write_text("ECHO\n")
    assert keys(scan(bench, StatCache.load(bench.parent / "hashes", bench)))["t1"] != before["t1"]


def test_faults_of_one_task_leave_the_others(bench: Path) -> None:
    (bench / "t1" / "task.yaml").write_text("name: T\ntimeout: 0\n")
    (bench / "t1" / "out").symlink_to("/etc/passwd")
    found = scan(bench)
    assert list(found.tasks) == ["t2"]
    assert len(found.problems) == 3


def test_faults_of_benchmark_yaml_do_not_hide_those_of_its_tasks(bench: Path) -> None:
    (bench / "benchmark.yaml").write_text("name: ../b\ntasks:\n- name: t1\n- name: t1\n- name: t3\n- name: a/b\n")
    (bench / "t1" / "task.yaml").write_text("name: T\ntimeout: 0\n")
    (bench / "t1" / "out").symlink_to("/etc/passwd")
    with pytest.raises(SpecError) as caught:
        raise SpecError(scan(bench).problems)
    found = [str(problem).removeprefix(f"{bench}/").partition(": ")[0] for problem in caught.value.problems]
    places = ["benchmark.yaml:1", "benchmark.yaml:4", "benchmark.yaml:5", "benchmark.yaml:6"]
    assert found == [*places, "t1/task.yaml:1", "t1/task.yaml:2", "t1/out"]


def test_a_benchmark_yaml_that_is_no_yaml_hid_the_faults_of_its_tasks(bench: Path) -> None:
    (bench / "benchmark.yaml").write_text("name: b\ntasks:\n- name: t1\n- name: [\n- name: tt2\n")
    for task in ("t1", "t2"):
        (bench / task / "task.yaml").write_text("name: T\ntimeout: 0\n")
    with pytest.raises(SpecError):
        scan(bench)
    assert {Path(problem.where).parent.name for problem in faults_of_tasks(bench)} == {"t1"}
    (bench / "benchmark.yaml").unlink()
    assert faults_of_tasks(bench) == ()


def test_warnings_are_shown_again_from_the_cache(bench: Path) -> None:
    (bench / "t1" / "task.yaml").write_text(TASK + "tiemout: 5\n")
    cache = settle(bench)
    assert [w.line for w in scan(bench, cache).warnings] == [3]


def test_a_task_without_a_directory_is_a_problem(bench: Path) -> None:
    (bench / "benchmark.yaml").write_text("name: b\ntasks: [{name: t1}, {name: t3}]\n")
    assert "no directory of that name" in str(scan(bench).problems[0])


def test_only_wanted_tasks_are_looked_at(bench: Path) -> None:
    (bench / "t2" / "task.yaml").write_text("]")
    found = scan_benchmark(bench, StatCache.load(bench.parent / "none", bench), frozenset({"t1"}))
    assert list(found.tasks) == ["t1"]
    assert not found.problems


def test_facts_name_what_a_task_needs(bench: Path) -> None:
    (bench / "t1" / "task.yaml").write_text(
        TASK + "docker: true\ndocker_images: [a:1]\nsidecars: [{name: s, image: b}, {name: w, build: web}]\n"
    )
    facts = scan(bench).tasks["t1"]
    assert (facts.docker, facts.has_sidecars) == (True, True)
    assert (facts.needs_images, facts.needs_environments) == (("a:1", "b"), ("web",))


def environment(bench: Path, cache: StatCache | None = None, **options: object) -> dict[str, object]:
    given = EnvironmentOptions(**options)  # type: ignore[arg-type]
    kept = cache or StatCache.load(bench.parent / "none", bench)
    return dict(environment_facts(bench / "environments" / "b", given, kept).inputs())


def test_what_rebuilds_an_image_and_what_does_not(bench: Path) -> None:
    root, cache = bench / "environments" / "b", settle(bench)
    first = environment(bench, cache)
    (root / ".dockerignore").write_text("*.md\n.dockerignore\n")
    (root / "NOTES.md").write_text("x")
    assert environment(bench, cache) == first
    (root / "setup.sh").write_text("x")
    second = environment(bench, cache)
    assert second != first
    (root / "setup.sh").chmod(0o755)
    third = environment(bench, cache)
    assert third != second
    (root / "Dockerfile").write_text("FROM debian:12\nRUN y\n")
    assert environment(bench, cache) != third
    assert environment(bench, cache, build_args={"A": "1"}) != environment(bench, cache)
    assert environment(bench, cache, platform="linux/arm64") != environment(bench, cache)


def test_a_dockerfile_that_ignores_itself_still_counts(bench: Path) -> None:
    root = bench / "environments" / "b"
    (root / ".dockerignore").write_text("*\n")
    cache = settle(bench)
    before = environment(bench, cache)
    (root / "Dockerfile").write_text("FROM debian:13\nRUN x\n")
    after = environment(bench, cache)
    assert after != before
    assert after["context"] == before["context"]


def test_bases_and_siblings_are_told_apart(bench: Path) -> None:
    root = bench / "environments" / "b"
    (root / "Dockerfile").write_text(
        "ARG V\nFROM debian:$V\nFROM benchrouter-env-x.y\nRUN --mount=type=cache,target=/c z\n"
    )
    cache = StatCache.load(bench.parent / "hashes", bench)
    facts = environment_facts(root, EnvironmentOptions({"V": "12"}), cache)
    assert facts.base_refs == ("debian:12",)
    assert facts.sibling_refs == ("benchrouter-env-x.y",)
    assert "line 4" in (facts.needs_buildkit or "")


def test_a_bad_dockerfile_is_a_problem_with_its_line(bench: Path) -> None:
    (bench / "environments" / "b" / "Dockerfile").write_text("FROM a\nFROM b c\n")
    with pytest.raises(SpecError) as caught:
        environment(bench)
    assert caught.value.problems[0].line == 2


def test_cached_settings_are_the_settings_and_hold_no_secret(bench: Path) -> None:
    text = "models: {m: {endpoint: http://h/v1}}\nsite: {proxies: {http: 'http://u:${PW}@h'}, ca_bundle: ca.pem}\n"
    (bench / "benchrouter.yaml").write_text(text)
    environ = {"PW": "canary-canary"}
    for _ in range(2):
        cache = StatCache.load(bench.parent / "hashes", bench)
        assert scan_settings(bench, cache, environ) == (load_settings(bench, environ)[0], [])
        cache.save()
    assert "canary" not in cache.path.read_text()
    assert json.loads(cache.path.read_bytes().partition(b"\n")[2])["records"]["settings"]
    assert "PW is not set" in str(scan_settings(bench, cache, {})[1][0])
    (bench / "benchrouter.yaml").write_text("pass_env: [A]\n")
    assert scan_settings(bench, cache, {})[0].pass_env == ("A",)
