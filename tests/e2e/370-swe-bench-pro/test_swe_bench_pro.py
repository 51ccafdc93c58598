"""The bridge to SWE-bench Pro's harness, in Docker-in-Docker, with small images under the names of the real ones."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from own_daemons import HARNESS_DOCKERFILE
from project import Project, docker
from scripted import last_user_text, scripted
from upstreams import base, result, run, take

HERE = Path(__file__).parent
REPOSITORY = "jefzda/sweap-images"
DOCKERFILE = f"""\
{HARNESS_DOCKERFILE}RUN mkdir -p /opt/harness/bin && ln -s /usr/bin/python3 /opt/harness/bin/python
COPY SWE-bench_Pro-os /opt/SWE-bench_Pro-os
COPY instances.jsonl /opt/swe-bench-pro/
"""
IMAGE = """FROM {base}
RUN apt-get update && apt-get install -y --no-install-recommends git
COPY repository.sh /
RUN sh /repository.sh && rm /repository.sh
"""
# A suite that has a way out (a line below the heading of its routes) tests nothing.
RUN = "test $(wc -l < /proc/net/route) -le 1 && python test_calc.py"
SLOW = "sleep 600"
PARSER = """import json, sys
lines = open(sys.argv[1]).read().split("\\n")
tests = [{"name": line[7:], "status": "PASSED"} for line in lines if line.startswith("PASSED ")]
json.dump({"tests": tests}, open(sys.argv[3], "w"))
"""
FIRST = {name: f"instance_Acme__calc-{name}" for name in ("right", "wrong", "slow", "elsewhere", "idle")}


def tag(name: str) -> str:
    """Give the data set's tag: for one instance another than the harness makes of its id."""
    return f"acme.{'else' if name == 'elsewhere' else 'calc'}-Acme__calc-{name}"


@pytest.fixture(scope="module")
def commit(lasting_project: Project) -> Iterator[str]:
    """Make one small image with a repository, import it under the names of the data set, and forget it."""
    name, place = f"{REPOSITORY}:test-370", lasting_project.root / "images"
    place.mkdir()
    (place / "Dockerfile").write_text(IMAGE.format(base=base(lasting_project, "python:3.12-slim")))
    (place / "repository.sh").write_text((HERE / "repository.sh").read_text())
    docker_build = ["docker", "build", "--quiet", "--tag", name, str(place)]
    subprocess.run(docker_build, check=True, capture_output=True, timeout=300)
    found = docker("run", "--rm", name, "git", "-C", "/app", "rev-parse", "HEAD").strip()
    names = [f"{REPOSITORY}:{tag(each)}" for each in FIRST]
    for each in names:
        docker("tag", name, each)
    docker("save", "--output", str(place / "sweap.tar"), *names)
    docker("rmi", *names, name)
    imported = lasting_project.doit("image", "import", "images/sweap.tar")
    assert imported.status == 0, imported.text
    yield found


@pytest.fixture(scope="module")
def benchmark(lasting_project: Project, commit: str) -> Path:
    """Supply the stand-in, with the scripts of the first shard's instances, and generate shards from a data set."""
    tree = HERE / "SWE-bench_Pro-os"
    root = take(lasting_project, "swe-bench-pro", DOCKERFILE, {"SWE-bench_Pro-os": tree})
    environment = root / "environments" / "swe-bench-pro"
    rows = [row(name, tag(short), commit) for short, name in FIRST.items()]
    rows += [row(f"instance_Zeta__z-{n:02}", f"zeta.z-Zeta__z-{n:02}", commit) for n in range(35)]
    for made in rows[:5]:
        write_scripts(environment / "SWE-bench_Pro-os", made["instance_id"])
    (root / "data.jsonl").write_text("".join(json.dumps(each) + "\n" for each in reversed(rows)))
    done = subprocess.run(
        [sys.executable, root / "code" / "generate.py", root / "data.jsonl"], capture_output=True, text=True, check=True
    )
    assert done.stdout == "40 of 40 instances in 8 shards; images: 40\n"
    return root


def row(name: str, image_tag: str, commit: str) -> dict[str, Any]:
    """Give a row with the columns of the real data set."""
    repo = "Acme/calc" if "Acme" in name else "Zeta/z"
    tests = {"fail_to_pass": "['new']", "pass_to_pass": "['old']", "selected_test_files_to_run": "['test_calc.py']"}
    texts = {"problem_statement": f"Mend {name}.", "requirements": "It adds.", "interface": "add(a, b)"}
    gold = {"patch": "GOLD", "test_patch": "GOLD", "repo_language": "python", "issue_specificity": "x"}
    base = {"repo": repo, "instance_id": name, "base_commit": commit, "dockerhub_tag": image_tag}
    return {**base, **tests, **texts, **gold, "before_repo_set_cmd": f"git reset --hard {commit}\ntrue"}


