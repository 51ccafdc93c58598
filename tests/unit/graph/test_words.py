"""Which nodes a word means, and how a node is named for people."""

from __future__ import annotations

import pytest

from benchrouter.graph.words import for_people, meant
from benchrouter.spec.names import encode

ODD = "openai/gpt-x"
NAMES = [
    f"{kind}:b/{task}@{model}{repeat}"
    for kind in ("job", "config")
    for task in ("t", "tt")
    for model in ("m", encode(ODD))
    for repeat in ("", "#1")
] + [f"aggregate:b@{encode(ODD)}", "aggregate:b@m", "image:b/t", "base:debian@sha256:1"]


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("job:b/t@m", ["job:b/t@m"]),
        (f"job:b/t@{ODD}", ["job:b/t@*"]),
        (f"job:b/t@{ODD}#1", ["job:b/t@*#1"]),
        (f"job:b/t#1@{ODD}", ["job:b/t@*#1"]),
        (f"config:b/t@{ODD}", ["config:b/t@*"]),
        ("job:b/t@openai/*", ["job:b/t@*", "job:b/t@*#1"]),
        ("job:b/*@openai/gpt-?", ["job:b/t@*", "job:b/tt@*"]),
        (f"aggregate:b@{ODD}", ["aggregate:b@*"]),
        ("job:b/t@openai", []),
        ("job:b/t#2@m", []),
        ("image:b/t", ["image:b/t"]),
        ("base:debian@sha256:1", ["base:debian@sha256:1"]),
    ],
)
def test_a_model_with_a_slash_was_no_part_of_a_node_s_name(word: str, found: list[str]) -> None:
    """Names that people were told to type were refused; patterns over real names, too. `*` stands for the odd one."""
    assert meant(word, NAMES, ["m", ODD]) == [each.replace("*", encode(ODD)) for each in found]


def test_without_a_model_every_one_is_meant() -> None:
    """With the repeat that is named, or all."""
    assert meant("job:b/t#1", NAMES, ["m", ODD]) == ["job:b/t@m#1", f"job:b/t@{encode(ODD)}#1"]
    assert len(meant("job:b/t", NAMES, ["m", ODD])) == 4 and len(meant("aggregate:b", NAMES, ["m", ODD])) == 2


@pytest.mark.parametrize("model", ["has space", "m#1", "x" * 101, "_x", "a*", "bell\a", "é/x", "a=b"])
def test_a_model_that_cannot_be_typed_keeps_its_encoded_name(model: str) -> None:
    """A `#` would be taken for a repeat, a `*` for a pattern, an underscore for an encoded name."""
    node = f"job:b/t@{encode(model)}#2"
    assert for_people(node, [model]) == node


def test_what_is_shown_can_be_typed() -> None:
    """Every shown name means its node again."""
    assert for_people(f"job:b/t@{encode(ODD)}#1", [ODD]) == f"job:b/t@{ODD}#1"
    for name in NAMES:
        assert meant(for_people(name, ["m", ODD]), NAMES, ["m", ODD]) == [name]
