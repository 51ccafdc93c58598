"""Ask a model the questions of one set: `python bridge.py <set> <its file>`; choices.py reads what it answers."""

import sys

from choices import letter_of
from sets import DataError, read

from benchrouter.sdk import complete, each, select, text_of, tokens_of, write_items


def judge(question):
    """Ask one question; it is right when the answer names the right option, and no other."""
    answer = complete(question.text, defaults={"temperature": 0})
    said = text_of(answer)
    named = letter_of(said, question.options)
    unread = {} if named else {"said": said[-200:], "empty": not said}
    return {"score": int(named == question.gold), "answer": named, **unread, **tokens_of(answer)}


def main(name, path):
    """Write the share of right answers as `overall`, and each question as an item."""
    try:
        questions = select(read(name, path), id=lambda question: question.id)
    except DataError as error:
        sys.exit(f"knowledge: {error}")
    items = each(questions, judge, id=lambda question: question.id)
    write_items(items, unread=sum("said" in item for item in items))


if __name__ == "__main__":
    main(*sys.argv[1:])
