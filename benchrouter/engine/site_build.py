"""How a site's CA bundle, proxies and mirrors reach a build without ending in an image (pure)."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from benchrouter.engine.errors import EngineError
from benchrouter.spec.dockerfile.lex import lex
from benchrouter.spec.settings import Site

# Not below /run: BuildKit leaves the empty file that it mounts over in the layer, and /dev is never in one.
PLACE = "/dev/benchrouter"
_CA_FILE = f"{PLACE}/ca.crt"
_CA_VARIABLES = (
    "SSL_CERT_FILE",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "PIP_CERT",
    "NODE_EXTRA_CA_CERTS",
    "GIT_SSL_CAINFO",
)


@dataclass(frozen=True)
class Delivery:
    """What a build is given beside its context.

    `files` (name → content) are mounted below PLACE in every RUN; `variables` are declared in
    every stage as ARG, so that they hold during RUN and are in no image; `proxies` are the builder's
    predefined arguments; `masked` are values that no log may show.
    """

    files: dict[str, bytes] = field(default_factory=dict, repr=False)
    variables: dict[str, str] = field(default_factory=dict)
    proxies: dict[str, str] = field(default_factory=dict, repr=False)
    masked: tuple[str, ...] = field(default=(), repr=False)
    notes: tuple[str, ...] = ()

    @property
    def mounts(self) -> tuple[str, ...]:
        """Spell the options that mount the files in a RUN."""
        return tuple(
            f"type=secret,id={secret_id(name)},target={PLACE}/{name},mode=0444" for name in self.files
        )


def secret_id(name: str) -> str:
    """Name a file as BuildKit's secret."""
    return f"benchrouter-{name.replace('.', '-')}"


def deliver(site: Site, *, buildkit: bool, ca_bundle: bytes | None) -> Delivery:
    """Decide what a build gets of the site; raise EngineError for a secret that only BuildKit could keep."""
    proxies = _proxies(site)
    masked = site_secrets(site)
    if not buildkit:
        return _deliver_classic(site, proxies, masked, ca_bundle)
    files: dict[str, bytes] = {}
    variables: dict[str, str] = {}
    if ca_bundle is not None:
        files["ca.crt"] = ca_bundle
        variables |= dict.fromkeys(_CA_VARIABLES, _CA_FILE)
        files["apt.conf"] = f'Acquire::https::CaInfo "{_CA_FILE}";\n'.encode()
        variables["APT_CONFIG"] = f"{PLACE}/apt.conf"
    if site.pip_index_url:
        files["pip.conf"] = f"[global]\nindex-url = {site.pip_index_url}\n".encode()
        variables["PIP_CONFIG_FILE"] = f"{PLACE}/pip.conf"
    return Delivery(files, variables, proxies, masked)


def site_secrets(site: Site) -> tuple[str, ...]:
    """List the parts of the site's addresses that nobody may see."""
    urls = (site.proxies.http, site.proxies.https, site.pip_index_url, site.apt_mirror)
    return tuple(dict.fromkeys(part for url in urls if url for part in _secrets(url)))


def with_arguments(text: str, variables: dict[str, str]) -> str:
    """Declare variables after each FROM of a Dockerfile, as arguments with a default."""
    if not variables:
        return text
    lines = "".join(f"ARG {name}={value}\n" for name, value in variables.items())
    for instruction in reversed(lex(text).instructions):
        if instruction.name == "FROM":
            at = instruction.end
            newline = "" if text[:at].endswith("\n") else "\n"
            text = text[:at] + newline + lines + text[at:]
    return text


def mask(text: str, masked: tuple[str, ...]) -> str:
    """Take secret values out of a line of a build's log."""
    for value in masked:
        text = text.replace(value, "***")
    return text


def _deliver_classic(
    site: Site, proxies: dict[str, str], masked: tuple[str, ...], ca_bundle: bytes | None
) -> Delivery:
    if masked:
        raise EngineError(
            "site.proxies or a mirror holds a password, and only BuildKit can keep it out of "
            "images: install a docker client with BuildKit (Debian: docker.io, docker-buildx)"
        )
    lost = {"CA bundle": ca_bundle is not None, "apt mirror": bool(site.apt_mirror)}
    notes = [f"without BuildKit the site's {what} does not reach builds" for what, given in lost.items() if given]
    variables = {"PIP_INDEX_URL": site.pip_index_url} if site.pip_index_url else {}
    return Delivery({}, variables, proxies, masked, tuple(notes))


def _proxies(site: Site) -> dict[str, str]:
    values = {
        "HTTP_PROXY": site.proxies.http,
        "HTTPS_PROXY": site.proxies.https,
        "NO_PROXY": site.proxies.no_proxy,
    }
    return {case(name): value for name, value in values.items() if value for case in (str.upper, str.lower)}


def _secrets(url: str) -> list[str]:
    """Find the parts of a URL that nobody may see: its password, and user and password together."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return []
    if not parts.password:
        return []
    return [f"{parts.username}:{parts.password}", parts.password]
