"""Jobs with a Docker daemon of their own, on the real engine."""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from dind_bench import GOOD, DindBench, bench_in, endpoint_on_localhost, only
from job_bench import MIB, USE_VOLUMES, check_volumes, document, text, two_volumes
from kept_images import dind_image

from benchrouter.engine.client import Engine
from benchrouter.jobs.words import quote
from benchrouter.spec.settings import Site
from benchrouter.spec.task import Resources
from benchrouter.store.states import Reason

pytestmark = pytest.mark.engine


@pytest.fixture(scope="session")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("seeds")


@pytest.fixture
def bench(real_engine: Engine, tmp_path: Path, seeds: Path) -> Iterator[DindBench]:
    """A workspace that shares the seeds of the others, since making one takes several seconds."""
    bench = bench_in(real_engine, tmp_path, dind_image(real_engine))
    (bench.workspace.cache / "seeds").symlink_to(seeds)
    yield bench
    bench.close()
    assert left_of(bench) == []


@pytest.fixture
def alone(real_engine: Engine, tmp_path: Path) -> Iterator[DindBench]:
    """A workspace without seeds."""
    bench = bench_in(real_engine, tmp_path, dind_image(real_engine))
    yield bench
    bench.close()
    assert left_of(bench) == []


@pytest.fixture
def endpoint() -> Iterator[str]:
    with endpoint_on_localhost() as url:
        yield url


def left_of(bench: DindBench) -> list[str]:
    """List containers, networks and volumes with the labels of the bench's workspace."""
    filters = {"label": f"benchrouter.workspace={bench.workspace.id}"}
    api = bench.engine.api
    containers = [str(each["Names"]) for each in api.containers(all=True, filters=filters)]
    networks = [str(each["Name"]) for each in api.networks(filters=filters)]
    volumes = [str(each["Name"]) for each in api.volumes(filters=filters)["Volumes"] or ()]
    return containers + networks + volumes


def test_a_task_starts_containers_in_its_own_daemon(bench: DindBench) -> None:
    command = f'docker run --rm "$BENCHROUTER_ENV_IMAGE_TAG" echo inside && docker ps -aq && {GOOD}'
    outcome = bench.run(command)
    assert outcome.completed, outcome
    assert text(outcome, "logs/stdout.log") == "inside\n"
    daemon = document(outcome, "provenance.json")["daemon"]
    assert daemon["storage_driver"] == "overlay2"
    assert daemon["images"] == "seed", daemon["no_seed_because"]
    assert "API listen on" in text(outcome, "logs/dockerd.log")


def test_data_volumes_are_seen_by_inner_containers_too(bench: DindBench, tmp_path: Path) -> None:
    inner = f"docker run --rm -v /data:/data $BENCHROUTER_ENV_IMAGE_TAG sh -c {quote(USE_VOLUMES)}"
    outcome = bench.run(f"{inner} && {GOOD}", volumes=two_volumes(tmp_path))
    assert outcome.completed, outcome
    check_volumes(tmp_path)


