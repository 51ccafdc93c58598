from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st
from requests_for_jobs import ROOT, a_request

from benchrouter.engine.container_spec import Resolver
from benchrouter.jobs.compose_file import (
    named_volumes,
    scalar,
    service_name,
    services_for_people,
    services_for_us,
)
from benchrouter.jobs.render import Renderer
from benchrouter.jobs.render_compose import for_us
from benchrouter.jobs.request import DataVolume
from benchrouter.models.model import Model
from benchrouter.spec.settings import SiteLimits
from benchrouter.spec.task import Task
from benchrouter.store.workspace import Workspace

DB = {
    "name": "db",
    "image": "postgres:15",
    "ports": ["5432:5432"],
    "environment": {"A": "$HOME", "B": "two\nlines: [x]"},
    "healthcheck": {"test": ["CMD", "pg_isready"], "interval": "0.5s", "start_interval": "1s"},
    "post_start": ["createdb x"],
    "container_name": "the-db",
    "volumes": ["data:/var/lib", "./init:/init:rw,z", "/srv:/srv", "../x:/x"],
    "networks": {"back": {"aliases": ["base"]}},
    "labels": ["a=b"],
    "shm_size": "128m",
    "x-own": {"kept": True},
}
WEB = {"name": "web", "build": "server", "depends_on": ["db"], "mem_limit": "1g"}
IMAGES = {"postgres:15": "alias/postgres:15", "benchrouter-env-server": "benchrouter/b-server:k"}


def task(*sidecars: dict[str, Any]) -> Task:
    return Task("T", "true", sidecars=sidecars)


def for_run(*sidecars: dict[str, Any], **options: Any) -> dict[str, dict[str, Any]]:
    given = {"log_bytes": 1000, "memory": 1 << 30, "start_interval": False, **options}
    return services_for_us(task(*sidecars), IMAGES, {"ours": "1"}, **given)


def test_a_job_shares_nothing_that_could_meet_another() -> None:
    db = for_run(DB)["db"]
    for gone in ("ports", "container_name", "name", "post_start", "build"):
        assert gone not in db
    assert db["networks"] == {"default": {"aliases": ["the-db", "base"]}}
    assert db["labels"] == {"a": "b", "ours": "1"}
    assert (db["image"], db["pull_policy"]) == ("alias/postgres:15", "never")
    assert db["x-own"] == {"kept": True} and db["shm_size"] == "128m"


def test_limits_of_a_sidecar_are_its_own_or_the_jobs() -> None:
    services = for_run(DB, WEB)
    assert services["db"]["mem_limit"] == services["db"]["memswap_limit"] == 1 << 30
    assert services["web"]["mem_limit"] == "1g" and "memswap_limit" not in services["web"]


def test_files_of_the_task_are_read_only() -> None:
    data, init, host, outside = for_run(DB)["db"]["volumes"]
    assert (data, host) == ("data:/var/lib", "/srv:/srv")
    there = {"type": "bind", "source": "./init", "target": "/init", "read_only": True}
    assert init == {**there, "bind": {"selinux": "z", "create_host_path": False}}
    assert outside["read_only"] is True
    long = {"type": "bind", "source": "./a", "target": "/a", "bind": {"propagation": "rslave"}}
    (kept,) = for_run({**DB, "volumes": [long]})["db"]["volumes"]
    assert kept["read_only"] is True and kept["bind"] == {"propagation": "rslave", "create_host_path": False}


def test_what_an_engine_does_not_know_is_left_out() -> None:
    assert "start_interval" not in for_run(DB)["db"]["healthcheck"]
    assert for_run(DB, start_interval=True)["db"]["healthcheck"]["start_interval"] == "1s"


def test_a_network_without_a_way_out_has_no_name_servers() -> None:
    assert for_run(DB, resolver=Resolver(("127.0.0.1",), ("timeout:1",)))["db"].items() >= {
        "dns": ["127.0.0.1"],
        "dns_opt": ["timeout:1"],
    }.items()


def test_sidecars_on_a_closed_network_could_send_raw_frames() -> None:
    """Who asks for it gets it all the same: the engine adds after it has dropped."""
    db = {**DB, "cap_drop": ["CHOWN"], "cap_add": ["NET_RAW"]}
    found = for_run(db, WEB, dropped=("NET_RAW",))
    assert found["db"]["cap_drop"] == ["CHOWN", "NET_RAW"] and found["db"]["cap_add"] == ["NET_RAW"]
    assert found["web"]["cap_drop"] == ["NET_RAW"] and "cap_drop" not in for_run(WEB)["web"]


def test_the_kept_files_drop_what_a_job_has_not() -> None:
    """But for a task with a daemon of its own, whose rights are another list."""
    renderer = Renderer(Workspace(ROOT), SiteLimits())
    request = a_request(sidecars=(DB,), network="bridge")
    assert "--cap-drop NET_RAW" in renderer.run_script(request).decode()
    assert yaml.safe_load(renderer.compose_file(request))["services"]["evaluation"]["cap_drop"] == ["NET_RAW"]
    for request in (a_request(network="host"), a_request(network="bridge", docker=True)):
        assert "--cap-drop NET_RAW" not in renderer.run_script(request).decode()


