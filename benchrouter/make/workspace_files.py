"""What makes a directory a workspace for doit: dodo.py, and doit.cfg, which names our commands."""

from __future__ import annotations

import shutil
from pathlib import Path

PLACES = (Path(__file__).parent / "scaffold" / "dodo.py", Path(__file__).parents[2] / "dodo.py")
DODO = next((path for path in PLACES if path.exists()), PLACES[0])
"""The graph as doit reads it: a wheel carries a copy, a checkout has it at its root."""
COMMANDS = {
    "run": "run:Run",
    "clean": "clean:Clean",
    "help": "listing:Help",
    "info": "listing:Info",
    "list": "listing:List",
    "plan": "plan:Plan",
    "explain": "explain:Explain",
    "graph": "graph:Graph",
    "bootstrap-image": "bootstrap_image:BootstrapImage",
    "image": "image:Image",
    "models": "models:Models",
    "cachekey": "cachekey:CacheKey",
}
"""Commands that work in any workspace; the repository's own has more, for its tests."""


def write_workspace_files(root: Path, local: Path | None = None) -> None:
    """Write dodo.py and doit.cfg into a directory that exists; `local` holds a site's aliases, if it is there."""
    shutil.copyfile(DODO, root / "dodo.py")
    (root / "doit.cfg").write_text(configuration(), "ascii")
    if local is not None and local.exists():
        shutil.copy(local, root)


def configuration() -> str:
    """Give the text of doit.cfg."""
    texts = []
    for name, values in sections().items():
        texts += [f"[{name}]", *(f"{key} = {value}" for key, value in values.items())]
    return "\n".join([*texts, ""])


def sections() -> dict[str, dict[str, str]]:
    """Give the sections of doit.cfg, for doit beside a dodo.py that has none."""
    return {
        "GLOBAL": {"backend": "none", "loader": "traceless"},
        "LOADER": {"traceless": "benchrouter.make.loader:Loader"},
        "BACKEND": {"none": "benchrouter.make.backend:NoDatabase"},
        "COMMAND": {name: f"benchrouter.make.commands.{place}" for name, place in COMMANDS.items()},
    }
