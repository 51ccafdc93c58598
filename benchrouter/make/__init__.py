"""The only code that imports doit: node to task, variables, commands, terminal reporter."""

from benchrouter.make.recipes import CONFIG, Recipes

__all__ = ["CONFIG", "Recipes"]
