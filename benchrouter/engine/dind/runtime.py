"""With which rights a job's own Docker daemon runs (pure): Sysbox, --privileged, or a list of capabilities."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from benchrouter.engine.container_spec import Privileges
from benchrouter.engine.dind.capabilities import FEWEST, NEEDED

SYSBOX_RUNTIME = "sysbox-runc"


class Runtime(Enum):
    """What lets a daemon run inside a container: (word, what a plan says of it)."""

    SYSBOX = ("sysbox", "in a Sysbox container, without rights on the host")
    PRIVILEGED = ("privileged", "with --privileged")
    CAPABILITIES = ("capabilities", "with a list of capabilities")

    def __init__(self, word: str, description: str) -> None:
        self.word = word
        self.description = description


@dataclass(frozen=True)
class Choice:
    """The runtime chosen, its capabilities if it is given a list, and why it is not one of those before it."""

    runtime: Runtime
    capabilities: tuple[str, ...] = ()
    why: str = ""

    def __str__(self) -> str:
        return f"{self.runtime.description} ({self.why})" if self.why else self.runtime.description

    @property
    def privileges(self) -> Privileges:
        """Say it in the words of a container."""
        if self.runtime is Runtime.SYSBOX:
            return Privileges(runtime=SYSBOX_RUNTIME)
        if self.runtime is Runtime.PRIVILEGED:
            return Privileges(privileged=True, own_cgroups=True)
        return Privileges(capabilities=self.capabilities, unconfined=True, own_cgroups=True)


def choose(
    runtimes: tuple[str, ...],
    host: tuple[frozenset[str], frozenset[str]] | None,
    refusal: str | None = None,
) -> Choice:
    """Choose by what the engine has, by (capabilities the host gives, capabilities its kernel knows), by a refusal.

    `host` None: not known. `refusal` are the engine's words when it refused --privileged.
    """
    if SYSBOX_RUNTIME in runtimes:
        return Choice(Runtime.SYSBOX)
    if host is None:
        if refusal is None:
            return Choice(Runtime.PRIVILEGED)
        return Choice(Runtime.CAPABILITIES, FEWEST, f"the engine refuses --privileged: {refusal}")
    given, known = host
    lacking = sorted(known - given)
    if lacking:
        why = f"the host lacks {', '.join(lacking)}, which --privileged asks for"
    elif refusal is not None:
        why = f"the engine refuses --privileged: {refusal}"
    else:
        return Choice(Runtime.PRIVILEGED)
    return Choice(Runtime.CAPABILITIES, tuple(name for name in NEEDED if name in given), why)


def refuses_privileges(text: str) -> bool:
    """Tell whether an engine's message says that it could not give the capabilities that it was asked for."""
    lowered = text.lower()
    return "apply caps" in lowered or "privileged" in lowered
