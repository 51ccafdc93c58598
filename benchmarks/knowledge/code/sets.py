"""Read a question set as its package ships it into one form; refuse what is not that set."""

import hashlib
import json
import re
from collections import namedtuple

SIZES = {"mmlu": 2850, "openbookqa": 500, "truthfulqa": 299, "boolq": 3270, "medqa": 1273, "commonsenseqa": 1221}
"""Questions in each file."""

ASK = 'Which option is right? End with a line that says "Answer: X", where X is its letter.'

Question = namedtuple("Question", "id text options gold")
"""A question: what the model is asked, the options (letter → text), the right letter."""


class DataError(Exception):
    """A file that is missing, or is not the question set that it should be."""


def read(name, path):
    """Read the questions of a set; one that stands there twice counts once. Raise DataError."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        lines = [text] if name == "truthfulqa" else text.strip().split("\n")
        rows = [row for line in lines for row in _rows(json.loads(line))]
        questions = [_FORMS.get(name, _lettered)(f"{name}-{number:04}", row) for number, row in enumerate(rows)]
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{path}: not the questions of {name} ({error!r})") from None
    if len(questions) != SIZES[name]:
        raise DataError(f"{path}: {len(questions)} questions, expected the {SIZES[name]} of {name}")
    odd = next((each.id for each in questions if each.gold not in each.options), None)
    if odd:
        raise DataError(f"{path}: {odd} has no right option among its options")
    once = {}
    for each in questions:
        once.setdefault(each.text, each)
    return list(once.values())


def _rows(document):
    return document.get("examples", [document])


def _lettered(key, row):
    text = "{}\n\n{}".format(row["question"].strip(), row["options"].strip().removesuffix('\n"'))
    options = {k: v.strip() for k, v in re.findall(r"(?ms)^([A-E])\. (.*?)(?=\n[A-E]\. |\Z)", text)}
    right = row["answer"].rstrip(" ?")  # in some rows the question's mark stands behind the last option
    gold = next((k for k, v in options.items() if right == f"{k}. {v}".rstrip(" ?")), None)
    return _question(key, text, options, gold)


def _yes_or_no(key, row):
    options = {"A": "yes", "B": "no"}
    text = "{}\n\n{}?\n\nA. yes\nB. no".format(row["passage"].strip(), row["question"].strip())
    return _question(key, text, options, {"True": "A", "False": "B"}.get(row["answer"]))


def _one_true(key, row):
    """The file has the true answer first: order the options by their digests instead."""
    scores = row["target_scores"]
    order = sorted(scores, key=lambda words: hashlib.sha256(f"{row['input']}\n{words}".encode()).hexdigest())
    options = dict(zip("ABCDE", order, strict=False))
    text = "{}\n\n{}".format(row["input"].strip(), "\n".join(f"{key}. {words}" for key, words in options.items()))
    return _question(key, text, options, next(key for key, words in options.items() if scores[words] == 1))


def _question(key, text, options, gold):
    return Question(key, f"{text}\n\n{ASK}", options, gold)


_FORMS = {"boolq": _yes_or_no, "truthfulqa": _one_true}
