"""Killing `doit run` at random moments, and what must hold after the next start."""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import signal
import subprocess
import tarfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import docker as sdk
import pytest
from project import DOIT, Done, Project, files_below
from soaking import soak_marks

ROUNDS = int(os.environ.get("BENCHROUTER_SOAK", "1"))
SEED = os.environ.get("BENCHROUTER_SOAK_SEED") or f"{time.time_ns() // 1_000_000 % 1_000_000}"
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
SOAKS = ROUNDS > 1
SIGINT_AND_SIGKILL = (
    signal.SIGINT,
    pytest.param(signal.SIGTERM, marks=soak_marks("ends a run as SIGINT does")),
    signal.SIGKILL,
)
ORDERLY_END = 20.0
WORKSPACE, RUN = "benchrouter.workspace", "benchrouter.run"
IMAGE_WORKSPACE, IMAGE_RUN = "benchrouter.image.workspace", "benchrouter.image.run"


def moment(what: str, number: int, earliest: float, latest: float) -> float:
    """Draw the moment of one round; printed, so that BENCHROUTER_SOAK_SEED repeats it."""
    drawn = random.Random(f"{SEED} {what} {number}").uniform(earliest, latest)
    print(f"{what} round {number}: signal after {drawn:.3f} s (BENCHROUTER_SOAK_SEED={SEED})")
    return drawn


def start(project: Project, *words: str, **more: Any) -> subprocess.Popen[str]:
    """Start a run as the disturbed and the undisturbed rounds do."""
    return project.start("run", "model=m", "preflight=0", "-n", "8", *words, **more)


def end_of(process: subprocess.Popen[str], deadline: float = ORDERLY_END) -> Done:
    """Wait for an end in bounded time."""
    try:
        out, err = process.communicate(timeout=deadline)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        raise AssertionError(f"no end within {deadline} s\n{out}\n{err}") from None
    return Done(process.returncode, out, err)


def kill_at(process: subprocess.Popen[str], number: signal.Signals, after: float) -> Done:
    """Send a signal after some seconds and wait for the end."""
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        process.send_signal(number)
    done = end_of(process)
    assert "Traceback" not in done.text or not done.out, done.text  # nothing printed: Python was still starting
    # before the command has begun, Python itself ends by the signal; at the very end, everything was done
    assert done.status in (130, 0, -number), f"exit {done.status}\n{done.out}\n{done.err}"
    return done


def forget_results(project: Project) -> None:
    """Let everything be due again; the images stay, and journals of the dead, which the next start needs."""
    shutil.rmtree(project.root / "results", ignore_errors=True)
    for record in (project.root / "runs").glob("*.json"):
        record.unlink()


def finished(project: Project) -> dict[str, tuple[int, int]]:
    """Map each finished job to what tells whether its artifact is still the same one."""
    return {
        f"{path.parent.parent.name}/{path.parent.name}@{path.name}": _identity(path / "result.json")
        for path in project.artifacts()
    }


def _identity(path: Path) -> tuple[int, int]:
    facts = path.stat()
    return facts.st_ino, facts.st_mtime_ns


def dead_runs(project: Project) -> list[str]:
    """List the runs that left a journal."""
    return sorted(path.stem for path in (project.root / "runs").glob("*.owner"))


def check_next_start(project: Project, scores: dict[str, Any], *words: str, **more: Any) -> Done:
    """Start again: nothing finished runs again, nothing of ours is left, everything parses, the scores are right."""
    before, dead = finished(project), dead_runs(project)
    with strangers(project, dead) as untouched:
        done = end_of(start(project, *words, **more), 120)
        assert done.status == 0, f"exit {done.status}\n{done.out}\n{done.err}"
        assert not untouched(), untouched()
        check_nothing_left(project, dead)
    after = finished(project)
    assert {job: after.get(job) for job in before} == before, "a finished job was published again"
    again = {job.rpartition("@")[0] for job in project.ran(done)} & {_task(job) for job in before}
    assert not again, f"ran again: {again}"
    check_files(project)
    assert scores_of(project) == scores
    return done


def scores_of(project: Project) -> dict[str, Any]:
    """Read the aggregate, without keys: those of another image differ."""
    read = project.aggregate("b")
    jobs = [{name: value for name, value in job.items() if name != "key"} for job in read["jobs"]]
    return {**read, "jobs": jobs}


def _task(finished_job: str) -> str:
    task, _, _ = finished_job.partition("@")
    return f"b/{task.rpartition('/')[2]}"


def check_nothing_left(project: Project, dead: list[str] = ()) -> None:  # type: ignore[assignment]
    """Look for anything of a workspace that outlives its runs, strangers with a single label aside."""
    ws = project.id
    with client() as api:
        both = {"label": [f"{WORKSPACE}={ws}", RUN]}
        left = [f"container {c['Names']}" for c in api.containers(all=True, filters=both)]
        left += [f"network {n['Name']}" for n in api.networks(filters=both)]
        left += [f"volume {v['Name']}" for v in api.volumes(filters=both)["Volumes"] or ()]
        unnamed = {"dangling": True, "label": [f"{IMAGE_WORKSPACE}={ws}", IMAGE_RUN]}
        left += [f"image {i['Id']}" for i in api.images(filters=unnamed)]
    left += [f"builder {pid}" for pid in builders(dead)]
    left += [f"journal {run}" for run in dead_runs(project)]
    cache = project.root / "cache"
    left += [str(path) for path in (*cache.glob("attempts/*"), *cache.glob("locks/*"), *cache.glob("*/.*.tmp"))]
    assert not left, left


