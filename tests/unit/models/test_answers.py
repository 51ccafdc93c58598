from __future__ import annotations

import gzip
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from benchrouter.keys.cache import StatCache
from benchrouter.models.answer_lines import digest_of_tools
from benchrouter.models.answers import (
    UNKNOWN,
    Message,
    demo_identity,
    expected_wrong,
    is_wrong,
    load_answers,
)
from benchrouter.models.model import ModelError


def line(task: str = "t", item: str = "1", question: str = "Q", answer: object = "A", **more: object) -> str:
    return json.dumps({"task": task, "item": item, "question": question, "answer": answer, **more})


def write(root: Path, *lines: str) -> Path:
    root.mkdir(exist_ok=True)
    (root / "answers.jsonl").write_text("".join(text + "\n" for text in lines))
    return root


def second(**more: Any) -> tuple[str, str]:
    """A first item, which is wrong, and a second one, which is not."""
    return line("t", "first", "never asked", "A"), line("t", "second", **more)


def identity(root: Path) -> dict[str, Any]:
    return demo_identity(root, StatCache(root / "cache", root))


def test_of_any_first_n_items_a_fifth_but_at_least_one_is_wrong() -> None:
    for n in range(1, 1000):
        assert sum(is_wrong(position) for position in range(1, n + 1)) == max(1, n // 5) == expected_wrong(n)
    assert expected_wrong(0) == 0


def test_positions_count_per_task(tmp_path: Path) -> None:
    lines = [
        line("a", "1", "q1"),
        line("b", "1", "q2"),
        line("a", "2", "q3"),
        line("b", "2", "q4", wrong="W"),
    ]
    answers = load_answers({"x": write(tmp_path, *lines)})
    assert [answers.reply(f"q{i}").content for i in range(1, 5)] == [UNKNOWN, UNKNOWN, "A", "A"]


def test_lines_of_one_item_share_the_position_of_its_first_line(tmp_path: Path) -> None:
    lines = [
        line("t", "a", "a1", wrong="W"),
        line("t", "b", "b1", wrong="W"),
        line("t", "a", "a2", wrong="W"),
        line("t", "a", "a3", "stays", wrong="stays"),
        line("t", "b", "b2", wrong="W"),
    ]
    answers = load_answers({"x": write(tmp_path, *lines)})
    said = {question: answers.reply(question).content for question in ("a1", "a2", "a3", "b1", "b2")}
    assert said == {"a1": "W", "a2": "W", "a3": "stays", "b1": "A", "b2": "A"}


def test_the_given_wrong_answer_is_said(tmp_path: Path) -> None:
    assert load_answers({"x": write(tmp_path, line(wrong="W"))}).reply("Q") == Message("W")


def test_white_space_does_not_matter_and_unknown_questions_have_a_fixed_answer(tmp_path: Path) -> None:
    answers = load_answers({"x": write(tmp_path, line(), line(item="2", question="How  many\n\tare it? "))})
    assert answers.reply("  How many are it?").content == "A"
    assert answers.reply("how many are it?").content == UNKNOWN
    assert answers.reply("").content == UNKNOWN


def test_a_benchmark_is_answered_from_its_own_file_only(tmp_path: Path) -> None:
    roots = {
        "one": write(tmp_path / "one", line(), line(item="2", question="Q2", answer="one")),
        "two": write(tmp_path / "two", line(), line(item="2", question="Q2", answer="two")),
        "none": tmp_path,
    }
    answers = load_answers(roots)
    assert answers.reply("Q2", "two").content == "two"
    assert answers.reply("Q2").content == "one"
    assert answers.reply("Q2", "none").content == answers.reply("Q2", "missing").content == UNKNOWN


def test_a_list_is_said_turn_by_turn_and_a_text_at_every_turn(tmp_path: Path) -> None:
    call = {"tool_calls": [{"name": "look", "arguments": {"where": "é", "n": [1, None]}}]}
    both = {"content": "Then:", "tool_calls": [{"name": "a", "arguments": {}}, {"name": "b", "arguments": {}}]}
    lines = (*second(question="Q", answer=[call, both, "Done."]), line(item="3", question="T"))
    answers = load_answers({"x": write(tmp_path, *lines)})
    assert [answers.reply("Q", turn=turn) for turn in range(5)] == [
        Message(None, (("look", '{"where": "é", "n": [1, null]}'),)),
        Message("Then:", (("a", "{}"), ("b", "{}"))),
        Message("Done."),
        Message(UNKNOWN),
        Message(UNKNOWN),
    ]
    assert {answers.reply("T", turn=turn) for turn in range(3)} == {Message("A")}


def test_a_wrong_answer_may_be_a_list_too(tmp_path: Path) -> None:
    wrong = [{"tool_calls": [{"name": "drop", "arguments": {}}]}, "Oh."]
    answers = load_answers({"x": write(tmp_path, line(answer=["A", "B"], wrong=wrong))})
    assert answers.reply("Q") == Message(None, (("drop", "{}"),))
    assert answers.reply("Q", turn=1) == Message("Oh.")


def test_the_system_message_tells_lines_with_the_same_question_apart(tmp_path: Path) -> None:
    lines = [
        line(item="0", question="never"),
        line(item="1", answer="any"),
        line(item="2", answer="short", system="You  want\nthe flight"),
        line(item="3", answer="long", system="You want the flight to Rome"),
        line(item="4", answer="only", question="Q2", system="Z"),
    ]
    answers = load_answers({"x": write(tmp_path, *lines)})
    for system, said in (
        ("", "any"),
        ("Be nice.", "any"),
        ("Be nice.\nYou want  the\nflight today.", "short"),
        ("You want the flight to Rome.", "long"),
    ):
        assert answers.reply("Q", system=system).content == said
    assert answers.reply("Q2", system="A to Z").content == "only"
    assert answers.reply("Q2", system="A to Y").content == UNKNOWN


def test_the_tools_on_offer_tell_lines_with_the_same_question_apart(tmp_path: Path) -> None:
    one, other = ({"function": {"name": name}, "type": "function"} for name in ("one", "other"))
    lines = [
        line(item="0", question="never"),
        line(item="1", answer="any"),
        line(item="2", answer="the one", tools=digest_of_tools([one])),
        line(item="3", answer="both", tools=digest_of_tools([one, other])),
        line(item="4", answer="told", tools=digest_of_tools([one]), system="Rome"),
        line(item="5", answer="only told", system="a long text about Rome"),
    ]
    answers = load_answers({"x": write(tmp_path, *lines)})
    for tools, system, said in (
        ([], "", "any"),
        ([other], "", "any"),
        ([{"type": "function", "function": {"name": "one"}}], "", "the one"),
        ([one, other], "a long text about Rome", "both"),
        ([one], "a long text about Rome", "told"),
        ([other], "a long text about Rome", "only told"),
    ):
        assert answers.reply("Q", system=system, tools=digest_of_tools(tools)).content == said


def test_what_tools_gave_tells_lines_with_the_same_question_apart(tmp_path: Path) -> None:
    lines = [
        line(item="0", question="never"),
        line(item="1", answer="any"),
        line(item="2", answer="one", seen="SIM:  out"),
        line(item="3", answer="both", seen=["SIM: out", "data: off"]),
        line(item="4", answer="told", system="a long text about Rome"),
        line(item="5", answer="both told", system="Rome", seen=["data: off", "SIM: out"]),
    ]
    answers = load_answers({"x": write(tmp_path, *lines)})
    for seen, system, said in (
        ("", "", "any"),
        ("SIM: in\ndata: off", "", "any"),
        ("SIM:\nout", "", "one"),
        ("data: off\nSIM: out", "", "both"),
        ("", "a long text about Rome", "told"),
        ("SIM: out", "a long text about Rome", "one"),
        ("SIM: out, data: off", "Rome", "both told"),
    ):
        assert answers.reply("Q", system=system, seen=seen).content == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not a JSON object"),
        ("[" * 100_000, "not a JSON object"),
        ("[]", "found list"),
        (line(item=3), "`item` must be a text"),  # type: ignore[arg-type]
        (line(wrong=1), "`wrong` must be a text, or a list of at least one"),
        (line(wrong=[]), "`wrong` must be a text, or a list of at least one"),
        (line(anwser="x"), "unknown field `anwser`"),
        (line(system=" "), "`system` must be a text that is not empty"),
        (line(tools="0123"), "`tools` must be the first 16 hexadecimal digits of a SHA-256"),
        (line(tools=["one"]), "`tools` must be the first 16 hexadecimal digits of a SHA-256"),
        (line(system=None), "`system` must be a text that is not empty"),
        (line(seen=""), "`seen` must be a text that is not empty, or a list"),
        (line(seen=["a", 3]), "`seen` must be a text that is not empty, or a list"),
        (line(item="9", answer=UNKNOWN), "are the same"),
        ('{"task": "t"}', "`item` must be a text"),
        ('{"task": "t", "item": "i", "question": "q"}', "`answer` is missing"),
        ("\xff", "not a JSON object"),
        (line(answer=float("nan")), "not a JSON object"),
        (line(answer=[3]), "`answer[0]` must be a text, or an object with `content` or `tool_calls`"),
        (line(answer=["a", {}]), "`answer[1]` must be"),
        (line(answer=[{"text": "a"}]), "`answer[0]` must be"),
        (line(answer=[{"content": 1}]), "`answer[0].content` must be a text"),
        (line(answer=[{"tool_calls": []}]), "`answer[0]` needs"),
        (line(answer=[{"tool_calls": {}}]), "`answer[0]` needs"),
        (line(answer=[{"content": None}]), "`answer[0]` needs"),
        (line(answer=[{"tool_calls": ["f"]}]), "`answer[0].tool_calls[0]` must be an object with"),
        (line(answer=[{"tool_calls": [{"name": "f"}]}]), "`answer[0].tool_calls[0]` must be an object with"),
        (line(answer=[{"tool_calls": [{"name": "", "arguments": {}}]}]), "tool_calls[0].name` must"),
        (line(answer=[{"tool_calls": [{"name": "f", "arguments": "{}"}]}]), "tool_calls[0].arguments` must"),
    ],
)
def test_a_bad_line_is_named_with_its_number(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "answers.jsonl").write_bytes((line(question="first") + "\n\n" + text).encode("latin-1"))
    with pytest.raises(ModelError) as caught:
        load_answers({"x": tmp_path})
    assert "answers.jsonl:3: " in str(caught.value)
    assert said in str(caught.value)


