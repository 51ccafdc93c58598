"""The bridge to doit: nodes become doit tasks, commands become plugins. Only this package imports doit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchrouter.make.recipes import CONFIG, Recipes

__all__ = ["CONFIG", "Recipes"]


def __getattr__(name: str) -> Any:
    """Import what dodo.py asks for when it does: help and small commands pay for none of it."""
    if name not in __all__:
        raise AttributeError(name)
    from benchrouter.make import recipes

    return getattr(recipes, name)
