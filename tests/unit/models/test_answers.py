from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchrouter.models.answers import UNKNOWN, demo_identity, expected_wrong, is_wrong, load_answers
from benchrouter.models.model import ModelError


def line(task: str = "t", item: str = "1", question: str = "Q", answer: str = "A", **more: object) -> str:
    return json.dumps({"task": task, "item": item, "question": question, "answer": answer, **more})


def write(root: Path, *lines: str) -> Path:
    root.mkdir(exist_ok=True)
    (root / "answers.jsonl").write_text("".join(text + "\n" for text in lines))
    return root


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
    assert [answers.reply(f"q{i}") for i in range(1, 5)] == [UNKNOWN, UNKNOWN, "A", "A"]


def test_the_given_wrong_answer_is_said(tmp_path: Path) -> None:
    assert load_answers({"x": write(tmp_path, line(wrong="W"))}).reply("Q") == "W"


def test_white_space_does_not_matter_and_unknown_questions_have_a_fixed_answer(tmp_path: Path) -> None:
    answers = load_answers({"x": write(tmp_path, line(), line(item="2", question="How  many\n\tare it? "))})
    assert answers.reply("  How many are it?") == "A"
    assert answers.reply("how many are it?") == UNKNOWN
    assert answers.reply("") == UNKNOWN


def test_a_benchmark_is_answered_from_its_own_file_only(tmp_path: Path) -> None:
    roots = {
        "one": write(tmp_path / "one", line(), line(item="2", question="Q2", answer="one")),
        "two": write(tmp_path / "two", line(), line(item="2", question="Q2", answer="two")),
        "none": tmp_path,
    }
    answers = load_answers(roots)
    assert answers.reply("Q2", "two") == "two"
    assert answers.reply("Q2") == "one"
    assert answers.reply("Q2", "none") == answers.reply("Q2", "missing") == UNKNOWN


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not a JSON object"),
        ("[" * 100_000, "not a JSON object"),
        ("[]", "found list"),
        (line(item=3), "`item` must be a text"),  # type: ignore[arg-type]
        (line(wrong=1), "`wrong` must be a text"),
        (line(anwser="x"), "unknown field `anwser`"),
        (line(answer=UNKNOWN), "are the same"),
        ('{"task": "t"}', "`item` must be a text"),
        ("\xff", "not a JSON object"),
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


def test_a_directory_in_place_of_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "answers.jsonl").mkdir()
    with pytest.raises(ModelError, match="cannot be read"):
        load_answers({"x": tmp_path})


def test_identity_is_content_and_nothing_else(tmp_path: Path) -> None:
    one, two = write(tmp_path / "one", line()), write(tmp_path / "two", line())
    assert demo_identity([one]) == demo_identity([two])
    before = demo_identity([one])
    write(two, line(answer="B"))
    assert demo_identity([one]) == before != demo_identity([two])
    assert demo_identity([tmp_path])["answers"] == "none"


def test_a_broken_file_shows_when_the_identity_is_taken_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"answers\.jsonl:2: not a JSON object"):
        demo_identity([write(tmp_path, line(), "{")])