def test_a_question_that_occurs_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"answers\.jsonl:2: .* there already"):
        load_answers({"x": write(tmp_path, line(), line(item="2", question=" Q "))})
    with pytest.raises(ModelError, match=r"answers\.jsonl:2: .* there already"):
        load_answers({"x": write(tmp_path, line(system="a b"), line(item="2", system=" a  b"))})
    with pytest.raises(ModelError, match=r"answers\.jsonl:2: .* there already"):
        load_answers({"x": write(tmp_path, line(seen=["a b", "c"]), line(item="2", seen=["c", "a  b"]))})


def test_an_item_that_cannot_be_wrong_is_refused_at_its_first_line(tmp_path: Path) -> None:
    lines = (line("t", "a", "1", "x", wrong="y"), line("t", "b", "2", ["x"], wrong=["x"]), line("t", "b", "3", UNKNOWN))
    with pytest.raises(ModelError, match=r"answers\.jsonl:2: .* the same on each line of item `b`"):
        load_answers({"x": write(tmp_path, *lines)})


def test_a_directory_or_a_pipe_in_place_of_the_file_is_named(tmp_path: Path) -> None:
    for make in (os.mkdir, os.mkfifo):
        root = tmp_path / make.__name__
        root.mkdir()
        make(root / "answers.jsonl")
        with pytest.raises(ModelError, match=r"cannot be read \(not a regular file\)"):
            load_answers({"x": root})
        with pytest.raises(ModelError, match="cannot be read"):
            identity(root)


