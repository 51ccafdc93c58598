"""Render a job's configuration: run.sh is its ContainerSpec as a `docker run`, to repeat by hand."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from benchrouter.engine.container_spec import ContainerSpec, Limits
from benchrouter.engine.dind.control import CONTROL
from benchrouter.engine.dind.control import SCRIPT as DIND_SCRIPT
from benchrouter.jobs.contract import BENCHMARK_DIR, OUTPUT_DIR, SDK_DIR, Host, Places, container_spec
from benchrouter.jobs.redact import Redactor
from benchrouter.jobs.request import DataVolume, JobRequest
from benchrouter.jobs.template_files import load_template
from benchrouter.jobs.words import one_line, quote
from benchrouter.spec.data import variable_of
from benchrouter.spec.settings import Site, SiteLimits
from benchrouter.store.atomic import write_atomic
from benchrouter.store.workspace import Workspace

if TYPE_CHECKING:
    from jinja2 import Template

RUN_SCRIPT = "run.sh"
COMPOSE_FILE = "compose.yaml"

# What differs between machines and runs comes from the caller's environment when the script runs.
BY_VARIABLE = {
    "BENCHROUTER_MODEL_ENDPOINT": '"BENCHROUTER_MODEL_ENDPOINT=$BENCHROUTER_MODEL_ENDPOINT"',
    "BENCHROUTER_ENV_IMAGE_TAG": '"BENCHROUTER_ENV_IMAGE_TAG=$image"',
    "PYTHONPATH": '"PYTHONPATH=/app${pythonpath:+:$pythonpath}"',
}
SOURCES = {BENCHMARK_DIR: "$benchmark", OUTPUT_DIR: "$output", SDK_DIR: "$sdk", CONTROL: "$control"}


class Renderer:
    """Renders the jobs of one workspace; its templates are read once."""

    def __init__(self, workspace: Workspace, limits: SiteLimits) -> None:
        self._workspace = workspace
        self._site = Site(limits=limits)  # nothing else of this machine may show

    @cached_property
    def _template(self) -> Template:
        return load_template(self._workspace, f"{RUN_SCRIPT}.j2")

    def run_script(self, request: JobRequest) -> bytes:
        """Render run.sh: byte-stable, without a secret or an absolute path of this machine."""
        spec = self._described(request)
        text = self._template.render(
            job=one_line(str(request.id)),
            timeout=f"{request.task.timeout:g}",
            secrets=sorted(spec.secrets),
            key_from=_key_from(request, spec),
            image=spec.image,
            task_dir=self._task_dir(request),
            options=list(docker_options(spec, by_hand(request.data), beside=bool(request.task.sidecars))),
            data=[(volume.name, variable_of(volume.name)) for volume in request.data],
            beside=bool(request.task.sidecars),
            network=spec.network,
            arguments=" ".join(quote(part) for part in (*spec.entrypoint[1:], *spec.command)),
            dind=self._daemon(request),
        )
        return _redactor(request).scrub(os.fsencode(text))

    def compose_file(self, request: JobRequest) -> bytes:
        """Render compose.yaml of a task with sidecars, as run.sh."""
        from benchrouter.jobs.render_compose import for_people

        return _redactor(request).scrub(for_people(self._workspace, request, self._described(request)))

    def render_to(self, request: JobRequest, directory: Path, *, durable: bool = False) -> Path:
        """Write run.sh into a directory, and what it needs beside it; return the path of run.sh."""
        directory.mkdir(parents=True, exist_ok=True)
        if request.task.sidecars:
            _write(directory / COMPOSE_FILE, self.compose_file(request), durable)
        if request.task.docker:
            from benchrouter.jobs.render_dind import entrypoint

            _write(directory / DIND_SCRIPT, entrypoint(self._workspace, request), durable)
        path = directory / RUN_SCRIPT
        _write(path, self.run_script(request), durable)
        if not os.access(path, os.X_OK):
            path.chmod(0o755)
        return path

    def _described(self, request: JobRequest) -> ContainerSpec:
        # Host(0, 0): the limits as declared, since they are lowered to what a host has only when it runs.
        spec = container_spec(request, Places("", "", ""), Host(0, 0), self._site)
        if not request.task.docker:
            return spec
        from benchrouter.jobs.render_dind import with_daemon

        return with_daemon(spec)

    def _daemon(self, request: JobRequest) -> dict[str, object] | None:
        if not request.task.docker:
            return None
        from benchrouter.jobs.render_dind import daemon_by_hand

        return daemon_by_hand(request)

    def _task_dir(self, request: JobRequest) -> str:
        """Quote the task's directory relative to the workspace; nothing for a benchmark from elsewhere."""
        try:
            return quote(str(request.tree.relative_to(self._workspace.root)))
        except ValueError:
            return ""


def by_hand(data: Iterable[DataVolume]) -> dict[str, str]:
    """Map the paths in a container at which data volumes stand to the variables that say where they are."""
    return {volume.target: f"${variable_of(volume.name)}" for volume in data}


def docker_options(
    spec: ContainerSpec, data: Mapping[str, str] = MappingProxyType({}), *, beside: bool = False
) -> Iterator[str]:
    """Give the options of `docker run` as pieces of shell text; `beside` sidecars the network may be theirs.

    `data` is what `by_hand` gives.
    """
    sources = {**SOURCES, **data}
    if beside or spec.volumes:
        yield '--network "$network" --add-host "host.docker.internal:${gateway:-host-gateway}"'
    else:
        yield f"--network {quote(spec.network)}"
    yield f"--workdir {quote(spec.workdir)}"
    yield f"--entrypoint {quote(spec.entrypoint[0])}"
    yield "--no-healthcheck"
    yield from (f"--cap-drop {name}" for name in spec.privileges.dropped)
    yield from _limit_options(spec.limits)
    for mount in spec.mounts:
        read_only = ",readonly" if mount.read_only else ""
        source = f'$(source_of "{sources[mount.target]}")'
        yield f'--mount "type=bind,{source},target={mount.target}{read_only}"'
    for target in spec.volumes:
        yield f"--volume {quote(target)}"
    if spec.user is not None:
        yield f"--user {quote(spec.user)}"
    for name, value in spec.environment.items():
        yield f"--env {BY_VARIABLE.get(name) or quote(f'{name}={value}')}"
    for name in sorted(spec.secrets):
        yield f"--env {quote(name)}"


def _limit_options(limits: Limits) -> Iterator[str]:
    if limits.memory is not None:
        yield f"--memory {limits.memory} --memory-swap {limits.memory}"
    if limits.cpus is not None:
        # A quota, because --cpus is refused on a host that has fewer.
        yield f"--cpu-period 100000 --cpu-quota {round(limits.cpus * 100_000)}"
    if limits.pids is not None:
        yield f"--pids-limit {limits.pids}"
    if limits.shm_size is not None:
        yield f"--shm-size {limits.shm_size}"
    if limits.gpus:
        yield f"--gpus {limits.gpus}"


def _key_from(request: JobRequest, spec: ContainerSpec) -> str:
    """Name the variable that holds the model's key; nothing when the task sets the key itself."""
    if "OPENAI_API_KEY" not in spec.secrets or "OPENAI_API_KEY" in request.pass_env:
        return ""
    return request.model.api_key_env or "OPENAI_API_KEY"


def _redactor(request: JobRequest) -> Redactor:
    return Redactor((request.model.api_key, *request.pass_env.values()))


def _write(path: Path, data: bytes, durable: bool) -> None:
    try:
        there = path.read_bytes()
    except OSError:
        there = None
    if there != data:
        write_atomic(path, data, durable=durable)
