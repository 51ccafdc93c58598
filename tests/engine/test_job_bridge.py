"""`network: bridge`: the endpoint on the host's localhost is reached, and nothing else is."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from secrets import token_hex

import pytest
from job_bench import JobBench, document, text

from benchrouter.engine import fence
from benchrouter.engine.client import Engine
from benchrouter.engine.errors import Cancelled, EngineError
from benchrouter.engine.labels import object_labels
from benchrouter.engine.networks import Network, Networks
from benchrouter.spec.settings import Proxies, Site
from benchrouter.store.states import Reason

pytestmark = pytest.mark.engine
RAW = Path(__file__).with_name("raw_ipv6.py")
needs_filter = pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("iptables"), reason="needs root and iptables")
GOOD = """echo '{"overall": 0.5}' > /app/results/result.json"""
ASK = 'curl -sS --max-time 10 "$BENCHROUTER_MODEL_ENDPOINT/models"'


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = json.dumps({"path": self.path, "from": self.client_address[0]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def endpoint() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()


@pytest.fixture
def bench(real_engine: Engine, base_image: str, tmp_path: Path) -> Iterator[JobBench]:
    bench = JobBench(real_engine, tmp_path, base_image)
    yield bench
    assert networks_of(bench) == []


def networks_of(bench: JobBench) -> list[str]:
    label = f"benchrouter.workspace={bench.workspace.id}"
    return [net["Name"] for net in bench.engine.api.networks(filters={"label": label})]


def test_the_endpoint_on_localhost_is_reached_through_the_relay(bench: JobBench, endpoint: str) -> None:
    outcome = bench.run(f"{ASK}; {GOOD}", network="bridge", endpoint=endpoint)
    assert outcome.overall == 0.5, outcome
    said = json.loads(text(outcome, "logs/stdout.log"))
    assert said == {"path": "/v1/models", "from": "127.0.0.1"}
    network = document(outcome, "provenance.json")["network"]
    assert network["internal"] is True
    assert IPv4Network(network["subnet"]).subnet_of(IPv4Network("10.231.0.0/16"))


def test_there_is_no_other_way_out(bench: JobBench, endpoint: str) -> None:
    gateway = next(line.split()[2] for line in Path("/proc/net/route").read_text().splitlines() if "00000000" in line)
    there = ".".join(str(byte) for byte in reversed(bytes.fromhex(gateway)))
    script = f"""
        host=${{BENCHROUTER_MODEL_ENDPOINT#http://}}
        curl -s --max-time 3 http://{there}/ && echo the next hop
        curl -s --max-time 3 {endpoint}/models && echo localhost
        curl -s --max-time 3 "http://${{host%%/*}}/admin" | grep -q 'leads to the model' || echo beyond the endpoint
        timeout 5 python3 -c 'import socket; print(socket.getaddrinfo("example.com", 80))' 2>/dev/null
        {GOOD}
    """
    outcome = bench.run(script, network="bridge", endpoint=endpoint)
    assert outcome.overall == 0.5, outcome
    assert text(outcome, "logs/stdout.log") == ""


def test_a_name_of_elsewhere_was_waited_for_for_20_seconds(bench: JobBench) -> None:
    """The engine's resolver says nothing where its own server is not there; `docker pull` in a job took 15 seconds."""
    outcome = bench.run(f"timeout 12 getent hosts registry.example.com; echo $?; {GOOD}", network="none")
    assert text(outcome, "logs/stdout.log") == "2\n"


@needs_filter
def test_services_of_the_machine_are_not_reached_at_the_gateway(bench: JobBench, endpoint: str) -> None:
    bench.run_id = f"run-{token_hex(4)}"
    with ThreadingHTTPServer(("0.0.0.0", 0), Handler) as open_to_all:
        threading.Thread(target=open_to_all.serve_forever, daemon=True).start()
        script = f"""
            host=${{BENCHROUTER_MODEL_ENDPOINT#http://}}
            curl -s --max-time 5 "http://${{host%%:*}}:{open_to_all.server_port}/x" && echo reached
            {ASK} >/dev/null && echo asked
            {GOOD}
        """
        outcome = bench.run(script, network="bridge", endpoint=endpoint)
        open_to_all.shutdown()
    assert text(outcome, "logs/stdout.log") == "asked\n"
    assert document(outcome, "provenance.json")["network"]["closed_to_this_machine"] is True
    assert rules(bench.run_id) == []


@needs_filter
def test_rules_of_a_dead_run_are_swept_and_no_others() -> None:
    network = Network("0" * 64, "n", IPv4Network("10.230.6.0/28"), IPv4Address("10.230.6.1"))
    for run in ("test-run-1", "test-run-10"):
        for command, chain, *rule in (*fence._rules(network, 80, run, True), *fence._rules_ipv6(network, run)):
            subprocess.run([command, "-w", "-I", chain, *rule], check=True)
    try:
        assert fence.sweep_rules("test-run-1") == 4
        assert len(rules("test-run-10")) == 4
    finally:
        fence.sweep_rules("test-run-10")
    assert rules("test-run") == []


def rules(run: str) -> list[str]:
    """List our rules of runs whose id begins so in the packet filters; tests beside this one have theirs."""
    said = ""
    for command in ("iptables", "ip6tables"):
        said += subprocess.run([command, "-w", "-S"], capture_output=True, text=True, check=True).stdout
    return [line for line in said.splitlines() if f"benchrouter {run}" in line]


class OnIPv6(ThreadingHTTPServer):
    address_family = socket.AF_INET6


@pytest.fixture
def on_ipv6() -> Iterator[int]:
    """Serve on all of this machine's addresses; give the port."""
    with OnIPv6(("::", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield server.server_port
        server.shutdown()


@needs_filter
@pytest.mark.parametrize("layer", ["no address", "rules"])
@pytest.mark.parametrize("network", ["bridge", "none"])
def test_raw_frames_fetched_a_page_of_this_machine_over_ipv6(
    bench: JobBench, endpoint: str, on_ipv6: int, network: str, layer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host's end of a bridge has an IPv6 address that nobody gave it; either layer alone closes that.

    From a sidecar that may send raw frames: the task's own container may not.
    """
    if layer == "rules":
        monkeypatch.setattr(fence, "_SETTINGS", Path("/nowhere"))
    else:
        monkeypatch.setattr(fence, "_rules_ipv6", lambda *_: iter([["no-such-filter", "INPUT"]]))
    bench.run_id = f"run-{token_hex(4)}"
    shutil.copy(RAW, bench.task_dir)
    tries = ["sh", "-c", f"python3 -u /raw_ipv6.py {on_ipv6}; exec sleep 600"]
    raw = {"name": "raw", "image": bench.image, "command": tries, "cap_add": ["NET_RAW"]}
    raw |= {"volumes": ["./raw_ipv6.py:/raw_ipv6.py"]}
    outcome = bench.run(f"sleep 7; {GOOD}", network=network, endpoint=endpoint, sidecars=(raw,))
    assert outcome.overall == 0.5, outcome
    assert text(outcome, "logs/sidecar-raw.log") == "page: none\n"
    assert document(outcome, "provenance.json")["network"]["closed_to_this_machine"] is True
    assert rules(bench.run_id) == []


def test_a_task_on_a_bridge_could_send_raw_frames(bench: JobBench, endpoint: str, on_ipv6: int) -> None:
    """Where we may not set up the packet filter, this is what keeps a task off this machine's IPv6."""
    shutil.copy(RAW, bench.task_dir)
    script = f"python3 raw_ipv6.py {on_ipv6}; {ASK} >/dev/null && echo asked; {GOOD}"
    outcome = bench.run(script, network="bridge", endpoint=endpoint)
    assert text(outcome, "logs/stdout.log") == "no raw socket: [Errno 1] Operation not permitted\nasked\n"


def test_another_jobs_network_is_not_served(bench: JobBench, endpoint: str, base_image: str) -> None:
    """The relay of one job is no way out for another container of this machine."""
    said: list[str] = []
    done = threading.Event()

    def other(url: str) -> None:
        api = bench.engine.api
        made = api.create_container(base_image, ["curl", "-sS", "--max-time", "5", f"{url}/models"])
        api.start(made["Id"])
        said.append(str(api.wait(made["Id"])["StatusCode"]))
        api.remove_container(made["Id"], force=True)
        done.set()

    def heard(line: str) -> None:
        if line.startswith("http://10.") and not said:
            threading.Thread(target=other, args=(line,), daemon=True).start()

    request = bench.request(
        f"echo $BENCHROUTER_MODEL_ENDPOINT; sleep 4; {GOOD}", network="bridge", endpoint=endpoint
    )
    outcome = bench.executor.run(request, heard, threading.Event())
    assert outcome.overall == 0.5
    assert done.wait(60)
    assert said[0] != "0"


def test_no_proxy_is_asked_for_the_relay(bench: JobBench, endpoint: str) -> None:
    site = Site(limits=bench.site.limits, proxies=Proxies(http="http://127.0.0.1:1"))
    own = JobBench(bench.engine, bench.root, bench.image, site)
    outcome = own.run(f"{ASK}; {GOOD}", network="bridge", endpoint=endpoint)
    assert json.loads(text(outcome, "logs/stdout.log"))["path"] == "/v1/models"


def test_networks_are_small_and_a_taken_range_is_waited_for(real_engine: Engine) -> None:
    labels = object_labels("test-of-networks", "run-1")
    stop = threading.Event()
    with Networks(real_engine, IPv4Network("10.230.9.0/27")).network("benchrouter-test-a", labels, stop) as one:
        assert one.subnet.prefixlen == 28
        # Another run: it knows nothing of the first but what the engine says.
        other = Networks(real_engine, IPv4Network("10.230.9.0/27"))
        with other.network("benchrouter-test-b", labels, stop) as two:
            assert not two.subnet.overlaps(one.subnet)
            threading.Timer(0.7, stop.set).start()
            with pytest.raises(Cancelled), other.network("benchrouter-test-c", labels, stop):
                pass
    assert real_engine.api.networks(filters={"label": "benchrouter.workspace=test-of-networks"}) == []


def test_a_network_goes_with_what_is_attached_to_it(real_engine: Engine, base_image: str) -> None:
    labels = object_labels("test-of-networks", "run-2")
    networks = Networks(real_engine, IPv4Network("10.230.8.0/24"))
    with networks.network("benchrouter-test-d", labels, threading.Event()) as network:
        api = real_engine.api
        attached = api.create_host_config(network_mode=network.id)
        made = api.create_container(base_image, ["sleep", "60"], host_config=attached)
        api.start(made["Id"])
    api.remove_container(made["Id"], force=True)
    assert api.networks(names=["benchrouter-test-d"]) == []


def test_a_job_without_a_way_to_the_relay_says_so(
    bench: JobBench, endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An engine in a machine of its own has the gateway there, not here."""
    import benchrouter.engine.networks as module

    real = module.Networks._create

    def elsewhere(*args: object, **options: object) -> object:
        from dataclasses import replace
        from ipaddress import IPv4Address

        return replace(real(*args, **options), gateway=IPv4Address("10.229.1.1"))  # type: ignore[arg-type]

    monkeypatch.setattr(module.Networks, "_create", elsewhere)
    outcome = bench.run(GOOD, network="bridge", endpoint=endpoint)
    assert outcome.reason is Reason.UNSUPPORTED and "`--network host`" in outcome.detail, outcome


def test_the_range_may_be_exhausted_by_others(real_engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    import benchrouter.engine.networks as module

    monkeypatch.setattr(module.deadlines, "NETWORK", 0.2)
    labels = object_labels("test-of-networks", "run-3")
    pool = IPv4Network("10.230.7.0/28")
    one, other = Networks(real_engine, pool), Networks(real_engine, pool)
    with (
        one.network("benchrouter-test-e", labels, threading.Event()),
        pytest.raises(EngineError, match=r"no network is free in 10\.230\.7\.0/28"),
        other.network("benchrouter-test-f", labels, threading.Event()),
    ):
        pass


def test_forty_networks_leave_the_engines_own_pools_alone(real_engine: Engine) -> None:
    from contextlib import ExitStack

    labels = object_labels("test-of-networks", "run-4")
    networks = Networks(real_engine, IPv4Network("10.230.0.0/21"))
    with ExitStack() as stack:
        made = [
            stack.enter_context(networks.network(f"benchrouter-test-{n}", labels, threading.Event()))
            for n in range(40)
        ]
        assert len({network.subnet for network in made}) == 40
        # Docker's own ranges hold thirty-one.
        own = real_engine.api.create_network("benchrouter-test-own", labels=labels)
        real_engine.api.remove_network(own["Id"])
    assert real_engine.api.networks(filters={"label": "benchrouter.workspace=test-of-networks"}) == []