def builders(runs: list[str]) -> list[int]:
    """List processes that carry one of these runs in their environment."""
    wanted = {f"BENCHROUTER_OWNER={run}".encode() for run in runs}
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if wanted & set((place / "environ").read_bytes().split(b"\0")):
                found.append(int(place.name))
        except OSError:
            continue
    return found


def named_images(project: Project) -> list[str]:
    """List the names of the images that a workspace built."""
    with client() as api:
        found = api.images(filters={"label": f"{IMAGE_WORKSPACE}={project.id}", "dangling": False})
    names = [name for image in found for name in image["RepoTags"] or ()]
    return sorted(name for name in names if name != "<none>:<none>")


def check_files(project: Project) -> None:
    """Every JSON file in the results and run records parses, and nothing half-written lies about."""
    for path in files_below(project.root, "results", "runs"):
        assert not path.name.endswith(".tmp"), path
        if path.suffix == ".json":
            json.loads(path.read_bytes())


@contextmanager
def client() -> Iterator[Any]:
    """Talk to the engine."""
    api = sdk.APIClient(timeout=60)
    try:
        yield api
    finally:
        api.close()




@contextmanager
def strangers(project: Project, dead: list[str]) -> Iterator[Any]:
    """Make objects with none or only one of our two labels; yields what tells which of them are gone."""
    run = dead[0] if dead else "20200101t000000-00000000"
    labels = _single_labels(project, run, WORKSPACE, RUN)
    image_labels = _single_labels(project, run, IMAGE_WORKSPACE, IMAGE_RUN)
    with client() as api:
        images = [_unnamed(api, each) for each in image_labels]
        host = api.create_host_config(network_mode="none")
        containers = [api.create_container(images[0], "true", labels=each, host_config=host)["Id"] for each in labels]
        volumes = [api.create_volume(labels=each)["Name"] for each in labels]
        by_hand = [api.create_container(name, "true", host_config=host)["Id"] for name in named_images(project)]
        containers += by_hand  # bears the labels of our image, and is a person's all the same
        networks = [_network(api, each) for each in labels[1:3]]

        def gone() -> list[str]:
            there = {c["Id"] for c in api.containers(all=True)} | {i["Id"] for i in api.images(all=True)}
            there |= {v["Name"] for v in api.volumes()["Volumes"] or ()} | {n["Id"] for n in api.networks()}
            return [each for each in (*containers, *images, *volumes, *networks) if each not in there]

        try:
            yield gone
        finally:
            for each in containers:
                _quietly(api.remove_container, each, force=True)
            for each in images:
                _quietly(api.remove_image, each, force=True)
            for each in volumes:
                _quietly(api.remove_volume, each)
            for each in networks:
                _quietly(api.remove_network, each)


def _single_labels(project: Project, run: str, workspace_label: str, run_label: str) -> list[dict[str, str]]:
    other = {workspace_label: project.id + "x", run_label: run}
    return [{}, {workspace_label: project.id}, {run_label: run}, other]


def _network(api: Any, labels: dict[str, str]) -> str:
    return str(api.create_network(f"stranger-{random.getrandbits(48):x}", internal=True, labels=labels)["Id"])


def _unnamed(api: Any, labels: dict[str, str]) -> str:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        entry = tarfile.TarInfo(f"file-{random.getrandbits(64):x}")
        archive.addfile(entry)
    changes = ["CMD true", *(f"LABEL {name}={value}" for name, value in labels.items())]
    said = api.import_image_from_data(content.getvalue(), changes=changes)
    return str(json.loads(said.splitlines()[-1])["status"])


def _quietly(remove: Any, *words: Any, **more: Any) -> None:
    try:
        remove(*words, **more)
    except sdk.errors.APIError:
        pass


def without_docker_client(directory: Path) -> dict[str, str]:
    """Make a PATH that has everything but a docker client, so that builds take the classic builder."""
    directory.mkdir(parents=True, exist_ok=True)
    for place in ("/usr/sbin", "/usr/bin", "/sbin", "/bin"):
        for tool in Path(place).iterdir() if Path(place).is_dir() else ():
            link = directory / tool.name
            if not tool.name.startswith("docker") and not link.is_symlink():
                link.symlink_to(tool)
    return {"PATH": f"{DOIT.parent}{os.pathsep}{directory}"}


def buildkit_client() -> bool:
    """Tell whether some docker client on PATH can build with BuildKit."""
    from benchrouter.engine.docker_cli import find_cli

    return find_cli(os.environ)[0] is not None
