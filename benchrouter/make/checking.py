"""Asking models before anything runs: is the endpoint there, is the key right, is the model listed."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from benchrouter.make.endpoints import ask_once
from benchrouter.make.session import Session
from benchrouter.make.variables import UsageError
from benchrouter.models.model import DEMO, EMBEDDED, Model, ModelError, resolve
from benchrouter.spec.settings import Settings


@dataclass(frozen=True)
class Checked:
    """What one cheap call told: `reached` that the endpoint answers and takes the key, `listed` that it has the model.

    `detail` says what is wrong, or where it stands.
    """

    name: str
    endpoint: str | None
    reached: bool
    listed: bool
    detail: str = ""

    @property
    def good(self) -> bool:
        """Tell whether jobs can ask it."""
        return self.reached and self.listed

    def to_json(self) -> dict[str, Any]:
        """Give the form of docs/json.md."""
        return {**vars(self), "ok": self.good}


def check_models(session: Session, names: Iterable[str]) -> list[Checked]:
    """Ask the named models, else the one that a run would ask, else all declared ones, all at once.

    Raise ModelError or SpecError for a wrong name, UsageError where there is nothing to check: that is no success.
    """
    settings = session.sources.settings
    declared = [name for name in settings.models if name not in EMBEDDED]
    wanted = list(dict.fromkeys(names)) or list(session.variables.models) or declared
    if not wanted:
        raise UsageError(
            "models check: no model is declared, and BENCHROUTER_MODEL_NAME is not set; name one, for example: "
            "benchrouter models check gpt-4o"
        )
    models = [resolve(name, settings, session.environ) for name in wanted]
    with ThreadPoolExecutor(len(models)) as pool:
        return list(pool.map(lambda model: _checked(session, settings, model), models))


def _checked(session: Session, settings: Settings, model: Model) -> Checked:
    if model.embedded:
        return _embedded(session, model)
    answer = ask_once(model, settings.site)
    reached = answer.ok and not answer.failing
    detail = answer.detail or f"{model.endpoint} lists `{model.id}`"
    return Checked(model.name, model.endpoint, reached, reached and not answer.detail, detail)


def _embedded(session: Session, model: Model) -> Checked:
    if model.name == DEMO:
        return Checked(model.name, None, True, True, "embedded")
    from benchrouter.models.smollm2.installed import check

    try:
        check(session.ws, session.environ)
    except ModelError as error:
        return Checked(model.name, None, False, False, str(error))
    return Checked(model.name, None, True, True, "embedded and installed")