def write_scripts(tree: Path, name: str) -> None:
    for kind in ("base_dockerfile", "instance_dockerfile"):
        (tree / "dockerfiles" / kind / name).mkdir(parents=True)
        (tree / "dockerfiles" / kind / name / "Dockerfile").write_text("FROM x\nENV PYTHONDONTWRITEBYTECODE=1\n")
    (tree / "run_scripts" / name).mkdir(parents=True)
    (tree / "run_scripts" / name / "run_script.sh").write_text(SLOW if "slow" in name else RUN)
    (tree / "run_scripts" / name / "parser.py").write_text(PARSER)


def engineer(body: dict[str, Any]) -> str:
    """Mend the repository in two turns, but for two instances."""
    issue = next(message["content"] for message in body["messages"] if message["role"] == "user")
    if "idle" in issue:
        return "I do not know."
    if len(body["messages"]) == 2:
        return "Look first.\n```bash\ncat calc.py; git log --oneline; touch /dev/null\n```"
    if len(body["messages"]) == 4:
        assert "return a - b" in last_user_text(body)
        return f"```bash\nsed -i 's/a - b/{'a * b' if 'wrong' in issue else 'a + b'}/' calc.py\n```"
    return "Done.\n```bash\nsubmit\n```"


def test_the_generator_writes_what_each_shard_needs(benchmark: Path) -> None:
    listed = [json.loads(line) for line in (benchmark / "environments/swe-bench-pro/instances.jsonl").open()]
    assert sorted(FIRST.values()) == [each["instance_id"] for each in listed if each["shard"] == 1]
    assert [sum(each["shard"] == shard for each in listed) for shard in range(1, 9)] == [5] * 8
    assert "GOLD" not in json.dumps(listed)
    text = (benchmark / "shard-1" / "task.yaml").read_text()
    images = "".join(f'  - "{REPOSITORY}:{tag(each)}"\n' for each in sorted(FIRST, key=tag))
    assert text.endswith(f"docker_images:\n{images}")


@pytest.mark.usefixtures("benchmark")
def test_only_what_was_tested_is_scored(lasting_project: Project) -> None:
    """Patches are scored; a suite that never ends, and an image that the harness does not find, are errors."""
    with scripted(engineer) as endpoint:
        words = ("tasks=shard-1", "SWE_BENCH_PRO_TEST_TIMEOUT=6", "SWE_BENCH_PRO_MAX_STEPS=4")
        run(lasting_project, "swe-bench-pro", "m", *words, env=endpoint.environment())
    raw = result(lasting_project, "swe-bench-pro", "shard-1", "m")["raw_metrics"]
    items = {item["id"]: item for item in raw["items"]}
    scores = {short: items[name].get("score") for short, name in FIRST.items()}
    assert scores == {"right": 1, "wrong": 0, "slow": None, "elsewhere": None, "idle": 0}
    assert "Entryscript failed" in items[FIRST["slow"]]["error"] and "137" in items[FIRST["slow"]]["error"]
    assert "Failed to pull or find image locally" in items[FIRST["elsewhere"]]["error"]
    assert raw["overall"] == 1 / 3
    assert items[FIRST["right"]]["turns"] == 3
    assert items[FIRST["right"]]["tokens"] == {"prompt": 21, "completion": 9}
    assert items[FIRST["idle"]]["turns"] == 4
    (artifact,) = lasting_project.artifacts("swe-bench-pro", "shard-1", "m")
    patches = {each["instance_id"]: each for each in json.loads((artifact / "output" / "patches.json").read_text())}
    assert "+    return a + b" in patches[FIRST["right"]]["patch"]
    assert patches[FIRST["idle"]]["patch"] == ""


@pytest.mark.usefixtures("benchmark")
def test_an_image_that_nobody_has_is_named(lasting_project: Project) -> None:
    environment = {"BENCHROUTER_MODEL_ENDPOINT": "http://127.0.0.1:9/v1"}
    plan = lasting_project.doit("plan", "model=m", "bench=swe-bench-pro", env=environment)
    assert f"base:{REPOSITORY}:zeta.z-Zeta__z-00" in plan.out, plan.text
    assert f"base:{REPOSITORY}:{tag('right')}  from the archive" in plan.out
