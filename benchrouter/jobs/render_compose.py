"""compose.yaml through its template: as it is kept beside a job for people, and as a job runs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from benchrouter.engine.container_spec import ContainerSpec
from benchrouter.jobs.compose_file import named_volumes, scalar, service_name, services_for_people
from benchrouter.jobs.contract import BENCHMARK_DIR, OUTPUT_DIR, SDK_DIR
from benchrouter.jobs.render import COMPOSE_FILE
from benchrouter.jobs.request import DataVolume, JobRequest
from benchrouter.jobs.template_files import load_template
from benchrouter.jobs.words import one_line
from benchrouter.spec.data import variable_of
from benchrouter.store.workspace import Workspace

_SOURCES = {
    BENCHMARK_DIR: '"${BENCHROUTER_TASK_DIR:-.}"',
    OUTPUT_DIR: '"${BENCHROUTER_OUTPUT:-$PWD/results-by-hand}"',
    SDK_DIR: '"${BENCHROUTER_SDK:-$PWD/cache/sdk}"',
}


def for_people(workspace: Workspace, request: JobRequest, spec: ContainerSpec) -> bytes:
    """Render the file to bring up by hand: ports published, an evaluation without a daemon a service with a profile."""
    task = request.task
    services = services_for_people(task, request.images)
    # An own daemon needs rights and images that depend on the machine: run.sh sees to them.
    entries = {} if task.docker else _evaluation(spec, task.sidecars, services, request.data)
    evaluation = {"name": service_name(services), "entries": list(entries.items())}
    post_start = [(str(each["name"]), list(each["post_start"])) for each in task.sidecars if each.get("post_start")]
    return _render(
        workspace,
        job=one_line(str(request.id)),
        services=services,
        volumes=named_volumes(task),
        post_start=post_start,
        evaluation=evaluation,
        data=[(volume.name, variable_of(volume.name)) for volume in request.data],
        secrets=sorted(spec.secrets),
    )


def for_us(
    workspace: Workspace,
    request: JobRequest,
    services: Mapping[str, Mapping[str, Any]],
    volumes: Iterable[str],
    labels: Mapping[str, str],
    network: str,
) -> bytes:
    """Render the file that a job's sidecars are brought up from, in a network that exists."""
    return _render(
        workspace,
        job=one_line(str(request.id)),
        services=services,
        volumes=list(volumes),
        volume_options={"labels": dict(labels)},
        network=network,
    )


def _render(workspace: Workspace, *, services: Mapping[str, Mapping[str, Any]], **given: Any) -> bytes:
    values = {
        "evaluation": {"name": service_name(services), "entries": []},
        "post_start": [],
        "data": [],
        "secrets": [],
        "volume_options": {},
        "network": "",
        "services": [(name, list(service.items())) for name, service in services.items()],
        **given,
    }
    return os.fsencode(load_template(workspace, f"{COMPOSE_FILE}.j2").render(values))


def _evaluation(
    spec: ContainerSpec, sidecars: Iterable[Mapping[str, Any]], services: Mapping[str, Any], data: Iterable[DataVolume]
) -> dict[str, str | list[str]]:
    """Write the evaluation's container as a service, each value as YAML; what differs by caller is a variable."""
    limits = spec.limits
    items: dict[str, str | list[str]] = {
        "image": scalar(spec.image),
        "profiles": scalar([service_name(services)]),
        "entrypoint": scalar(list(spec.entrypoint)),
        "command": scalar(list(spec.command)),
        "working_dir": scalar(spec.workdir),
        "environment": list(_variables(spec)),
        "volumes": list(_mounts(spec, data)),
        "extra_hosts": scalar(["host.docker.internal:host-gateway"]),
        "depends_on": scalar({str(each["name"]): {"condition": _condition(each)} for each in sidecars}),
    }
    if spec.privileges.dropped:
        items["cap_drop"] = scalar(list(spec.privileges.dropped))
    if limits.memory is not None:
        items |= {"mem_limit": scalar(limits.memory), "memswap_limit": scalar(limits.memory)}
    if limits.cpus is not None:
        items |= {"cpu_period": scalar(100_000), "cpu_quota": scalar(round(limits.cpus * 100_000))}
    if limits.pids is not None:
        items["pids_limit"] = scalar(limits.pids)
    if limits.shm_size is not None:
        items["shm_size"] = scalar(limits.shm_size)
    if limits.gpus:
        items["gpus"] = scalar([{"count": limits.gpus}])
    return items


def _variables(spec: ContainerSpec) -> Iterable[str]:
    for name, value in spec.environment.items():
        if name == "BENCHROUTER_MODEL_ENDPOINT":
            yield '"BENCHROUTER_MODEL_ENDPOINT=${BENCHROUTER_MODEL_ENDPOINT:-}"'
        else:
            yield scalar(f"{name}={value}")
    yield from (scalar(name) for name in sorted(spec.secrets))


def _mounts(spec: ContainerSpec, data: Iterable[DataVolume]) -> Iterable[str]:
    sources = _SOURCES | {v.target: f'"${{{variable_of(v.name)}:-$PWD/data/{v.name}}}"' for v in data}
    for mount in spec.mounts:
        yield (
            f'{{"type": "bind", "source": {sources[mount.target]}, "target": {scalar(mount.target)}, '
            f'"read_only": {scalar(mount.read_only)}}}'
        )


def _condition(sidecar: Mapping[str, Any]) -> str:
    check = sidecar.get("healthcheck")
    return "service_healthy" if check and not check.get("disable") else "service_started"
