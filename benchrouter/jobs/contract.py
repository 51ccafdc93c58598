"""The contract with a task: what a job's container is told and given (pure; design: section 4)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from benchrouter.engine.container_spec import ContainerSpec, Limits, Mount, Privileges
from benchrouter.jobs.request import DataVolume, JobRequest
from benchrouter.spec.dockerfile import SIBLING_PREFIX
from benchrouter.spec.names import encode
from benchrouter.spec.settings import Site, SiteLimits
from benchrouter.spec.task import Task

BENCHMARK_DIR = "/app/benchmark"
OUTPUT_DIR = "/app/results"
SDK_DIR = "/app/benchrouter/sdk"
CA_BUNDLE = "/etc/benchrouter/ca-bundle.pem"
LONGEST_NAME = 120

GRACE = 10.0  # seconds between TERM and KILL

CA_VARIABLES = (
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "GIT_SSL_CAINFO",
)
NO_PROXY_ALWAYS = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Host:
    """What the engine's machine has: bytes of memory (0 when unknown) and CPUs."""

    memory: int
    cpus: int


@dataclass(frozen=True)
class Places:
    """Absolute host paths that are mounted."""

    benchmark: str
    output: str
    sdk: str


@dataclass(frozen=True)
class Environment:
    """Variables of a container: `shown` may be written down, `secret` may not; no name is in both."""

    shown: Mapping[str, str]
    secret: Mapping[str, str] = field(repr=False)


def environment(request: JobRequest, image_pythonpath: str, site: Site) -> Environment:
    """Build the variables in the order of the contract; a later one replaces an earlier one of its name."""
    shown: dict[str, str] = {}
    secret: dict[str, str] = {}
    layers = (
        (secret, _proxies(site)),
        (shown, _ca_bundle(site)),
        (shown, _own(request, image_pythonpath)),
        (secret, {"OPENAI_API_KEY": request.model.api_key}),
        (shown, request.task.extra_env),
        (secret, request.pass_env),
        (shown, request.variables),
    )
    for target, values in layers:
        other = shown if target is secret else secret
        for name, value in values.items():
            other.pop(name, None)
            target[name] = value
    return Environment(shown, secret)


def _own(request: JobRequest, image_pythonpath: str) -> dict[str, str]:
    task, model = request.task, request.model
    values = {
        "BENCHROUTER_BENCHMARK_DIR": BENCHMARK_DIR,
        "BENCHROUTER_OUTPUT_DIR": OUTPUT_DIR,
        "BENCHROUTER_MODEL_ENDPOINT": request.endpoint,
        "BENCHROUTER_MODEL_NAME": model.id,
        "PYTHONPATH": f"/app:{image_pythonpath}" if image_pythonpath else "/app",
        "BENCHROUTER_ENV_IMAGE_TAG": request.image_tag,
        "BENCHROUTER_TASK": _json(
            {"command": task.command, "result_file": task.result_file, "result_key": task.result_key}
        ),
    }
    if task.docker:
        values |= {"BENCHROUTER_DOCKER_ENABLED": "true", "BENCHROUTER_DIND_IMAGES": ",".join(task.docker_images)}
    if request.seed is not None:
        values["BENCHROUTER_SEED"] = str(request.seed + request.id.repeat)
    if model.parameters:
        values["BENCHROUTER_MODEL_PARAMETERS"] = _json(dict(model.parameters))
    return values


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _ca_bundle(site: Site) -> dict[str, str]:
    return dict.fromkeys(CA_VARIABLES, CA_BUNDLE) if site.ca_bundle else {}


def _proxies(site: Site) -> dict[str, str]:
    """Pass proxies in both spellings; treated as secrets, because their URLs may hold passwords."""
    given = site.proxies
    values = {f"{name}_PROXY": url for name, url in (("HTTP", given.http), ("HTTPS", given.https)) if url}
    if not values:
        return {}
    hosts = [host.strip() for host in (given.no_proxy or "").split(",") if host.strip()]
    values["NO_PROXY"] = ",".join(dict.fromkeys((*hosts, *NO_PROXY_ALWAYS)))
    return values | {name.lower(): value for name, value in values.items()}


def secret_values(request: JobRequest, site: Site) -> list[str]:
    """List the values that must not be written: the model's key, `pass_env`, passwords of proxies."""
    values = [request.model.api_key, *request.pass_env.values()]
    for url in filter(None, (site.proxies.http, site.proxies.https)):
        password = urlsplit(url).password
        if password:
            values += [password, unquote(password), url]
    return values


def limits(task: Task, default: SiteLimits, host: Host) -> Limits:
    """Fix the limits of the container: the task's, else the site's, never above what the host has."""
    asked = task.resources
    memory = asked.memory or default.memory_of(docker=task.docker)
    cpus = asked.cpus or default.cpus
    return Limits(
        memory=min(memory, host.memory) if host.memory else memory,
        cpus=min(cpus, float(host.cpus)) if host.cpus else cpus,
        pids=asked.pids or default.pids,
        shm_size=asked.shm_size,
        gpus=asked.gpus,
    )


def container_spec(
    request: JobRequest,
    places: Places,
    host: Host,
    site: Site,
    *,
    image_pythonpath: str = "",
    labels: Mapping[str, str] | None = None,
    token: str = "",
) -> ContainerSpec:
    """Describe the container of one attempt; `token` makes its name unique."""
    variables = environment(request, image_pythonpath, site)
    return ContainerSpec(
        name=container_name(request, token),
        image=request.image_tag,
        entrypoint=("/bin/sh",),
        command=("-c", request.task.command),
        workdir=BENCHMARK_DIR,
        environment=variables.shown,
        mounts=(*_mounts(places, site), *map(_data_mount, request.data)),
        limits=limits(request.task, site.limits, host),
        network=request.task.network,
        labels=labels or {},
        secrets=variables.secret,
        stop_grace=GRACE,
        privileges=Privileges() if request.task.network == "host" else Privileges(dropped=("NET_RAW",)),
    )


def _mounts(places: Places, site: Site) -> tuple[Mount, ...]:
    own = (
        Mount(places.benchmark, BENCHMARK_DIR),
        Mount(places.output, OUTPUT_DIR, read_only=False),
        Mount(places.sdk, SDK_DIR),
    )
    return (*own, Mount(str(site.ca_bundle), CA_BUNDLE)) if site.ca_bundle else own


def _data_mount(volume: DataVolume) -> Mount:
    return Mount(str(volume.source or ""), volume.target, read_only=not volume.writable)


def preloaded_names(request: JobRequest) -> dict[str, str]:
    """Map the names under which a task's own daemon has images to the engine's: its own image's, those it lists."""
    own = (request.image_tag, f"{SIBLING_PREFIX}{request.environment}:latest")
    names = {name: request.image_tag for name in own[: 2 if request.environment else 1] if name == name.lower()}
    return names | {ref: request.images.get(ref, ref) for ref in request.task.docker_images}


def container_name(request: JobRequest, token: str) -> str:
    """Name an attempt's container for people; only the token makes it unique."""
    parts = (request.id.benchmark, request.id.task, request.id.model)
    name = "-".join(("benchrouter", *(encode(part) for part in parts)))[:LONGEST_NAME]
    return f"{name}-{token}" if token else name
