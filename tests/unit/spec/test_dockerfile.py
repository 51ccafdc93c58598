"""Dockerfiles: what they build on, and that a rewritten one differs only where it must."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchrouter.spec.dockerfile import (
    DockerfileError,
    decode,
    encode,
    line_of,
    parse,
    rewrite,
    sibling,
    siblings,
)


def refs(text: str, **build_args: str) -> tuple[str, ...]:
    return parse(text, build_args).external_refs


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("FROM debian:12\n", ("debian:12",)),
        ("from debian:12", ("debian:12",)),
        ("\ufeffFROM a\n", ("a",)),
        ("FROM a\r\nRUN x\r\n", ("a",)),
        ("  FROM   a   AS   b  \n", ("a",)),
        ("FROM --platform=linux/amd64 a\n", ("a",)),
        ("FROM \\\n # c\n\n  a\\\nb \\\n AS c\n", ("ab",)),
        ("# escape=`\nFROM `\n a\n", ("a",)),
        ('FROM "a:1"\n', ("a:1",)),
        ("ARG V=1\nFROM a:$V\n", ("a:1",)),
        ("ARG V=1 W=${V}2\nFROM a:${W}\n", ("a:12",)),
        ("ARG V\nFROM a:${V:-9}\n", ("a:9",)),
        ("ARG V=1\nFROM a${V:+:slim}\n", ("a:slim",)),
        ("ARG V=\nFROM a:x${V-9}${V:-8}\n", ("a:x8",)),
        ("ARG V='1'\nARG B=a\nFROM ${B}:${V}\n", ("a:1",)),
        ("FROM a AS one\nFROM one\nFROM ONE AS two\n", ("a",)),
        ("FROM scratch\nCOPY --from=b:2 /x /y\n", ("b:2",)),
        (
            "FROM a AS s\nFROM b\nCOPY --from=s /x /\nCOPY --from=0 /x /\nCOPY --from=c /x /\n",
            ("a", "b", "c"),
        ),
        ("FROM a\nRUN --mount=type=bind,from=b,target=/x y\n", ("a", "b")),
        ('FROM a\nRUN --mount="type=bind,from=b:1" --mount=from=c y\n', ("a", "b:1", "c")),
        ("FROM a\nRUN echo --mount=from=b\nRUN echo \\\nFROM c\n", ("a",)),
        ("FROM a\nARG T=1\nCOPY --from=b:$T / /\n", ("a", "b:1")),
        ("ARG T=1\nFROM a\nARG T\nENV U=2\nCOPY --from=b:$T$U / /\n", ("a", "b:12")),
        (
            "FROM a\nRUN <<EOF\nFROM b\nEOF\nRUN cat <<'E' <<-\"F\"\nCOPY --from=c / /\nE\n\tFROM d\n\tF\n",
            ("a",),
        ),
        ('FROM a\nRUN ["sh", "-c", "cat <<EOF"]\nRUN echo "x <<EOF y"\n', ("a",)),
        ("FROM a\nRUN cat <<<EOF\n", ("a",)),
        ("#FROM z\nFROM a\n# FROM y\n", ("a",)),
        ("FROM reg:5000/a/b@sha256:" + "0" * 64 + "\n", ("reg:5000/a/b@sha256:" + "0" * 64,)),
    ],
)
def test_references_from_outside(text: str, expected: tuple[str, ...]) -> None:
    assert refs(text) == expected


def test_build_args_replace_defaults_of_declared_arguments_only() -> None:
    assert refs("ARG V=1\nFROM a:$V\n", V="2") == ("a:2",)
    assert refs("FROM a:x$V\n", V="2") == ("a:x",)


def test_stages() -> None:
    found = parse(
        "ARG P=linux/arm64\nFROM --platform=$P a AS Build\nFROM --platform=$BUILDPLATFORM build\n"
    ).stages
    assert [(s.line, s.base_as_written, s.base_resolved, s.alias, s.platform) for s in found] == [
        (2, "a", "a", "build", "linux/arm64"),
        (3, "build", "build", None, None),
    ]


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("", 1, "no FROM"),
        ("RUN x\n", 1, "before the first FROM"),
        ("ARG X\n\nFROM $X\n", 3, "X has no value"),
        ("FROM ${X:?give-it}\n", 1, "must be set: give-it"),
        ("FROM a b\n", 1, "expected `FROM image`"),
        ("FROM a\nRUN <<EOF\nx\n", 3, "has no end"),
        ("FROM ${X\n", 1, "closing brace"),
        ("# escape=x\nFROM a\n", 1, "escape"),
        ("ARG X=1\nFROM a:${X##*.}\n", 2, "not supported"),
    ],
)
def test_faults_have_their_line(text: str, line: int, part: str) -> None:
    with pytest.raises(DockerfileError, match=part) as caught:
        parse(text)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("text", "feature"),
    [
        ("FROM a\nRUN --mount=type=cache,target=/x y\n", "`RUN --mount` on line 2"),
        ("FROM a\nRUN <<EOF\nx\nEOF\n", "heredoc `<<EOF` on line 2"),
        ("# syntax=docker/dockerfile:1\nFROM a\n", "docker/dockerfile:1` on line 1"),
        ("FROM a\nCOPY --chmod=755 x y\n", "`COPY --chmod` on line 2"),
        ("FROM a\nARG TARGETARCH\n", "TARGETARCH` on line 2"),
        ("FROM --platform=$BUILDPLATFORM a\n", "BUILDPLATFORM` on line 1"),
        ("FROM a\nADD https://github.com/x/y.git /y\n", "git repository"),
    ],
)
def test_what_only_buildkit_builds_is_named_with_its_line(text: str, feature: str) -> None:
    assert feature in (parse(text).needs_buildkit or "")


@pytest.mark.parametrize("text", ["FROM a\nCOPY --chown=1 --from=b x y\nRUN x\n", "\n# syntax=x\nFROM a\n"])
def test_what_every_builder_builds_needs_no_buildkit(text: str) -> None:
    assert parse(text).needs_buildkit is None


def test_siblings() -> None:
    assert sibling("benchrouter-env-base") == (None, "base")
    assert sibling("benchrouter-env-mcp.base:latest") == ("mcp", "base")
    assert siblings("benchrouter-env-a.b.c") == ((None, "a.b.c"), ("a", "b.c"), ("a.b", "c"))
    for other in (
        "debian",
        "x/benchrouter-env-a",
        "benchrouter-env-",
        "benchrouter-env-a:1",
        "benchrouter-env-a@x",
    ):
        assert sibling(other) is None


def test_rewrite_replaces_labels_and_mounts() -> None:
    text = (
        "# escape=\\\nARG V=1\nFROM --platform=$P a:$V AS x # y\n".replace(" # y", "")
        + "run --mount=from=b,target=/t \\\n  # c\n  make\nCOPY --chown=1 --from=b / /\nFROM benchrouter-env-e"
    )
    mapping = {"a:1": "A", "b": "B@sha256:1", "benchrouter-env-e": "E"}
    assert rewrite(text, {}, mapping, {"k": 'v"$\\'}, ("type=secret,id=s",)) == (
        "# escape=\\\nARG V=1\nFROM --platform=$P A AS x\nLABEL \"k\"=\"v\\\"\\$\\\\\"\n"
        "run --mount=type=secret,id=s --mount=from=B@sha256:1,target=/t \\\n  # c\n  make\n"
        "COPY --chown=1 --from=B@sha256:1 / /\nFROM E\nLABEL \"k\"=\"v\\\"\\$\\\\\"\n"
    )  # fmt: skip


def test_a_reference_broken_over_lines_is_replaced_whole() -> None:
    assert rewrite("FROM de\\\nbian AS x\n", {}, {"debian": "D"}) == "FROM D AS x\n"


def test_a_label_of_two_lines_is_refused() -> None:
    with pytest.raises(ValueError, match="one line"):
        rewrite("FROM a\n", {}, {}, {"k": "a\nb"})


WORDS = st.sampled_from(
    ["a", "b:1", "--x", "'q q'", '"$X"', "\\", "\\ ", "<<", "#", "=", "é", "${X:-y}", "[", '"a", "b"]']
)
LINES = st.one_of(
    st.builds(lambda k, w: f"{k} {' '.join(w)}", st.sampled_from(["RUN", "run", "COPY --from=img", "ENV", "LABEL"]),
              st.lists(WORDS, max_size=5)),
    st.sampled_from(["", "# c", "   ", "\t# FROM x", "FROM img", "FROM img AS s", "FROM \\", "RUN a \\", " && b",
                     "RUN <<E\nFROM img\nE", "FROM im\\\ng", "ARG X=1", "COPY --from=s x y"]),
)  # fmt: skip
TEXTS = st.lists(LINES, max_size=12).flatmap(
    lambda lines: st.sampled_from(["\n", "\r\n"]).map(lambda end: "FROM img" + end + end.join(lines))
)


@given(TEXTS)
def test_rewriting_nothing_changes_nothing(text: str) -> None:
    try:
        assert rewrite(text) == text
    except DockerfileError:
        pass


@given(TEXTS)
def test_rewriting_leaves_everything_else_byte_for_byte(text: str) -> None:
    """What was put in, taken out again, gives the author's file back."""
    try:
        new = rewrite(text, {}, {"img": "img"}, {"our.label": "1"}, ("type=ours",))
    except DockerfileError:
        return
    back = new.replace(" --mount=type=ours", "").replace('LABEL "our.label"="1"\n', "")
    assert back in (text, text + "\n")


@given(st.binary(max_size=200))
def test_bytes_survive_the_way_to_text_and_back(data: bytes) -> None:
    assert encode(decode(data)) == data


@given(st.text(max_size=80))
def test_no_text_crashes_the_parser(text: str) -> None:
    for candidate in (text, "FROM a\n" + text, "ARG X\nFROM " + text):
        try:
            parse(candidate)
        except DockerfileError:
            pass


def test_the_line_of_a_reference_is_found_after_substitution() -> None:
    text = "ARG BASE=a\nFROM ${BASE}:1\n\nCOPY --from=b:2 x /\nFROM a:1\n"
    assert [line_of(text, ref) for ref in ("a:1", "b:2", "c")] == [2, 4, None]
    assert line_of(text, "z:1", {"BASE": "z"}) == 2
    assert line_of("RUN x\n", "a:1") is None
