"""The picture of a graph: each edge once, names quoted, collapsed by default."""

from __future__ import annotations

from pathlib import Path

from benchrouter.graph.picture import dot, edges, mermaid

from .small import benchmark, graph


def test_collapsed_and_full(tmp_path: Path) -> None:
    """One node for the jobs of a benchmark and model, or each."""
    made = graph(benchmark(tmp_path / "b"), repeat=2)
    assert edges(made, collapsed=True) == [
        ("base:debian", "image:b/b"),
        ("image:b/b", "4 jobs: b@m"),
        ("4 jobs: b@m", "aggregate:b@m"),
        ("aggregate:b@m", "aggregate"),
    ]
    full = edges(made, collapsed=False)
    assert ("config:b/t@m#1", "job:b/t@m#1") in full and ("job:b/u@m", "aggregate:b@m") in full
    assert len(full) == len(set(full)) == 1 + 3 * 4 + 1


def test_texts() -> None:
    """Quotes, backslashes and hashes are text in both languages."""
    pairs = [('a "q"', "b\\c#1"), ("b\\c#1", "d")]
    assert dot(pairs) == (
        'digraph benchrouter {\n    rankdir=LR;\n    node [shape=box];\n    n0 [label="a \\"q\\""];\n'
        '    n1 [label="b\\\\c#1"];\n    n2 [label="d"];\n    n0 -> n1;\n    n1 -> n2;\n}\n'
    )
    assert mermaid(pairs) == (
        'flowchart LR\n    n0["a #quot;q#quot;"]\n    n1["b\\c#35;1"]\n    n2["d"]\n    n0 --> n1\n    n1 --> n2\n'
    )
