"""A job's run.sh, run by hand, does what the job did: of a completed one, and as a failure's advice says."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path

from project import DOCKERFILE, Project
from verdicts import last_failure

KEY = "sk-by-hand-0123456789"
ODD = "it's $HOME, `id`,\n\"two\" lines=é "
SCRIPT = r"""
cd "$BENCHROUTER_OUTPUT_DIR"
env -0 | sort -z | grep -zv -e '^HOSTNAME=' -e '^OPENAI_API_KEY=' -e '^SITE_WORD=' >seen
printf '%s %s' "$OPENAI_API_KEY" "$SITE_WORD" | cksum >secrets
pwd >place; ls "$BENCHROUTER_BENCHMARK_DIR" /app/benchrouter/sdk >>place
cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null >memory
touch "$BENCHROUTER_BENCHMARK_DIR/x" 2>>place
sum=$(cksum <seen); echo "{\"overall\": 0.$(echo $sum | cut -c 1-6)}" >result.json
[ "$LAST" != fails ] || exit 7
"""
YAML = f"""
timeout: 90m
seed: 7
pass_env: [SITE_WORD]
extra_env: {{ODD: {json.dumps(ODD)}, NOTHING: ''}}
resources: {{memory: 256m, cpus: 1, pids: 99}}
"""


def by_hand(script: str, where: Path, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a shell command as a person would, in an empty directory."""
    where.mkdir()
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("BENCHROUTER_", "OPENAI_"))}
    return subprocess.run(
        ["sh", "-c", script], cwd=where, env={**clean, **env}, capture_output=True, text=True, check=False, timeout=60
    )


def outputs(directory: Path) -> dict[str, bytes]:
    """Map the files that a job wrote to their bytes."""
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def test_run_sh_repeats_the_job(project: Project, tmp_path: Path) -> None:
    """The same output, byte for byte, from the artifact's script; no secret and no place of this machine in it."""
    dockerfile = f"{DOCKERFILE}ENV PYTHONPATH=/of/the/image\nENTRYPOINT [\"/bin/false\"]\nUSER 1234\n"
    project.benchmark("b", {"t": SCRIPT}, dockerfile=dockerfile, task_yaml=YAML)
    secrets = {"OPENAI_API_KEY": KEY, "SITE_WORD": "a word of the site"}
    environment = {"BENCHROUTER_MODEL_ENDPOINT": "http://127.0.0.1:9/v1", **secrets}
    project.run("LAST=a b", env=environment)
    artifact = project.artifacts("b", "t")[0]
    script = (artifact / "config/run.sh").read_text()
    assert KEY not in script and secrets["SITE_WORD"] not in script and str(project.root) not in script

    moved = tmp_path / "elsewhere.sh"
    moved.write_text(script)
    places = {"BENCHROUTER_WORKSPACE": str(project.root)}
    for number, (path, more) in enumerate(((artifact / "config/run.sh", {}), (moved, places))):
        where = tmp_path / f"hand-{number}"
        done = by_hand(f"sh {shlex.quote(str(path))}", where, {**environment, **more})
        assert done.returncode == 0, done.stderr
        assert outputs(where / "results-by-hand") == outputs(artifact / "output")
    missing = by_hand(f"sh {shlex.quote(str(artifact / 'config/run.sh'))}", tmp_path / "none", {})
    assert missing.returncode == 2 and "BENCHROUTER_MODEL_ENDPOINT" in missing.stderr


def test_advice_of_a_failed_job_repeats_the_failure(project: Project, tmp_path: Path) -> None:
    """The `repeat:` line that a run prints can be typed as it stands."""
    project.benchmark("b", {"t": SCRIPT})
    environment = {"BENCHROUTER_MODEL_ENDPOINT": "http://127.0.0.1:9/v1"}
    done = project.run("LAST=fails", env=environment, status=1)
    advice = next(line for line in done.out.splitlines() if line.startswith("  repeat: "))
    repeated = by_hand(advice.removeprefix("  repeat: "), tmp_path / "hand", environment)
    assert repeated.returncode == 7, repeated.stderr
    assert outputs(tmp_path / "hand/results-by-hand") == outputs(last_failure(project, "b", "t") / "output")
