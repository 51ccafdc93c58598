"""How knowledge reads its sets and what models answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from code_of import code_of
from demo_scores import BENCHMARKS, answer_lines

HERE = BENCHMARKS / "knowledge"
choices, sets = code_of("knowledge", "choices"), code_of("knowledge", "sets")
FOUR = {"A": "glycolysis.", "B": "phosphocreatine breakdown.", "C": "the Krebs cycle", "D": "glycogenolysis."}
TWO = {"A": "yes", "B": "no"}
DIGEST = "89a0402a23d5873b0c2f427e851fca7ac420f8d08731e61be52e6cbf1a18a281"

NAME_B = [
    "B", "b", "(B)", "B.", "**B**", "`B`", '{"answer": "B"}',
    "B. phosphocreatine breakdown.", "B) phosphocreatine", "phosphocreatine breakdown",
    "The answer is (B)", "The answer is B.", "Answer: B", "**Answer:** B", "Answer:\n\nB. phosphocreatine", "answer: b",
    "Answer：B", "Final answer B", r"Final Answer: \boxed{B}", r"\boxed{\text{B}}", "My answer would be B",
    "The correct answer is **B. phosphocreatine breakdown**", "The answer is phosphocreatine breakdown.",
    "The correct option is B", "The best choice is: B", "B is correct.", "(B) is the right one", "Option B",
    "I choose option (B) here", "A is wrong: glycolysis is slow.\nC is slow.\nSo the answer is B.",
    "The answer is A. Wait, no.\nAnswer: B", "A. slow\nB. fast\nC. slow\nD. slow\n\nB",
    "Answer: B. A good reason is its speed", "Answer: B (A is slow)", "Answer B is correct. Answer C is wrong.",
]  # fmt: skip
NAME_NONE = [
    "", "I do not know.", "The answer is not A.", "A good question. I cannot say.", "Answer: X", "Answer: E",
    "A B C D", "A, B, C, D", "ABCD", "A\nB\nC\nD", "(A) (B) (C) (D)", "A. one\nB. two\nC. three\nD. four",
    "Answer: A, B, C, D", "Answer: A or B", "Answer: A/B", "The answer is (B) and (C).", "Option A or option B",
    "The answer is A and B are both correct", "Answer: B; C",
    "The answer is A. The answer is B. The answer is C. The answer is D.",
]  # fmt: skip


@pytest.mark.parametrize("said", NAME_B)
def test_an_answer_that_names_one_option(said: str) -> None:
    assert choices.letter_of(said, FOUR) == "B"


@pytest.mark.parametrize("said", NAME_NONE)
def test_an_answer_that_names_none_or_several_gets_no_credit(said: str) -> None:
    assert choices.letter_of(said, FOUR) is None


@pytest.mark.parametrize(
    ("said", "letter"),
    [
        *(("Yes", "A"), ("No.", "B"), ("Yes, it is.", "A"), ("The answer is no", "B"), ("A. yes", "A")),
        *(("Yes or no", None), ("Answer: A\nAnswer: B", None), ("Answer: C", None), ("A or B", None)),
    ],
)
def test_yes_and_no_are_options_too(said: str, letter: str | None) -> None:
    assert choices.letter_of(said, TWO) == letter


def test_words_that_two_options_share_name_none() -> None:
    assert choices.letter_of("0.015 joule", {"A": "0.015 joule.", "B": "0.15 joule.", "C": "0.015 joule."}) is None


def row(options: str, answer: str, question: str = "What?") -> dict[str, Any]:
    return {"question": question, "options": options, "answer": answer}


@pytest.mark.parametrize(
    ("given", "options", "gold"),
    [
        (row("A. one\nB. two", "B. two"), {"A": "one", "B": "two"}, "B"),
        (row("\nA. one \nB. two", "A. one"), {"A": "one", "B": "two"}, "A"),
        (row('A. one\nB. two\n"', "B. two"), {"A": "one", "B": "two"}, "B"),  # MedQA
        (row("A. one\nB. two?", "B. two"), {"A": "one", "B": "two?"}, "B"),  # CommonsenseQA
        (row("\nB. two", "A. one", "What?\nA. one"), {"A": "one", "B": "two"}, "A"),  # CommonsenseQA
        (row("A. x\n y\nB. two", "A. x\n y"), {"A": "x\n y", "B": "two"}, "A"),  # MMLU
    ],
)
def test_rows_as_they_really_stand_in_the_files(given: dict[str, Any], options: dict[str, str], gold: str) -> None:
    question = sets._lettered("q", given)
    assert (question.options, question.gold) == (options, gold)
    assert question.text.endswith(sets.ASK)
    assert '\n"' not in question.text


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sets, "SIZES", {"mmlu": 3, "boolq": 2})


def write(place: Path, rows: Sequence[Any]) -> str:
    place.write_text("".join(json.dumps(each) + "\n" for each in rows))
    return str(place)


@pytest.mark.usefixtures("small")
def test_a_question_that_stands_there_twice_is_asked_once(tmp_path: Path) -> None:
    rows = [row("A. 1\nB. 2", "A. 1"), row("A. 1\nB. 3", "A. 1"), row("A. 1\nB. 2", "A. 1")]
    assert [each.id for each in sets.read("mmlu", write(tmp_path / "f", rows))] == ["mmlu-0000", "mmlu-0001"]


@pytest.mark.usefixtures("small")
def test_yes_and_no_of_boolq(tmp_path: Path) -> None:
    rows = [{"question": "is it", "passage": "It is.", "answer": answer} for answer in ("True", "False")]
    rows[1]["question"] = "is it not"
    assert [each.gold for each in sets.read("boolq", write(tmp_path / "f", rows))] == ["A", "B"]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([row("A. 1\nB. 2", "A. 1")], "1 questions, expected the 3 of mmlu"),
        ([row("A. 1\nB. 2", "C. 3")] * 3, "mmlu-0000 has no right option among its options"),
        ([{"question": "x"}] * 3, "not the questions of mmlu"),
        ([["x"]] * 3, "not the questions of mmlu"),
        ([row("A. 1", None)] * 3, "not the questions of mmlu"),  # type: ignore[arg-type]
    ],
)
def test_what_is_not_the_set_is_refused(rows: list[Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(sets.DataError, match=said):
        sets.read("mmlu", write(tmp_path / "f", rows))
    with pytest.raises(sets.DataError, match="cannot be read"):
        sets.read("mmlu", str(tmp_path / "missing"))


def test_truthfulqa_is_the_file_of_bigbench_and_its_true_answers_are_everywhere() -> None:
    path = HERE / "truthfulqa" / "task_mc.json"
    assert hashlib.sha256(path.read_bytes()).hexdigest() == DIGEST
    questions = sets.read("truthfulqa", str(path))
    golds = [each.gold for each in questions]
    assert len(golds) == 299
    assert all(golds.count(letter) > 20 for letter in "ABCDE")
    truth = {each["input"].strip(): each["target_scores"] for each in json.loads(path.read_text())["examples"]}
    for each in questions:
        asked = each.text.partition("\n\n")[0]
        assert truth[asked][each.options[each.gold]] == 1
        assert sum(truth[asked].values()) == 1


def test_the_answer_file_names_one_option_right_and_another_wrong_in_the_order_of_the_selection() -> None:
    lines = answer_lines("knowledge")
    for task, size in sets.SIZES.items():
        items = [line["item"] for line in lines if line["task"] == task]
        assert items == sorted(items, key=lambda item: hashlib.sha256(f"0:{item}".encode()).hexdigest())
        assert len(items) == size - (8 if task == "mmlu" else 0)
    for line in lines:
        options = dict.fromkeys(letter for letter in "ABCDE" if f"\n{letter}. " in line["question"])
        right, wrong = (choices.letter_of(line[name], options) for name in ("answer", "wrong"))
        assert None not in (right, wrong)
        assert right != wrong


def test_the_bridge_is_short_and_shared_by_links() -> None:
    assert len((HERE / "code" / "bridge.py").read_text().splitlines()) < 80
    for task in sets.SIZES:
        for name in ("bridge", "choices", "sets"):
            assert (HERE / task / f"{name}.py").readlink() == Path(f"../code/{name}.py")
