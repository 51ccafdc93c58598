"""Whether the workspace's own templates can be rendered, found out before anything runs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from benchrouter.jobs.template_files import load_template
from benchrouter.spec.names import did_you_mean
from benchrouter.spec.problems import Problem
from benchrouter.store.workspace import Workspace

SAMPLE = {
    "job": "benchmark/task@model",
    "timeout": "7200",
    "secrets": ["OPENAI_API_KEY"],
    "key_from": "OPENAI_API_KEY",
    "image": "benchrouter/benchmark-environment:key",
    "task_dir": "benchmarks/benchmark/task",
    "options": ["--network host"],
    "data": [("hub", "BENCHROUTER_DATA_HUB")],
    "arguments": "-c 'sh run.sh'",
    "dind": {"rights": {"privileged": "--privileged"}, "images": "debian:12", "names": ["debian:12 d:1"]},
    "services": [("db", [("image", "postgres:15")])],
    "post_start": [("db", ["createdb own"])],
    "evaluation": {"name": "evaluation", "entries": [("image", "benchrouter/benchmark-environment:key")]},
    "volumes": ["data"],
    "volume_options": {},
    "network": "benchrouter-token",
    "beside": True,
}
"""What a template can use, as the renderer gives it."""


def template_problems(workspace: Workspace, names: Iterable[str]) -> list[Problem]:
    """Try each named template with sample values; say what is wrong with those that fail."""
    found = (_problem(workspace, name) for name in names)
    return [problem for problem in found if problem is not None]


def _problem(workspace: Workspace, name: str) -> Problem | None:
    from jinja2 import TemplateError, TemplateSyntaxError, UndefinedError

    path = str(workspace.templates / name)
    try:
        load_template(workspace, name).render(SAMPLE)
    except TemplateSyntaxError as error:
        return Problem(error.filename or path, error.lineno, error.message or "cannot be parsed")
    except UndefinedError as error:
        return Problem(*_place(error, workspace, path), f"{error.message}{_meant(error.message or '')}")
    except UnicodeDecodeError as error:
        return Problem(path, None, f"not UTF-8: {error.reason} at byte {error.start}")
    except RecursionError as error:
        return Problem(*_place(error, workspace, path), "nested too deeply, or it includes itself without an end")
    except (TemplateError, TypeError, ValueError, ArithmeticError) as error:
        return Problem(*_place(error, workspace, path), f"{error}")
    except OSError as error:
        return Problem(str(error.filename or path), None, f"cannot be read: {error.strerror}")
    return None


def _place(error: Exception, workspace: Workspace, path: str) -> tuple[str, int | None]:
    """Find the innermost template and its line in the traceback, which Jinja rewrites to point there."""
    at = error.__traceback__
    place: tuple[str, int | None] = (path, None)
    while at is not None:
        file = at.tb_frame.f_code.co_filename
        if Path(file).is_relative_to(workspace.templates):
            place = file, at.tb_lineno
        at = at.tb_next
    return place


def _meant(message: str) -> str:
    word = message.split("'")[1] if message.count("'") >= 2 else ""
    return did_you_mean(word, SAMPLE) or f"; known: {', '.join(SAMPLE)}"
