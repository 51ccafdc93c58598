"""The examples in docs/demo-model.md are answer files, and are answered as the page says."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path

from demo_scores import BENCHMARKS, ROOT, items_of

from benchrouter.models.answer_lines import FIELDS, digest_of_tools
from benchrouter.models.answers import UNKNOWN, Answers, expected_wrong, is_wrong, load_answers

PAGE = (ROOT / "docs" / "demo-model.md").read_text()
BLOCKS = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)


def answers(tmp_path: Path, block: str) -> Answers:
    (tmp_path / "answers.jsonl").write_text(block)
    return load_answers({"desk": tmp_path})


def test_the_page_names_every_field_and_the_answer_to_the_unknown() -> None:
    named = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    assert (len(named), set(named)) == (len(FIELDS), set(FIELDS))
    assert f'"{UNKNOWN}"' in PAGE


def test_the_plain_lines(tmp_path: Path) -> None:
    said = answers(tmp_path, BLOCKS[0])
    asked = [json.loads(line)["question"] for line in BLOCKS[0].splitlines()]
    assert [said.reply(question).content for question in asked] == ["brown", "orange"]


def test_the_conversation(tmp_path: Path) -> None:
    said = answers(tmp_path, BLOCKS[1])
    turns = [said.reply("Cancel my flight, please.", turn=turn) for turn in range(4)]
    assert [message.content for message in turns] == ["One moment.", None, "It is cancelled.", UNKNOWN]
    assert [message.calls[0][0] for message in turns[:2]] == ["find", "cancel"]


def test_the_simulated_users(tmp_path: Path) -> None:
    said = answers(tmp_path, BLOCKS[2])
    told = ("Be kind. You want to cancel F7.", "You want to go to Rome.", "")
    expected = ["Nothing.", "A flight to Rome.", "Who is asking?"]
    assert [said.reply("How can I help?", system=system).content for system in told] == expected


def test_the_tool_that_shows_who_it_is(tmp_path: Path) -> None:
    said = answers(tmp_path, BLOCKS[3])
    assert [call[0] for call in said.reply("No signal.").calls] == ["status"]
    given = ("battery: 80 %, SIM: missing", "airplane mode: on", "all is well")
    assert [said.reply("No signal.", seen=seen, turn=1).content for seen in given] == ["Wait.", "Turn it off.", UNKNOWN]


def test_the_tools_on_offer(tmp_path: Path) -> None:
    said = answers(tmp_path, BLOCKS[4])
    offer = [{"type": "function", "function": {"name": "seat"}}]
    assert said.reply("Seat 12A, please.", tools=digest_of_tools(offer)).content == UNKNOWN  # an item that is wrong
    assert said.reply("Seat 12A, please.", tools=digest_of_tools([])).content == "I cannot do that."


def test_a_part_with_another_seed_is_not_the_documented_fifth() -> None:
    """The pages say for which seed scores are known; with it, the order of the file is that of the selection."""
    for page in (PAGE, (BENCHMARKS / "README.md").read_text()):
        assert "BENCH_SEED=1`" in page
    wrong = {}
    for seed in (0, 1):
        items = items_of("humaneval")["problems-000-040"]
        order = sorted(items, key=lambda item: sha256(f"{seed}:{item}".encode()).hexdigest())
        wrong[seed] = sum(is_wrong(items.index(item) + 1) for item in order[:10])
    assert wrong[0] == expected_wrong(10)
    assert wrong[1] != expected_wrong(10)
