"""Mask secrets inside what was parsed, so that documents of ours remain JSON, and scores remain numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from benchrouter.jobs.redact import MARK, Redactor
from benchrouter.jobs.secret_forms import SHORTEST
from benchrouter.jobs.verdict import Verdict
from benchrouter.store import documents
from benchrouter.store.states import Reason
from benchrouter.store.texts import distinct

_MARK = MARK.decode()


def without_secrets(verdict: Verdict, file_name: str, redactor: Redactor) -> Verdict:
    """Refuse a score whose digits are those of a secret: it can neither be published nor be masked."""
    if verdict.overall is None or not _is_secret_number(verdict.overall, redactor):
        return verdict
    detail = f"{file_name}: the score has the digits of a secret that the task was given, and is not published"
    return replace(verdict, overall=None, reason=Reason.INVALID_RESULT, detail=detail)


def masked(document: Mapping[str, Any], redactor: Redactor) -> dict[str, Any]:
    """Mask secrets in an object that is about to be written as JSON: in texts and keys what is secret of them, numbers,
    and lists and objects that are the value of one, as a whole; the given object is left as it is.
    """
    plain = dict(document)
    if not redactor.knows_json and not _shows(plain, redactor):
        return plain
    made = _object(plain, redactor)
    if not _shows(made, redactor):
        return made
    # What still shows stands across several texts: whole members go.
    made = {key: _MARK if _shows({"": value}, redactor) else value for key, value in made.items()}
    return {} if _shows(made, redactor) else made


def _shows(document: dict[str, Any], redactor: Redactor) -> bool:
    return bool(redactor) and redactor.finds(documents.to_lines(document))


def _value(value: Any, redactor: Redactor) -> Any:
    if isinstance(value, str):
        return redactor.scrub_text(value)
    if isinstance(value, int | float):
        return _MARK if _is_secret_number(value, redactor) else value
    if isinstance(value, Mapping | list | tuple) and redactor.is_secret(value):
        return _MARK
    if isinstance(value, Mapping):
        return _object(value, redactor)
    if isinstance(value, list | tuple):
        return [_value(member, redactor) for member in value]
    return value


def _object(value: Mapping[str, Any], redactor: Redactor) -> dict[str, Any]:
    made: dict[str, Any] = {}
    counts: dict[str, int] = {}
    for key, member in value.items():
        safe = distinct(redactor.scrub_text(str(key)), made, counts)  # masking makes keys equal
        made[safe] = _value(member, redactor)
    return made


def _is_secret_number(value: float, redactor: Redactor) -> bool:
    """Tell whether a number spells a secret somewhere in its digits, or is one that is spelled otherwise."""
    spelled = json.dumps(value)
    return len(spelled) >= SHORTEST and (redactor.finds(spelled.encode()) or redactor.is_secret(value))
