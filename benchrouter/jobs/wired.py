"""A job on a network of its own, from which the model's endpoint is reached through our relay."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from errno import EADDRNOTAVAIL
from urllib.parse import urlsplit

from benchrouter.engine.container_spec import ContainerSpec, Resolver
from benchrouter.engine.fence import fenced
from benchrouter.engine.networks import Network
from benchrouter.engine.upstream import Upstream
from benchrouter.jobs.course import Course, Ended
from benchrouter.jobs.ending import Conclusion
from benchrouter.models.asker import is_loopback
from benchrouter.spec.settings import Site
from benchrouter.store.states import Reason

ENDPOINT = "BENCHROUTER_MODEL_ENDPOINT"
_NO_PROXY = ("NO_PROXY", "no_proxy")
_ELSEWHERE = (
    "a job with a network of its own reaches the model's endpoint through BenchRouter, at the network's address on the "
    "engine's machine; BenchRouter has no such address where it runs: in a container start it with `--network host`, "
    "and use no engine in a virtual machine or elsewhere"
)
# On an internal network an engine before 26 asks the host's resolver. Asked for one that is not there, it says nothing
# at all, and each name would be waited for 20 seconds: `docker pull` gave up sooner, and said that the network is slow.
_NOWHERE = Resolver(("127.0.0.1",), ("timeout:1", "attempts:3"))


@dataclass(frozen=True)
class Wired:
    """A network, and the container described so that it runs there."""

    network: Network
    spec: ContainerSpec


@contextmanager
def wired(course: Course, spec: ContainerSpec, *, names: tuple[str, ...] = ()) -> Iterator[Wired]:
    """Make a network with a relay to the endpoint, and remove both.

    For `bridge` the relay is the only way out of it, for `none` there is none. `names` are hosts beside the job,
    which no proxy may be asked for. Raises Ended where the relay cannot be, EngineError, OSError or Cancelled.
    """
    internal = spec.network != "host"
    networks = course.networks
    name = f"benchrouter-{course.attempt.token}"
    with (
        networks.network(name, course.labels, course.cancelled, internal=internal, room=len(names) + 1) as network,
        _relayed(course, network, spec.network) as endpoint,
        fenced(network, _port(network, endpoint), course.request.run_id, closed=internal) as done,
    ):
        course.facts["network"] = {
            "subnet": str(network.subnet),
            "internal": internal,
            "endpoint": endpoint,
            "closed_to_this_machine": internal and done,
        }
        environment = dict(spec.environment)
        if environment.get(ENDPOINT) == course.request.endpoint:  # else the task has set it itself
            environment[ENDPOINT] = endpoint
        moved = replace(
            spec,
            network=network.name,
            environment=environment,
            secrets=_without_proxy(course, spec.secrets, (str(network.gateway), *names)),
            resolver=_NOWHERE if internal else None,
        )
        yield Wired(network, moved)


def _port(network: Network, endpoint: str) -> int | None:
    """Find the port of our relay; None where the job is told another address."""
    relay = urlsplit(endpoint)
    return relay.port if relay.hostname == str(network.gateway) else None


@contextmanager
def _relayed(course: Course, network: Network, asked: str) -> Iterator[str]:
    """Give the URL under which the endpoint is reached from the network."""
    told = course.request.endpoint
    if not told or asked == "none":
        yield told
        return
    upstream = _upstream(told, course.site)
    with ExitStack() as stack:
        try:
            url = stack.enter_context(course.relays.relay(upstream, network.gateway, network.subnet))
        except OSError as error:
            if error.errno != EADDRNOTAVAIL:
                raise
            if asked == "bridge" or is_loopback(upstream.host):
                raise Ended(Conclusion(reason=Reason.UNSUPPORTED, detail=_ELSEWHERE)) from None
            url = told
        yield url


def _upstream(endpoint: str, site: Site) -> Upstream:
    given = {"http": site.proxies.http, "https": site.proxies.https, "no_proxy": site.proxies.no_proxy}
    proxies = {name: value for name, value in given.items() if value}
    return Upstream(endpoint, site.ca_bundle, proxies or None)


def _without_proxy(course: Course, secrets: Mapping[str, str], hosts: tuple[str, ...]) -> dict[str, str]:
    """Except hosts from the site's proxies; what the caller passes on stays byte for byte."""
    ours = {name for name in _NO_PROXY if name not in course.request.pass_env}
    return {name: ",".join((value, *hosts)) if name in ours else value for name, value in secrets.items()}
