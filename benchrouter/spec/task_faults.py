"""What is wrong in a task.yaml that single values do not show; found whatever else is wrong in the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from benchrouter.spec import values
from benchrouter.spec.data_shape import data_faults
from benchrouter.spec.names import variable_fault
from benchrouter.spec.problems import Problem
from benchrouter.spec.reserved import passed, replaced
from benchrouter.spec.sidecar_faults import sidecar_faults
from benchrouter.spec.yamlfile import Document


def faults(document: Document) -> list[Problem]:
    """Look at the file as it was read, since its shape may not hold."""
    return [
        *_names(document),
        *replaced(document),
        *passed(document),
        *_daemon(document),
        *_memory(document),
        *sidecar_faults(document),
        *data_faults(document),
    ]


def _names(document: Document) -> Iterator[Problem]:
    """The command runs under a shell, and shells drop variables with other names."""
    given = document.data.get("extra_env")
    for name in given if isinstance(given, dict) else ():
        if fault := variable_fault(name):
            yield document.problem(("extra_env", name), f"`extra_env`: {fault}")


def _daemon(document: Document) -> Iterator[Problem]:
    if document.data.get("docker_images") and document.data.get("docker") in (None, False):
        message = "`docker_images` has no effect without `docker: true`"
        yield document.problem(("docker_images",), message, warning=True)


def _memory(document: Document) -> Iterator[Problem]:
    given = document.data.get("resources")
    resources = given if isinstance(given, dict) else {}
    reserve, memory = (_read(values.size, resources.get(name)) for name in ("reserve", "memory"))
    if reserve and memory and reserve > memory:
        message = "`resources.reserve` is more than `resources.memory`"
        yield document.problem(("resources", "reserve"), message)


def _read(reader: Callable[[object], int], value: Any) -> int | None:
    try:
        return reader(value)
    except ValueError:
        return None
