"""What keys cover and what they do not, which aggregates are headlines, how siblings chain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchrouter.graph.build import image_tag
from benchrouter.models.model import Model

from .small import MODEL, benchmark, graph, keys, write


def test_keys_are_the_same_at_another_path(tmp_path: Path) -> None:
    """No absolute path, no time, no inode is part of a key."""
    one, two = graph(benchmark(tmp_path / "one")), graph(benchmark(tmp_path / "else" / "where"))
    assert keys(one) == keys(two)
    assert [node.key for node in one.aggregates] == [node.key for node in two.aggregates]


@pytest.mark.parametrize(
    ("path", "text", "moves"),
    [
        ("t/run.sh", "false\n", ["b/t@m"]),
        ("t/new", "", ["b/t@m"]),
        ("t/task.yaml", "name: other\ncommand: sh run.sh\ntimeout: 5\ndescription: words\n", []),
        ("t/task.yaml", "name: t\ncommand: sh run.sh -x\n", ["b/t@m"]),
        ("t/task.yaml", "name: t\ncommand: sh run.sh\nextra_env: {A: b}\n", ["b/t@m"]),
        ("environments/b/Dockerfile", "FROM debian\nRUN :\n", ["b/t@m", "b/u@m"]),
        ("environments/b/more", "", ["b/t@m", "b/u@m"]),
        ("README.md", "words", []),
        ("code/tool.py", "print()", []),
        ("benchmark.yaml", "name: b\ndescription: words\ntasks: [{name: t}, {name: u}]\n", []),
    ],
)
def test_a_file_moves_exactly_the_jobs_it_belongs_to(tmp_path: Path, path: str, text: str, moves: list[str]) -> None:
    """Write one file, and see whose key is another."""
    root = benchmark(tmp_path / "b")
    before = keys(graph(root))
    after = keys(graph(write(root, {path: text})))
    assert [label for label in before if before[label] != after[label]] == moves


@pytest.mark.parametrize(
    ("ask", "same"),
    [
        ({"variables": {"V": "1"}}, False),
        ({"variables": {"V": ""}}, False),
        ({"templates": {"run.sh.j2": "digest"}}, False),
        ({"seed": 0}, False),
        ({"repeat": 1}, True),
        ({"epochs": {"b/b": 1}}, False),
        ({"epochs": {"other/env": 1}}, True),
        ({"identities": {("m", "b"): {"name": "m", "revision": "2"}}}, False),
        ({"models": (Model("m", "m", endpoint="http://elsewhere", api_key="sk-other", max_concurrency=1),)}, True),
    ],
)
def test_what_the_ask_adds_to_a_key(tmp_path: Path, ask: dict[str, Any], same: bool) -> None:
    """Variables, templates, seeds, epochs and identity count; keys and limits of the endpoint do not."""
    root = benchmark(tmp_path / "b", ("t",))
    assert (keys(graph(root)) == keys(graph(root, **ask))) is same


def test_repeats_and_seeds_have_keys_of_their_own(tmp_path: Path) -> None:
    """The first repeat is the unrepeated job; each further one is named by its index."""
    root = benchmark(tmp_path / "b", ("t",))
    once, thrice = keys(graph(root)), keys(graph(root, repeat=3))
    assert list(thrice) == ["b/t@m", "b/t@m#1", "b/t@m#2"]
    assert once["b/t@m"] == thrice["b/t@m"] and len(set(thrice.values())) == 3


def test_only_a_whole_run_without_variables_is_the_headline(tmp_path: Path) -> None:
    """And each distinct set of jobs has an aggregate of its own."""
    root = benchmark(tmp_path / "b")
    asks: list[tuple[tuple[str, ...] | None, dict[str, Any]]] = [
        (None, {}), (("t", "u"), {}), (("t",), {}), (None, {"variables": {"V": "1"}}),
    ]  # fmt: skip
    nodes = [graph(root, tasks, **ask).aggregates[0] for tasks, ask in asks]
    assert [node.headline for node in nodes] == [True, True, False, False]
    assert [node.declared for node in nodes] == [2, 2, 2, 2]
    assert nodes[0].key == nodes[1].key and len({node.key for node in nodes}) == 3


def test_a_derived_image_has_the_key_of_its_base_in_its_own(tmp_path: Path) -> None:
    """Siblings come first among the images, and a change below shows above."""
    root = benchmark(tmp_path / "b", ("t",))
    write(root, {"environments/b/Dockerfile": "FROM benchrouter-env-under\n"})
    write(root, {"environments/under/Dockerfile": "FROM x\n"})
    before = graph(root)
    assert list(before.images) == ["image:b/under", "image:b/b"] and list(before.bases) == ["x"]
    assert list(before.images_of(before.jobs)) == ["image:b/under", "image:b/b"]
    after = graph(write(root, {"environments/under/Dockerfile": "FROM y\n"}))
    assert before.images["image:b/b"].key != after.images["image:b/b"].key
    assert keys(before) != keys(after)


def test_names_are_valid_for_doit_and_docker(tmp_path: Path) -> None:
    """Whatever the model is called; names of benchmarks and environments that Docker refuses are encoded."""
    root = benchmark(tmp_path / "b", ("t",))
    for name in ("a=b", "openai/gpt-4o", "*", "x" * 200, "ü"):
        model = Model(name, name)
        made = graph(root, models=(model,), identities={(name, "b"): {}})
        for node in (*made.jobs, *made.aggregates):
            assert not set(node.label.split("@", 1)[1]) & set("=*:/@#")
    assert image_tag("a-b", "c_d", "key") == "benchrouter/a-b-c_d:key"
    odd = {image_tag(bench, "e", "key") for bench in ("A", "a", "a..b", "_x", "A_")}
    assert len(odd) == 5 and all(tag == tag.lower() for tag in odd)


def test_a_model_of_the_ask_is_the_jobs(tmp_path: Path) -> None:
    """Two models double the jobs and the aggregates, the images stay."""
    root = benchmark(tmp_path / "b", ("t",))
    other = Model("n", "n")
    made = graph(root, models=(MODEL, other), identities={("m", "b"): {}, ("n", "b"): {"name": "n"}})
    assert [job.label for job in made.jobs] == ["b/t@m", "b/t@n"] and len(made.images) == 1
    assert len(set(keys(made).values())) == 2


def test_the_identity_of_a_data_volume_moves_exactly_the_jobs_that_use_it(tmp_path: Path) -> None:
    """An unbound one has a key too, of its own; where a volume lies is no part of any."""
    root = benchmark(tmp_path / "b")
    without = keys(graph(root))
    write(root, {"t/task.yaml": "name: t\ncommand: sh run.sh\ndata: [{name: hub, path: /data}]\n"})
    asked = [keys(graph(root, data=data)) for data in ({}, {"hub": "1"}, {"hub": "2"}, {"hub": "1", "other": "x"})]
    assert len({without["b/t@m"], *(each["b/t@m"] for each in asked)}) == 4
    assert asked[1] == asked[3]
    assert {each["b/u@m"] for each in asked} == {without["b/u@m"]}