def test_people_get_what_the_author_wrote() -> None:
    services = services_for_people(task(DB, WEB), IMAGES)
    assert services["db"]["ports"] == ["5432:5432"] and services["db"]["image"] == "postgres:15"
    assert services["db"]["x-post-start"] == ["createdb x"]
    assert services["web"]["image"] == "benchrouter/b-server:k"


def test_named_volumes_are_declared() -> None:
    long = {"type": "volume", "source": "more", "target": "/m"}
    assert named_volumes(task(DB, {**WEB, "volumes": [long, "/anonymous", "data:/again"]})) == ["data", "more"]


def test_the_evaluation_never_takes_a_sidecars_name() -> None:
    assert service_name(["db"]) == "evaluation"
    assert service_name(["evaluation", "evaluation-"]) == "evaluation--"


ODD = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)


@given(st.recursive(ODD, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ODD, inner, max_size=3)))
def test_any_value_reads_back_and_nothing_is_interpolated(value: Any) -> None:
    text = scalar(value)
    assert "$" not in text.replace("$$", "")
    undoubled = json.loads(json.dumps(yaml.safe_load(text)).replace("$$", "$"))
    assert undoubled == value


def test_the_kept_file_holds_no_secret_and_no_path_of_this_machine() -> None:
    model = Model("gpt", "org/gpt", api_key="sk-12345678", api_key_env="MY_KEY")
    request = a_request(
        "echo $X", model=model, pass_env={"TOKEN": "token-value"}, sidecars=(DB, WEB), images=IMAGES
    )
    text = Renderer(Workspace(ROOT), SiteLimits()).compose_file(request).decode()
    for hidden in ("/ws", "localhost:8000", "sk-12345678", "token-value", "alias/"):
        assert hidden not in text
    read = yaml.safe_load(text)
    assert set(read["services"]) == {"db", "web", "evaluation"}
    assert read["volumes"] == {"data": {}}
    evaluation = read["services"]["evaluation"]
    assert evaluation["command"] == ["-c", "echo $$X"]
    assert {"OPENAI_API_KEY", "TOKEN"} <= set(evaluation["environment"])
    assert evaluation["depends_on"]["db"] == {"condition": "service_healthy"}


def test_the_kept_file_says_where_data_volumes_are_by_variables() -> None:
    hub = DataVolume("hub", Path("/of-this-machine/hub"), "/data/hub")
    text = Renderer(Workspace(ROOT), SiteLimits()).compose_file(a_request(sidecars=(DB,), data=(hub,))).decode()
    assert "/of-this-machine" not in text and "BENCHROUTER_DATA_HUB         directory of the data volume hub" in text
    mount = yaml.safe_load(text)["services"]["evaluation"]["volumes"][-1]
    source = "${BENCHROUTER_DATA_HUB:-$PWD/data/hub}"
    assert mount == {"type": "bind", "source": source, "target": "/data/hub", "read_only": True}


def test_the_file_is_written_beside_run_sh_only_where_there_are_sidecars(tmp_path: Path) -> None:
    renderer = Renderer(Workspace(tmp_path), SiteLimits())
    renderer.render_to(a_request(), tmp_path / "a")
    renderer.render_to(a_request(sidecars=(DB,)), tmp_path / "b")
    assert [sorted(p.name for p in (tmp_path / d).iterdir()) for d in "ab"] == [["run.sh"], ["compose.yaml", "run.sh"]]


def test_a_job_runs_from_the_same_template() -> None:
    request = a_request(sidecars=(DB,))
    text = for_us(Workspace(ROOT), request, for_run(DB), ["data"], {"ours": "1"}, "net-1").decode()
    read = yaml.safe_load(text)
    assert set(read["services"]) == {"db"}
    assert read["networks"] == {"default": {"external": True, "name": "net-1"}}
    assert read["volumes"] == {"data": {"labels": {"ours": "1"}}}


def test_hostile_names_stay_comments() -> None:
    from benchrouter.store.jobid import JobId

    request = a_request(id=JobId("b", "t", "x\nservices: {evil: {image: x}}\n"), sidecars=(DB,))
    text = Renderer(Workspace(ROOT), SiteLimits()).compose_file(request).decode()
    assert set(yaml.safe_load(text)["services"]) == {"db", "evaluation"}


def test_deploy_without_a_memory_limit_left_a_sidecar_without_one() -> None:
    """It is bounded like one that declares nothing; a declared limit stays, however it is written."""
    assert for_run({**WEB, "mem_limit": 0, "deploy": {"replicas": 2}})["web"]["mem_limit"] == 1 << 30
    declared = {"name": "a", "image": "i", "deploy": {"resources": {"limits": {"memory": "2g"}}}}
    assert "mem_limit" not in for_run(declared)["a"]
    assert for_run(WEB)["web"]["mem_limit"] == "1g"
