"""What Compose knows for a service is known here, too: shown, refused, or kept from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchrouter.jobs.compose_file import services_for_people, services_for_us
from benchrouter.spec import sidecar_keys as keys
from benchrouter.spec.problems import SpecError
from benchrouter.spec.task import Task, load_task

# `service` in the JSON schema of the Compose specification, as Compose 2.40.3 has it.
_COMPOSE = """
    annotations attach blkio_config build cap_add cap_drop cgroup cgroup_parent command configs container_name
    cpu_count cpu_percent cpu_period cpu_quota cpu_rt_period cpu_rt_runtime cpu_shares cpus cpuset credential_spec
    depends_on deploy develop device_cgroup_rules devices dns dns_opt dns_search domainname entrypoint env_file
    environment expose extends external_links extra_hosts gpus group_add healthcheck hostname image init ipc isolation
    label_file labels links logging mac_address mem_limit mem_reservation mem_swappiness memswap_limit models
    network_mode networks oom_kill_disable oom_score_adj pid pids_limit platform ports post_start pre_stop privileged
    profiles provider pull_policy pull_refresh_after read_only restart runtime scale secrets security_opt shm_size
    stdin_open stop_grace_period stop_signal storage_opt sysctls tmpfs tty ulimits use_api_socket user userns_mode uts
    volumes volumes_from working_dir
"""
COMPOSE = _COMPOSE.split()
HEAD = "name: T\ncommand: x\nsidecars:\n- name: db\n  image: i\n"


def load(root: Path, text: str) -> tuple[dict[str, Any], list[str]]:
    """Load a task with one sidecar; give that and the warnings."""
    (root / "task.yaml").write_text(HEAD + text)
    task, warnings = load_task(root / "task.yaml")
    return dict(task.sidecars[0]), [warning.message for warning in warnings]


def fault(root: Path, text: str) -> str:
    """Give the one error of a task with one sidecar, which has a line."""
    with pytest.raises(SpecError) as error:
        load(root, text)
    (problem,) = error.value.problems
    assert problem.line
    return problem.message


@pytest.mark.parametrize("key", COMPOSE)
def test_a_key_that_compose_honours_was_passed_on_with_a_warning(key: str, tmp_path: Path) -> None:
    """`extends` of another file gave the host's `/` while the plan said `privileges: none`."""
    lists = keys.OURS, keys.ORDINARY, keys.RIGHTS, keys.WITHOUT_EFFECT, keys.REFUSED
    assert sum(key in each for each in lists) == 1
    # As it comes from a cache or a caller, past the loader.
    sidecar = {"name": "db", "image": "i", key: "1g" if key.startswith("mem_") else ["x"]}
    task = Task("T", "true", sidecars=(sidecar,))
    options: Any = {"log_bytes": 1, "memory": 1, "start_interval": True}
    rendered = {**services_for_us(task, {}, {}, **options)["db"], **services_for_people(task, {})["db"]}
    if key in keys.REFUSED:
        assert f"expected no `{key}`" in fault(tmp_path, f"  {key}: [x]\n")
        assert key not in rendered
    if key in keys.WITHOUT_EFFECT:
        sidecar, warnings = load(tmp_path, f"  {key}: [x]\n")
        assert key not in {**rendered, **sidecar} and "has no effect" in warnings[0]
    if key in keys.RIGHTS:
        assert list(keys.rights_of(sidecar)) == [f"{key}: ['x']"]
    assert set(COMPOSE) | {"name"} == set().union(*lists)


@pytest.mark.parametrize("key", ["evironment", "no_such_right", '"x-a: 1\\n    privileged"', '"<<"'])
def test_a_key_that_nobody_knows_is_left_out(tmp_path: Path, key: str) -> None:
    """The third was a line of its own in the file that Compose got."""
    sidecar, warnings = load(tmp_path, f"  {key}: {{pid: host}}\n  x-own: 1\n")
    assert sidecar == {"name": "db", "image": "i", "x-own": 1}
    assert len(warnings) == 1 and "no key of a Compose service, and is left out" in warnings[0]


def test_what_yaml_merges_into_a_sidecar_is_seen(tmp_path: Path) -> None:
    sidecar, _ = load(tmp_path, "  <<: {pid: host}\n")
    assert list(keys.rights_of(sidecar)) == ["pid: host"]


def test_devices_in_deploy_were_shown_nowhere() -> None:
    sidecar = {"deploy": {"resources": {"reservations": {"devices": [{"count": 1}]}}}}
    assert list(keys.rights_of(sidecar)) == ["deploy.resources.reservations.devices: [{'count': 1}]"]
    assert list(keys.rights_of({"deploy": {"replicas": 2}, "cgroup": "private", "gpus": None})) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("env_file: ../shared.env", "env_file`: `../shared.env` leaves"),
        ("env_file: [a.env, b/../../shared.env]", "env_file[1]`: `b/../../shared.env` leaves"),
        ("env_file: [{path: ../x, required: false}]", "env_file[0]`: `../x` leaves"),
        ("env_file: [{path: /etc/shared.env}]", "`/etc/shared.env` is on this machine"),
        ("env_file: ~/shared.env", "`~/shared.env` is on this machine"),
        ("security_opt: ['seccomp:../p.json']", "security_opt[0]`: `../p.json` leaves"),
        ("security_opt: [no-new-privileges, seccomp=/p.json]", "security_opt[1]`: `/p.json` is on this machine"),
        ("volumes: ['../common:/c']", "`../common` leaves"),
        ("volumes: [{type: bind, source: ../common, target: /c}]", "`../common` leaves"),
        ("volumes: [{type: bind, source: a/../../common, target: /c}]", "`a/../../common` leaves"),
        ("volumes: [{type: image, source: i, target: /c}]", "expected `bind`, `volume` or `tmpfs`"),
    ],
)
def test_files_of_elsewhere_were_read_and_not_in_the_key(tmp_path: Path, text: str, said: str) -> None:
    assert said in fault(tmp_path, f"  {text}\n")


def test_files_of_the_task_and_what_a_plan_shows_are_accepted(tmp_path: Path) -> None:
    text = (
        "  env_file: [./a.env, {path: b/../c.env}]\n  security_opt: ['seccomp:unconfined', seccomp=./p.json]\n"
        "  volumes: [data:/d, /srv:/srv, ./x:/x, {type: bind, source: y, target: /y}, {type: tmpfs, target: /t}, /u]\n"
    )
    sidecar, warnings = load(tmp_path, text)
    assert not warnings
    assert [file for _, file in keys.files_of(sidecar)] == ["./a.env", "b/../c.env", "./p.json"]
    assert list(keys.rights_of(sidecar))[1:] == ["the host's /srv"]