def test_a_compressed_file_is_read_and_what_is_no_gzip_is_named(tmp_path: Path) -> None:
    data = gzip.compress("\n".join(second(question="Q")).encode(), mtime=0)
    packed = tmp_path / "answers.jsonl.gz"
    packed.write_bytes(data)
    assert load_answers({"x": tmp_path}).reply("Q").content == "A"
    assert identity(tmp_path)["answers"] != "none"
    for torn in (data[:-9], data[:30], b"{}", data[:20] + b"\xff\xff" + data[22:]):
        packed.write_bytes(torn)
        with pytest.raises(ModelError, match=r"answers\.jsonl\.gz: not what gzip writes"):
            load_answers({"x": tmp_path})
    packed.write_bytes(gzip.compress(b"\n[]"))
    with pytest.raises(ModelError, match=r"answers\.jsonl\.gz:2: found list"):
        load_answers({"x": tmp_path})


def test_both_files_at_once_are_refused(tmp_path: Path) -> None:
    write(tmp_path, line())
    (tmp_path / "answers.jsonl.gz").write_bytes(gzip.compress(line().encode()))
    for read in (identity, lambda root: load_answers({"x": root})):
        with pytest.raises(ModelError, match="are both there; keep one"):
            read(tmp_path)


def test_identity_is_content_and_nothing_else(tmp_path: Path) -> None:
    one, two = write(tmp_path / "one", line()), write(tmp_path / "two", line())
    assert identity(one) == identity(two)
    before = identity(one)
    write(two, line(answer="B"))
    assert identity(one) == before != identity(two)
    assert identity(tmp_path)["answers"] == "none"


