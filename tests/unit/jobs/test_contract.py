from __future__ import annotations

import json
from pathlib import Path

import pytest
from requests_for_jobs import a_request

from benchrouter.engine.container_spec import ContainerSpec, Mount
from benchrouter.jobs.contract import CA_BUNDLE, Host, Places, container_name, container_spec, secret_values
from benchrouter.jobs.request import DataVolume, JobRequest
from benchrouter.models.model import Model
from benchrouter.spec.settings import Proxies, Site
from benchrouter.spec.task import Resources
from benchrouter.store.jobid import JobId

GIB = 1 << 30
KEYED = Model("gpt", "org/gpt", api_key="sk-12345678", api_key_env="MY_KEY")


BIG = Host(64 * GIB, 32)


def spec(request: JobRequest, host: Host = BIG, site: Site | None = None, pp: str = "") -> ContainerSpec:
    places = Places("/t", "/o", "/s")
    return container_spec(request, places, host, site or Site(), image_pythonpath=pp, token="abc")


def test_environment_is_exactly_that_of_the_contract() -> None:
    model = Model("gpt", "org/gpt", parameters={"top_p": 1, "a": "é"})
    request = a_request(model=model, extra_env={"E": "1"}, seed=3, id=JobId("b", "t", "gpt", 2))
    assert list(spec(request).environment.items()) == [
        ("BENCHROUTER_BENCHMARK_DIR", "/app/benchmark"),
        ("BENCHROUTER_OUTPUT_DIR", "/app/results"),
        ("BENCHROUTER_MODEL_ENDPOINT", "http://localhost:8000/v1"),
        ("BENCHROUTER_MODEL_NAME", "org/gpt"),
        ("PYTHONPATH", "/app"),
        ("BENCHROUTER_ENV_IMAGE_TAG", "benchrouter/bench-env:abc"),
        (
            "BENCHROUTER_TASK",
            '{"command":"sh run.sh","result_file":"result.json","result_key":"overall"}',
        ),
        ("BENCHROUTER_SEED", "5"),
        ("BENCHROUTER_MODEL_PARAMETERS", '{"a":"\\u00e9","top_p":1}'),
        ("E", "1"),
    ]
    assert spec(request).secrets == {"OPENAI_API_KEY": "EMPTY"}


def test_data_volumes_are_mounted_read_only_unless_they_are_writable() -> None:
    hub, out = (DataVolume(name, Path(f"/srv/{name}"), f"/data/{name}", name == "out") for name in ("hub", "out"))
    assert spec(a_request(data=(hub, out))).mounts[-2:] == (
        Mount("/srv/hub", "/data/hub"),
        Mount("/srv/out", "/data/out", read_only=False),
    )


def test_seed_and_parameters_are_absent_when_not_declared() -> None:
    assert not {"BENCHROUTER_SEED", "BENCHROUTER_MODEL_PARAMETERS"} & set(spec(a_request()).environment)


def test_own_pythonpath_of_the_image_is_kept() -> None:
    assert spec(a_request(), pp="/x:/y").environment["PYTHONPATH"] == "/app:/x:/y"


def test_later_layers_win_and_secrets_stay_apart() -> None:
    request = a_request(
        model=KEYED,
        extra_env={"A": "extra", "B": "extra", "TOKEN": "shown", "OPENAI_API_KEY": "sk-of-the-task"},
        pass_env={"TOKEN": "secret", "B": "passed"},
        variables={"B": "variable"},
    )
    found = spec(request)
    assert (found.environment["A"], found.environment["B"]) == ("extra", "variable")
    assert found.environment["OPENAI_API_KEY"] == "sk-of-the-task"
    assert found.secrets == {"TOKEN": "secret"}
    assert "secret" not in repr(found) and "secret" not in repr(request)


def test_command_overrides_the_entrypoint_and_mounts_are_read_only_but_one() -> None:
    found = spec(a_request("echo 'x y'"))
    assert (found.entrypoint, found.command) == (("/bin/sh",), ("-c", "echo 'x y'"))
    assert (found.workdir, found.user, found.network) == ("/app/benchmark", None, "host")
    assert found.mounts == (
        Mount("/t", "/app/benchmark"),
        Mount("/o", "/app/results", read_only=False),
        Mount("/s", "/app/benchrouter/sdk"),
    )


@pytest.mark.parametrize(
    ("asked", "host", "memory", "cpus"),
    [
        (Resources(), Host(64 * GIB, 32), 16 * GIB, 4.0),
        (Resources(), Host(8 * GIB, 2), 8 * GIB, 2.0),
        (Resources(memory=GIB, cpus=0.5), Host(8 * GIB, 2), GIB, 0.5),
        (Resources(memory=99 * GIB, cpus=9), Host(8 * GIB, 2), 8 * GIB, 2.0),
        (Resources(), Host(0, 0), 16 * GIB, 4.0),
    ],
)
def test_limits_are_never_above_the_host(asked: Resources, host: Host, memory: int, cpus: float) -> None:
    limits = spec(a_request(resources=asked), host).limits
    assert (limits.memory, limits.cpus, limits.pids) == (memory, cpus, 4096)


def test_site_reaches_the_job_but_the_task_wins() -> None:
    site = Site(
        ca_bundle=Path("/etc/lab.pem"), proxies=Proxies(http="http://u:p%40ssword@proxy:1", no_proxy="a, b")
    )
    found = spec(a_request(extra_env={"SSL_CERT_FILE": "/own.pem"}), site=site)
    assert found.mounts[-1] == Mount("/etc/lab.pem", CA_BUNDLE)
    assert found.environment["CURL_CA_BUNDLE"] == CA_BUNDLE
    assert found.environment["SSL_CERT_FILE"] == "/own.pem"
    assert found.secrets["no_proxy"] == "a,b,localhost,127.0.0.1,::1"
    assert found.secrets["http_proxy"] == found.secrets["HTTP_PROXY"] == "http://u:p%40ssword@proxy:1"
    assert "HTTPS_PROXY" not in found.secrets


def test_secret_values_include_passwords_of_proxies() -> None:
    site = Site(proxies=Proxies(https="http://u:p%40ssword@proxy:1"))
    values = secret_values(a_request(model=KEYED, pass_env={"T": "token"}), site)
    assert {"sk-12345678", "token", "p%40ssword", "p@ssword"} <= set(values)


@pytest.mark.parametrize("model", ["openai/gpt-4o", "a=b", "x" * 200, "é ü", "gpt-4.1"])
def test_container_names_are_valid_for_docker_and_end_in_the_token(model: str) -> None:
    name = container_name(a_request(id=JobId("a__b", "A-b", model)), "0123456789ab")
    assert len(name) < 150 and name.endswith("-0123456789ab") and name.isascii()
    assert all(char.isalnum() or char in "_.-" for char in name)


def test_task_is_handed_to_the_sdk_as_json() -> None:
    request = a_request("x\n'\"", result_file="a/b.json", result_key="pass@1")
    handed = json.loads(spec(request).environment["BENCHROUTER_TASK"])
    assert handed == {"command": "x\n'\"", "result_file": "a/b.json", "result_key": "pass@1"}