def test_the_endpoint_on_the_hosts_localhost_is_reached_from_inner_containers(
    bench: DindBench, endpoint: str
) -> None:
    ask = 'curl -sS --max-time 10 "$BENCHROUTER_MODEL_ENDPOINT/models"'
    inner = f"docker run --rm -e BENCHROUTER_MODEL_ENDPOINT $BENCHROUTER_ENV_IMAGE_TAG sh -c {quote(ask)}"
    for network in ("host", "bridge"):
        outcome = bench.run(f"{ask} && {inner} && {GOOD}", key=network, network=network, endpoint=endpoint)
        assert outcome.completed, (network, outcome)
        assert text(outcome, "logs/stdout.log").count('"path": "/v1/models"') == 2


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("iptables"), reason="needs root and iptables")
def test_raw_frames_from_a_daemons_containers_fetched_a_page_over_ipv6(bench: DindBench, base_image: str) -> None:
    """A task with a daemon may send what it likes; this machine does not listen."""
    from test_job_bridge import RAW, Handler, OnIPv6

    shutil.copy(RAW, bench.task_dir)
    with OnIPv6(("::", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        raw = f"docker run --rm --net host --volume /app/benchmark:/b mine python3 /b/raw_ipv6.py {server.server_port}"
        options = {"images": {"mine": base_image}, "docker_images": ("mine",)}
        outcome = bench.run(f"{raw} && {GOOD}", network="bridge", **options)
        server.shutdown()
    assert outcome.completed, outcome
    assert text(outcome, "logs/stdout.log") == "page: none\n"


def test_with_network_none_there_is_a_daemon_and_no_way_out(bench: DindBench) -> None:
    inner = "docker run --rm $BENCHROUTER_ENV_IMAGE_TAG echo inside"
    outcome = bench.run(f"{inner} && ! getent hosts example.org && cut -f 1 /proc/net/route && {GOOD}", network="none")
    assert outcome.completed, outcome
    assert set(text(outcome, "logs/stdout.log").split()) <= {"inside", "Iface", "docker0"}


def test_services_that_the_task_starts_are_at_localhost(bench: DindBench) -> None:
    serve = "docker run -d --name web -p 8080:80 $BENCHROUTER_ENV_IMAGE_TAG"
    command = (
        f"{serve} perl -MIO::Socket::INET -e '$s=IO::Socket::INET->new(LocalPort=>80,Listen=>1,ReuseAddr=>1);"
        'while($c=$s->accept){print $c "HTTP/1.0 200 OK\\r\\n\\r\\nhere";close $c}\' && '
        f"curl -sS --retry 20 --retry-delay 1 --retry-all-errors http://localhost:8080/ && {GOOD}"
    )
    first, second = bench.run_all([command, command])
    for outcome in (first, second):
        assert outcome.completed, outcome
        assert text(outcome, "logs/stdout.log").endswith("here")


def test_an_image_without_docker_is_one_clear_failure(bench: DindBench, base_image: str) -> None:
    outcome = bench.run(GOOD, image_tag=base_image)
    assert outcome.reason is Reason.ENGINE
    assert "the image has no dockerd" in outcome.detail and "docker.io" in outcome.detail
    assert outcome.final  # another attempt would be no use


def test_a_daemon_that_does_not_start_leaves_its_log(bench: DindBench) -> None:
    config = "/etc/docker/daemon.json"
    nonsense = f"RUN mkdir -p /etc/docker && echo '{{\"bip\": \"nonsense\"}}' >{config}"
    broken = bench.derived(bench.image, nonsense)
    outcome = bench.run(GOOD, image_tag=broken)
    assert outcome.reason is Reason.ENGINE
    assert "the Docker daemon did not start" in outcome.detail and "nonsense" in outcome.detail
    assert "nonsense" in text(outcome, "logs/dockerd.log")


def test_an_archive_that_cannot_be_read_is_one_clear_failure(
    alone: DindBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchrouter.jobs.dind.saved", lambda *_: iter([b"no archive"]))
    outcome = alone.run(GOOD)
    assert outcome.reason is Reason.ENGINE
    assert "the images cannot be loaded" in outcome.detail


def test_a_load_that_brings_nothing_and_ends_well_was_taken_for_success(
    alone: DindBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchrouter.engine.dind.making.LOOP_DEVICES", ())
    wrapper = "#!/bin/sh\\n[ \"$1\" != load ] || exec cat >/dev/null\\nexec /usr/bin/docker \"$@\"\\n"
    place = "/usr/local/bin/docker"
    deaf = alone.derived(alone.image, f"RUN printf '{wrapper}' >{place} && chmod 755 {place}")
    alone.engine.api.tag(deaf, "benchrouter.test/deaf", "1")
    outcome = alone.run(GOOD, image_tag="benchrouter.test/deaf:1")
    assert outcome.reason is Reason.ENGINE, outcome
    assert "the images cannot be loaded" in outcome.detail and "No such image" in outcome.detail


def test_where_no_loop_device_can_be_had_each_daemon_loads_its_images(
    alone: DindBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchrouter.engine.dind.making.LOOP_DEVICES", ())
    outcome = alone.run(f"docker run --rm benchrouter-env-env echo inside && {GOOD}", environment="env")
    assert outcome.completed, outcome
    daemon = document(outcome, "provenance.json")["daemon"]
    assert daemon["images"] == "loaded" and daemon["no_seed_because"]
    assert text(outcome, "logs/stdout.log") == "inside\n"


def test_a_damaged_seed_is_made_again(alone: DindBench) -> None:
    assert alone.run(GOOD).completed
    alone.executor.close()
    seed = only(alone.seeds())
    with open(seed, "r+b") as file:
        file.seek(5 << 20)
        file.write(b"\xff" * (1 << 20))
    outcome = alone.again().run(f"docker run --rm $BENCHROUTER_ENV_IMAGE_TAG echo inside && {GOOD}", key="k2")
    assert outcome.completed, outcome
    assert document(outcome, "provenance.json")["daemon"]["images"] == "seed"


def test_images_are_there_under_the_names_that_the_task_uses_and_no_others(
    bench: DindBench, base_image: str
) -> None:
    names = {"benchrouter-env-db:latest": base_image, "registry.local:5000/a/b": base_image}
    command = f"docker images --format '{{{{.Repository}}}}:{{{{.Tag}}}}' | sort && {GOOD}"
    outcome = bench.run(command, docker_images=tuple(names), images=names, environment="env")
    assert outcome.completed, outcome
    ours = [bench.image, "benchrouter-env-db:latest", "benchrouter-env-env:latest"]
    expected = [*ours, "registry.local:5000/a/b:latest"]
    assert text(outcome, "logs/stdout.log").split() == sorted(expected)


def test_tasks_of_one_environment_share_a_seed_and_see_only_their_own_images(
    alone: DindBench, base_image: str
) -> None:
    other = alone.derived(base_image, "RUN echo other >/other")
    alone.engine.api.tag(other, "benchrouter.test/other", "1")
    digest = f"repo@sha256:{'1' * 64}"
    mine = {"images": {"mine": base_image, digest: base_image}, "docker_images": ("mine", digest)}
    listed = "docker images -a --format '{{.Repository}}' | sort -u"
    command = f"{listed} && docker run --rm {digest} echo pinned && {GOOD}"
    outcome = alone.run(command, neighbours=("benchrouter.test/other:1", "gone:1"), **mine)
    assert outcome.completed, outcome
    expected = sorted([alone.image.partition(":")[0], "mine", "repo"])
    assert text(outcome, "logs/stdout.log").split() == [*expected, "pinned"]
    theirs = {"images": {"theirs": "benchrouter.test/other:1"}, "docker_images": ("theirs",)}
    command = f"docker run --rm theirs cat /other && ! docker image inspect mine && {GOOD}"
    outcome = alone.run(command, key="k2", **theirs)
    assert outcome.completed, outcome
    assert len(alone.seeds()) == 1


def test_an_image_that_the_engine_lost_is_named(bench: DindBench) -> None:
    outcome = bench.run(GOOD, docker_images=("gone:1",), images={"gone:1": "gone:1"})
    assert outcome.reason is Reason.IMAGE_MISSING and "gone:1" in outcome.detail


def test_inner_images_can_be_built_saved_and_removed(bench: DindBench) -> None:
    command = (
        "printf 'FROM %s\\nRUN rm -rf /usr/share/doc && echo new >/new\\n' $BENCHROUTER_ENV_IMAGE_TAG"
        " | docker build -q -t built - && docker run --rm built cat /new && docker save built | tar -t | wc -l"
        " && docker rmi -f built $BENCHROUTER_ENV_IMAGE_TAG && docker images -q"
        f" && {GOOD}"
    )
    outcome = bench.run(command)
    assert outcome.completed, (outcome, text(outcome, "logs/stderr.log"))


def test_at_the_timeout_the_inner_containers_die_too(bench: DindBench) -> None:
    marker = "-v /app/results:/out $BENCHROUTER_ENV_IMAGE_TAG sh -c 'sleep 8; touch /out/marker'"
    began = time.monotonic()
    outcome = bench.run(f"docker run -d {marker}; {GOOD}; sleep 60", timeout=3.0)
    assert outcome.reason is Reason.TIMEOUT, outcome
    assert "still running after 3 s" in outcome.detail
    assert time.monotonic() - began < 60
    assert not (Path(outcome.path) / "output" / "marker").exists()


def test_the_timeout_counts_from_the_command_not_from_the_daemon(bench: DindBench) -> None:
    assert bench.run(f"sleep 0.2; {GOOD}", timeout=1.5).completed


def test_memory_holds_for_the_job_with_everything_in_it(bench: DindBench) -> None:
    eat = "docker run --rm $BENCHROUTER_ENV_IMAGE_TAG sh -c 'head -c 900m /dev/zero | tail -c 900m | wc -c'"
    outcome = bench.run(f"{eat}; exit 1", resources=Resources(memory=512 * MIB))
    assert outcome.reason is Reason.OOM, outcome


def test_processes_hold_for_the_job_with_everything_in_it(bench: DindBench) -> None:
    fork = "docker run --rm $BENCHROUTER_ENV_IMAGE_TAG sh -c 'for i in $(seq 300); do sleep 20 & done; wait'"
    outcome = bench.run(f"{fork}; {GOOD}", resources=Resources(pids=150), timeout=30.0)
    assert "fork" in text(outcome, "logs/stderr.log"), outcome


def test_interrupted_while_a_seed_is_made_nothing_is_left(alone: DindBench) -> None:
    stop = threading.Event()
    threading.Timer(2.0, stop.set).start()
    outcome = alone.run(GOOD, cancelled=stop)
    assert outcome.reason is Reason.CANCELLED, outcome
    assert alone.seeds() == []


ATTACK = r"""
attack() {
    seeds=$(awk '$NF ~ /norecovery/ || /benchrouter-seed/ {print $5}' /proc/self/mountinfo)
    for place in $seeds; do
        mount -o remount,rw "$place"; mount -o remount,bind,rw "$place"
        find "$place" -xdev -type f | head -300 | while read -r file; do echo tampered >"$file"; rm -f "$file"; done
        rm -rf "$place"/usr "$place"/etc; echo tampered >"$place/tampered"
    done
    blockdev --setrw /dev/benchrouter-seed
    dd if=/dev/zero of=/dev/benchrouter-seed bs=1M count=64 conv=notrunc
    mkdir -p /m; mount -t ext4 -o rw /dev/benchrouter-seed /m && echo tampered >/m/tampered && rm -rf /m/*
    number=$(stat -c %t:%T /dev/benchrouter-seed)
    rm -f /dev/own; mknod /dev/own b 7 $((0x${number#*:})); blockdev --setrw /dev/own
    dd if=/dev/zero of=/dev/own bs=1M count=64 conv=notrunc
    truncate -s "$(blockdev --getsize64 /dev/benchrouter-seed)" /other.img
    for high in 0 4294967296; do  # LOOP_CHANGE_FD, also with bits that the kernel drops
        perl -e 'open(D, "<", "/dev/own"); open(F, "<", "/other.img"); $n = 0x4C06 + shift;
            ioctl(D, $n, fileno(F)) ? print STDERR "changed $n\n" : print STDERR "$n: $!\n"' "$high"
    done
}
attack
for rule in 'a *:* rwm' 'b *:* rwm' 'b 7:* rwm'; do echo "$rule" >/sys/fs/cgroup/devices/devices.allow; done
attack
for place in $(awk '/norecovery/ {print $5}' /proc/self/mountinfo | sort -r); do umount -l "$place"; done
attack
pkill dockerd; exit 0
"""


def test_no_tampering_reaches_another_job_or_a_later_run(bench: DindBench) -> None:
    every = "find /usr /var/lib/dpkg -xdev -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum"
    look = f"docker run --rm $BENCHROUTER_ENV_IMAGE_TAG sh -c {quote(every)}"
    before = bench.run(f"{look} && {GOOD}", key="before")
    assert before.completed, before
    clean, seeds = text(before, "logs/stdout.log"), [path.stat().st_ino for path in bench.seeds()]
    (bench.task_dir / "attack.sh").write_text(ATTACK)
    attack = f"sh attack.sh; {GOOD}"
    looks = f"for i in 1 2 3; do {look} || exit 9; done; {GOOD}"
    attacking, looking, again = bench.run_all([attack, looks, attack])
    assert attacking.completed and again.completed, (attacking, again)
    said = text(attacking, "logs/stderr.log")
    assert "Read-only file system" in said and "19462: Operation not permitted" in said
    assert "changed " not in said
    assert looking.completed, looking
    assert text(looking, "logs/stdout.log") == clean * 3
    bench.executor.close()
    for note in (bench.workspace.cache / "seeds").glob("*.json"):
        noted = json.loads(note.read_text())
        note.write_text(json.dumps({**noted, "signature": []}))  # so that the content has to be looked at
    after = bench.again().run(f"{look} && {GOOD}", key="after")
    assert after.completed, after
    assert text(after, "logs/stdout.log") == clean
    assert [path.stat().st_ino for path in bench.seeds()] == seeds  # it is what was made, byte for byte


def test_what_floods_the_daemons_log_is_stopped(bench: DindBench) -> None:
    bench.site = Site(limits=replace(bench.site.limits, output_bytes=2 * MIB))
    outcome = bench.again().run("head -c 20m /dev/zero >/run/benchrouter/dockerd.log; sleep 60")
    assert outcome.reason is Reason.DISK, outcome
    assert (Path(outcome.path) / "logs" / "dockerd.log").stat().st_size < 12 * MIB
