"""What a plan says of networks, sidecars and privileges."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchrouter.graph.admission import Demand
from benchrouter.keys.cache import StatCache
from benchrouter.keys.scan import scan_benchmark
from benchrouter.make.surroundings import memory_line, surrounding_lines
from benchrouter.spec.settings import SiteLimits

HEAD = "name: T\ncommand: 'true'\n"


def lines(root: Path, tasks: dict[str, str], daemons: str = "") -> list[str]:
    """Say what stands around tasks of these texts."""
    return list(surrounding_lines(scanned(root, tasks), daemons))


def scanned(root: Path, tasks: dict[str, str]) -> list[Any]:
    """Scan tasks of these texts."""
    listed = "".join(f"  - name: {name}\n    environment: e\n" for name in tasks)
    (root / "environments/e").mkdir(parents=True)
    (root / "environments/e/Dockerfile").write_text("FROM debian\n")
    (root / "benchmark.yaml").write_text(f"name: b\ntasks:\n{listed}")
    for name, text in tasks.items():
        (root / name).mkdir()
        (root / name / "task.yaml").write_text(HEAD + text)
    found = scan_benchmark(root, StatCache(root / "none", root))
    assert not found.problems
    return [SimpleNamespace(facts=facts) for facts in found.tasks.values()]


def test_simple_jobs_have_little_around_them(tmp_path: Path) -> None:
    found = lines(tmp_path, {"a": "", "b": "", "c": "network: none\n", "d": "network: bridge\n"})
    assert found == [
        "networks: host (2 jobs), none (1 job), "
        "one of their own each, our relay to the endpoint the only way out (1 job)",
        "privileges: none",
    ]


def test_daemons_and_sidecars_are_told_before_anything_starts(tmp_path: Path) -> None:
    db = "sidecars: [{name: db, image: 'postgres:15'}, {name: web, build: e}]\n"
    found = lines(tmp_path, {"a": "docker: true\n", "b": f"docker: true\n{db}", "c": db}, ", with --privileged")
    assert found == [
        "networks: one of their own each, the endpoint through our relay (3 jobs)",
        "sidecars: db (postgres:15) and web (environment e) (2 jobs)",
        "privileges: 2 jobs want a Docker daemon of their own, with --privileged",
    ]


def test_the_memory_that_jobs_hold_is_told(tmp_path: Path) -> None:
    db = "sidecars: [{name: db, image: i, mem_limit: 3g}]\n"
    jobs = scanned(tmp_path, {"a": "", "b": db, "c": db})
    demands = [Demand(memory=gib << 30) for gib in (2, 5, 5)]
    assert memory_line(jobs, demands, SiteLimits()) == (
        "2.0 GiB reserved for each (1 job), 5.0 GiB reserved for each, 3.0 GiB of it for sidecars (2 jobs)"
    )


def test_a_sidecar_that_asks_for_more_than_a_container_is_named(tmp_path: Path) -> None:
    asks = "privileged: true, cap_add: [NET_ADMIN], volumes: ['/var/run/docker.sock:/s', 'data:/d', './x:/x', '/tmp']"
    found = lines(tmp_path, {"a": f"sidecars: [{{name: db, image: i, {asks}, pid: host}}]\n"})
    assert found[2] == (
        "privileges: sidecar db asks for privileged: True, cap_add: ['NET_ADMIN'], pid: host, "
        "the host's /var/run/docker.sock (1 job)"
    )
