"""Render what a task's own Docker daemon needs: its entrypoint, and how a person starts it with run.sh."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

from benchrouter.engine.container_spec import ContainerSpec, Mount, Privileges
from benchrouter.engine.dind.capabilities import FEWEST
from benchrouter.engine.dind.control import CONTROL, SCRIPT, STORAGE
from benchrouter.engine.dind.preload import Preload
from benchrouter.engine.dind.runtime import Choice, Runtime
from benchrouter.jobs.contract import preloaded_names
from benchrouter.jobs.request import JobRequest
from benchrouter.jobs.template_files import load_template
from benchrouter.jobs.words import one_line, quote
from benchrouter.store.workspace import Workspace

_RIGHTS = {
    "privileged": Choice(Runtime.PRIVILEGED),
    "capabilities": Choice(Runtime.CAPABILITIES, FEWEST),
    "sysbox": Choice(Runtime.SYSBOX),
}
_OURS = "benchrouter/"


def entrypoint(workspace: Workspace | None, request: JobRequest) -> bytes:
    """Render the entrypoint; without a workspace from the packaged template."""
    text = load_template(workspace, f"{SCRIPT}.j2").render(job=one_line(str(request.id)))
    return os.fsencode(text)


def with_daemon(spec: ContainerSpec) -> ContainerSpec:
    """Describe the container as a person starts it: beside a host's daemon it cannot be in the host's network."""
    return replace(
        spec,
        entrypoint=(*spec.entrypoint, f"{CONTROL}/{SCRIPT}"),
        command=spec.command[-1:],
        mounts=(*spec.mounts, Mount("", CONTROL, read_only=False)),
        volumes=(STORAGE,),
        network="bridge" if spec.network == "host" else spec.network,
        user="0:0",
        privileges=Privileges(),
    )


def daemon_by_hand(request: JobRequest) -> dict[str, object]:
    """Say what run.sh needs to start a daemon; images from outside go by the name that the task writes."""
    names = {
        name: source if source == request.image_tag or source.startswith(_OURS) else name
        for name, source in preloaded_names(request).items()
    }
    preload = Preload(names, dict.fromkeys(names.values(), ""), 0)
    return {
        "rights": {word: " ".join(rights_options(choice.privileges)) for word, choice in _RIGHTS.items()},
        "images": " ".join(quote(source) for source in preload.ids),
        "names": preload.lines,
    }


def rights_options(rights: Privileges) -> Iterator[str]:
    """Give the rights of a container as options of `docker run`."""
    if rights.runtime is not None:
        yield f"--runtime {rights.runtime}"
    if rights.privileged:
        yield "--privileged"
    if rights.capabilities is not None:
        yield "--cap-drop ALL"
        yield from (f"--cap-add {name}" for name in rights.capabilities)
    if rights.unconfined:
        yield from (f"--security-opt {which}=unconfined" for which in ("seccomp", "apparmor", "systempaths"))
    if rights.own_cgroups:
        yield "--cgroupns private"
