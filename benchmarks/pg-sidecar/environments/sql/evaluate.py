"""Have the model answer questions in SQL, run what it wrote on the real server, compare the result sets.

    evaluate.py questions.jsonl        one {"id", "question", "sql"} a line; rows are compared in order
                                       where the reference query ends in ORDER BY, else as a bag

The server is where PGHOST and PGPORT say. Both queries run as a role that may only read.
"""

import json
import re
import sys
from pathlib import Path

import psycopg

from benchrouter.sdk import EndpointError, chat, select, write_result

MOST_ROWS = 10_000
TELL = """You answer questions about a PostgreSQL 17 database with one SQL query. Give the query alone, in a code block.
The result must have the columns that the question asks for, in that order, and nothing else.

authors(id int, name text, country text, born int)
books(id int, title text, author_id int, year int, pages int, topics vector(4))
members(id int, name text, city text, joined date)
loans(id int, book_id int, member_id int, lent date, returned date)

books.topics (pgvector) says how much a book is about the sea, space, crime and love, in that order.
loans.returned is null while the book is out."""


def main(path):
    questions = [json.loads(line) for line in Path(path).read_text().splitlines()]
    items = []
    for question in select(questions, id=lambda question: question["id"]):
        answer = chat([{"role": "system", "content": TELL}, {"role": "user", "content": question["question"]}])
        items.append({"id": question["id"], **judge(question["sql"], sql_of(answer))})
        print("{id}: {score} {note}".format(**items[-1]), flush=True)
    if not any(item["sql"] for item in items):
        raise EndpointError(f"nothing is said in any of {len(items)} answers")
    write_result(sum(item["score"] for item in items) / len(items), items=items)


def sql_of(answer):
    answer = re.sub(r"<think>.*?</think>", "", answer, flags=re.DOTALL)
    block = re.search(r"```[^\n]*\n(.*?)(?:```|\Z)", answer, flags=re.DOTALL)
    return (block.group(1) if block else answer).strip()


def judge(reference, query):
    wanted, _ = rows(reference)
    found, note = rows(query)
    ordered = re.search(r"ORDER BY [^()]*$", reference) is not None
    right = found is not None and (found == wanted if ordered else sorted(found) == sorted(wanted))
    if found is not None and not right:
        note = "other rows than expected"
    return {"score": int(right), "note": note, "sql": query}


def rows(query):
    """Give a query's rows as tuples of text, or None and why it was refused; a lost server is no wrong answer."""
    with psycopg.connect(dbname="library", user="reader", autocommit=True, connect_timeout=30) as server:
        server.execute("SET statement_timeout = '10s'")
        try:
            cursor = server.execute(query, prepare=True)  # a prepared statement is a single one
            return [tuple(map(plain, row)) for row in cursor.fetchmany(MOST_ROWS)], ""
        except psycopg.Error as error:
            if server.closed:
                raise
            return None, str(error).partition("\n")[0]


def plain(value):
    """Write a value so that 3, 3.0 and 3.0000000001 are the same."""
    if value is None or isinstance(value, (bool, str)):
        return repr(value)
    try:
        return format(float(value), ".6g")
    except (TypeError, ValueError):
        return str(value)


if __name__ == "__main__":
    main(sys.argv[1])
