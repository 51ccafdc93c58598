"""`benchrouter doctor`: what this machine lacks, what follows, how to mend it."""

from __future__ import annotations

from benchrouter.faces.out import Json, emit


def doctor(json: Json = False) -> int:
    """Tell what this machine lacks for runs.

    Of engine, disk, registry, certificates and limits: what follows, and how to mend it. Exit status 1: no job can run.
    """
    import os
    import sys
    from pathlib import Path

    from benchrouter.faces.place import enter_if_any
    from benchrouter.make.doctor.examine import examine
    from benchrouter.make.doctor.finding import Level
    from benchrouter.make.interruption import as_is

    here = Path.cwd()
    ws = enter_if_any()
    found = []
    for each in examine(ws, here, os.environ):
        found.append(each)
        if json:
            continue
        mark = each.level.mark
        if sys.stdout.isatty():
            mark = f"\x1b[{each.level.colour}m{mark}\x1b[0m"
        print(mark, end="", file=as_is(sys.stdout))
        print(f"  {each.what:12}  {each.found}", flush=True)
        for label, text in (("follows", each.follows), ("mend", each.mend)):
            if text:
                print(f"      {label + ':':10}{text}", flush=True)
    essential = [each for each in found if each.level is Level.BROKEN]
    if json:
        emit("doctor", ok=not essential, findings=[each.to_json() for each in found])
    elif essential:
        print(f"\nno job can run before this is mended: {', '.join(each.what for each in essential)}")
    return 1 if essential else 0
