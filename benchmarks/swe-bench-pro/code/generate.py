"""Write the shards of SWE-bench Pro from its data set: generate.py [--limit N] FILE

FILE is the test split of ScaleAI/SWE-bench_Pro as JSON lines, CSV or Parquet (which needs pyarrow). Writes
environments/swe-bench-pro/instances.jsonl, without the gold patches, and `docker_images` into shard-*/task.yaml. With
--limit N each shard keeps the N instances that BENCH_LIMIT=N asks for, and needs no more images than those.
"""

import argparse
import csv
import hashlib
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARDS, REPOSITORY = 8, "jefzda/sweap-images"
HARNESS = ("instance_id", "repo", "base_commit", "before_repo_set_cmd", "selected_test_files_to_run")
TESTS = ("fail_to_pass", "pass_to_pass")
TASK = ("problem_statement", "requirements", "interface", "dockerhub_tag")
COLUMNS = (*HARNESS, *TESTS, *TASK)
MAY_BE_EMPTY = {"before_repo_set_cmd", "requirements", "interface", *TESTS}
MARK = "# What stands below is written by code/generate.py, from the data set.\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, help="instances of each shard")
    parser.add_argument("file", type=Path)
    given = parser.parse_args()
    if given.limit is not None and given.limit < 1:
        parser.error(f"--limit {given.limit}: expected at least 1")
    rows = [checked(row, number) for number, row in enumerate(read(given.file), start=1)]
    if len(rows) < SHARDS:
        sys.exit(f"{given.file}: {len(rows)} instances are too few for {SHARDS} shards")
    twice = [row["instance_id"] for row in rows]
    if len(set(twice)) < len(twice):
        sys.exit(f"{given.file}: {next(name for name in twice if twice.count(name) > 1)} is there twice")
    # Neighbours are of one repository, whose images share most of their layers.
    rows.sort(key=lambda row: (row["repo"].lower(), row["instance_id"]))
    kept = []
    for shard in range(SHARDS):
        part = rows[len(rows) * shard // SHARDS : len(rows) * (shard + 1) // SHARDS]
        part = sorted(part, key=place)[: given.limit] if given.limit else part
        kept += [{"shard": shard + 1, **row} for row in part]
        write_images(shard + 1, sorted({row["dockerhub_tag"] for row in part}))
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in kept)
    (ROOT / "environments" / "swe-bench-pro" / "instances.jsonl").write_text(lines, encoding="utf-8")
    images = {row["dockerhub_tag"] for row in kept}
    print(f"{len(kept)} of {len(rows)} instances in {SHARDS} shards; images: {len(images)}")


def read(path):
    """Read the rows of the data set."""
    try:
        if path.suffix == ".parquet":
            return read_parquet(path)
        with path.open(newline="", encoding="utf-8-sig") as file:
            if path.suffix == ".csv":
                csv.field_size_limit(1 << 30)
                return list(csv.DictReader(file))
            return [json.loads(line) for line in file if line.strip()]
    except (OSError, ValueError) as error:
        sys.exit(f"{path}: cannot be read as {path.suffix or 'JSON lines'}: {error}")


def read_parquet(path):
    try:
        from pyarrow import parquet
    except ImportError:
        sys.exit("a Parquet file needs pyarrow: `pip install pyarrow`, or save the data set as JSON lines")
    return parquet.read_table(path).to_pylist()


def checked(row, number):
    """Keep the columns that are needed, and say where one is missing; lists become the text that the CSV has."""
    missing = [name for name in COLUMNS if name not in row or (not row[name] and name not in MAY_BE_EMPTY)]
    if missing:
        sys.exit(f"row {number} ({row.get('instance_id')}): no `{missing[0]}`; the columns are {', '.join(row)}")
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}", row["dockerhub_tag"]):
        sys.exit(f"row {number}: {row['dockerhub_tag']!r} is no tag of an image")
    lists = {name: str(list(row[name])) for name in COLUMNS if isinstance(row[name], (list, tuple))}
    return {**{name: row[name] for name in COLUMNS}, **lists}


def place(row):
    """Give an instance's place in the order in which BENCH_LIMIT takes them."""
    return hashlib.sha256(f"0:{row['instance_id']}".encode()).hexdigest()


def write_images(shard, tags):
    path = ROOT / f"shard-{shard}" / "task.yaml"
    head = path.read_text(encoding="utf-8").partition(MARK)[0]
    images = "".join(f"  - {json.dumps(f'{REPOSITORY}:{tag}')}\n" for tag in tags)
    path.write_text(f"{head}{MARK}docker_images:\n{images}", encoding="utf-8")


if __name__ == "__main__":
    main()