def test_the_digest_of_answers_is_remembered_by_their_stats(tmp_path: Path) -> None:
    root = write(tmp_path / "one", line())
    cache = StatCache(tmp_path / "cache", root)
    cache.grain = -(1 << 62)  # whatever was read now may be trusted
    before = demo_identity(root, cache)
    times = (root / "answers.jsonl").stat()
    assert demo_identity(root, cache) == before
    (record,) = cache._records["files"].values()
    record[1] = "remembered"
    assert demo_identity(root, cache)["answers"] == "remembered"
    write(root, line(answer="B"))
    os.utime(root / "answers.jsonl", ns=(times.st_atime_ns, times.st_mtime_ns))
    assert demo_identity(root, cache)["answers"] not in ("remembered", before["answers"])


def test_answers_that_changed_since_the_identity_was_taken_are_not_used(tmp_path: Path) -> None:
    root = write(tmp_path / "one", line())
    digest = identity(root)["answers"]
    assert load_answers({"x": root}, {"x": digest}).books["x"]
    write(root, line(answer="B"))
    with pytest.raises(ModelError, match=r"answers\.jsonl: changed since"):
        load_answers({"x": root}, {"x": digest})
    (root / "answers.jsonl").unlink()
    with pytest.raises(ModelError, match=r"answers\.jsonl: changed since"):
        load_answers({"x": root}, {"x": digest})
    assert load_answers({"x": root}, {"x": "none"}).books == {"x": {}}


def test_ten_thousand_long_lines_are_read_in_half_a_second(tmp_path: Path) -> None:
    call = {"tool_calls": [{"name": "book", "arguments": {"flight": "HAT001", "seat": 3}}]}
    lines = [
        line("t", f"{n}", f"question {n} " + "word " * 150, [call, "x" * 300], system=f"You are number {n}.")
        for n in range(10_000)
    ]
    root = write(tmp_path, *lines)
    best = 9.0
    for _ in range(3):
        began = time.process_time()
        load_answers({"x": root})
        best = min(best, time.process_time() - began)
    assert best < 0.5, f"{best:.2f} s"


def test_a_thousand_lines_may_share_a_question(tmp_path: Path) -> None:
    lines = [line("t", f"{n}", "Hi!", f"answer {n}", system=f"You are number {n}.") for n in range(1000)]
    answers = load_answers({"x": write(tmp_path, *lines)})
    began = time.process_time()
    said = [answers.reply("Hi!", system="policy " * 2000 + f"You are number {n}.").content for n in range(1, 9)]
    assert said == [f"answer {n}" for n in range(1, 9)]
    assert time.process_time() - began < 1.0
