"""A workspace in a temporary folder, driven through the real command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchrouter.make.workspace_files import write_workspace_files

REPOSITORY = Path(__file__).parents[2]
DOIT = Path(sys.executable).with_name("doit")
DOCKERFILE = "FROM debian:bookworm-slim\n"
SCORE = """mkdir -p "$BENCHROUTER_OUTPUT_DIR"; echo '{"overall": %s}' >"$BENCHROUTER_OUTPUT_DIR/result.json" """
DEADLINE = 180.0
MAY_DIFFER = ("provenance.json", "logs", "report.html", "leaderboard.json")
"""What of `results/` may differ between two runs of the same (design: Artifacts)."""


@dataclass(frozen=True)
class Done:
    """What a command left: exit status and both streams."""

    status: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """Both streams, for messages whose stream does not matter."""
        return self.out + self.err


@dataclass(frozen=True)
class Project:
    """A workspace of its own; `environment` is what its commands see beside PATH.

    `identity` says as whom they run (in the words of Popen), `program` what `doit` is.
    """

    root: Path
    environment: dict[str, str] = field(default_factory=dict)
    identity: dict[str, Any] = field(default_factory=dict)
    program: tuple[str, ...] = (str(DOIT),)

    @classmethod
    def make(cls, root: Path) -> Project:
        """Make an empty workspace that uses the site facts of the checkout under test."""
        root.mkdir(parents=True)
        write_workspace_files(root, REPOSITORY / "benchrouter.local.yaml")
        (root / "benchmarks").mkdir()
        return cls(root)

    def write(self, path: str, text: str, *, mode: int | None = None) -> Path:
        """Write a file below the root."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(textwrap.dedent(text))
        if mode is not None:
            target.chmod(mode)
        return target

    def benchmark(
        self,
        name: str,
        tasks: Mapping[str, str],
        *,
        dockerfile: str | None = "",
        task_yaml: str = "",
    ) -> Path:
        """Write a benchmark whose tasks run `sh run.sh` with the given script texts; `task_yaml` is appended.

        Without a Dockerfile of its own its image is that of no other test, which may remove what it made at any time.
        """
        root = self.root / "benchmarks" / name
        listed = "".join(f"  - name: {task}\n" for task in tasks)
        self.write(f"benchmarks/{name}/benchmark.yaml", f"name: {name}\ntasks:\n{listed}")
        for task, script in tasks.items():
            text = f"name: {task}\ncommand: sh run.sh\n{textwrap.dedent(task_yaml)}"
            self.write(f"benchmarks/{name}/{task}/task.yaml", text)
            self.write(f"benchmarks/{name}/{task}/run.sh", script)
        if dockerfile is not None:
            own = dockerfile or f"{DOCKERFILE}LABEL test={uuid.uuid5(uuid.NAMESPACE_URL, str(self.root))}\n"
            self.write(f"benchmarks/{name}/environments/{name}/Dockerfile", own)
        return root

    def start(
        self, *words: str, env: Mapping[str, str] | None = None, cwd: Path | None = None, **more: Any
    ) -> subprocess.Popen[str]:
        """Start `doit` in the background, in a process group of its own."""
        return subprocess.Popen(
            [*self.program, *words],
            cwd=cwd or self.root,
            env=self.full_environment(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            **{**self.identity, **more},
        )

    def full_environment(self, env: Mapping[str, str] | None = None) -> dict[str, str]:
        """Give the environment of a command: the caller's without what would steer BenchRouter, plus ours."""
        steering = ("BENCHROUTER_", "OPENAI_", "PYTHONDONTWRITEBYTECODE", "CI")
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(steering)}
        path = f"{DOIT.parent}{os.pathsep}{inherited.get('PATH', '')}"
        return {**inherited, "PATH": path, **self.environment, **(env or {})}

    def doit(
        self, *words: str, env: Mapping[str, str] | None = None, cwd: Path | None = None, deadline: float = DEADLINE
    ) -> Done:
        """Run `doit` to its end."""
        process = self.start(*words, env=env, cwd=cwd)
        try:
            out, err = process.communicate(timeout=deadline)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            raise AssertionError(f"doit {' '.join(words)} did not end in {deadline} s\n{out}\n{err}") from None
        return Done(process.returncode, out, err)

    def run(self, *words: str, model: str = "m", status: int | None = 0, **more: Any) -> Done:
        """Run `doit run` against a model that is never asked (no preflight), and check the exit status."""
        done = self.doit("run", f"model={model}", "preflight=0", *words, **more)
        if status is not None:
            assert done.status == status, f"exit {done.status}, expected {status}\n{done.out}\n{done.err}"
        return done

    def artifacts(self, benchmark: str = "*", task: str = "*", model: str = "*") -> list[Path]:
        """List the directories of completed jobs."""
        found = (self.root / "results").glob(f"{benchmark}/{model}/{task}/*/result.json")
        return sorted(path.parent for path in found if path.parent.parent.name != "failed")

    def failures(self, benchmark: str = "*", task: str = "*", model: str = "*") -> list[Path]:
        """List the directories of failed attempts."""
        return sorted((self.root / "results").glob(f"{benchmark}/{model}/{task}/failed/*"))

    def job_states(self, done: Done | None = None) -> dict[str, str]:
        """Give `<benchmark>/<task>` → state, with the reason of a failure, from the newest run record."""
        record = self.newest_run()
        return {
            f"{job['benchmark']}/{job['task']}": " ".join(filter(None, (job["state"], job["reason"])))
            for job in record["jobs"]
        }

    def newest_run(self) -> dict[str, Any]:
        """Read the newest run record."""
        newest = max((self.root / "runs").glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
        return dict(json.loads(newest.read_text()))

    def aggregate(self, benchmark: str, model: str = "m") -> dict[str, Any]:
        """Read the headline aggregate."""
        return dict(json.loads((self.root / "results" / benchmark / model / "aggregate.json").read_text()))

    def ran(self, done: Done) -> list[str]:
        """List the jobs that a run started, in order, from its plain lines."""
        started = [line.split()[1] for line in done.out.splitlines() if line.endswith(" started")]
        return [name.removeprefix("job:") for name in started if name.startswith("job:")]

    def built(self, done: Done) -> list[str]:
        """List the images that a run built, in order."""
        started = [line.split()[1] for line in done.out.splitlines() if line.endswith(" started")]
        return [name.removeprefix("image:") for name in started if name.startswith("image:")]

    def due(self, *words: str, model: str = "m", **more: Any) -> list[str]:
        """List the jobs that `doit plan` says would run, in order."""
        done = self.doit("plan", f"model={model}", *words, **more)
        assert done.status == 0, f"exit {done.status}\n{done.out}\n{done.err}"
        lines = [line.strip() for line in done.out.splitlines() if line.startswith("  job:")]
        return [line.removeprefix("job:") for line in lines]

    @property
    def has_id(self) -> bool:
        """Whether something has run here yet."""
        return (self.root / ".benchrouter" / "id").exists()

    @property
    def id(self) -> str:
        """The workspace's id."""
        return (self.root / ".benchrouter" / "id").read_text().strip()


def docker(*words: str) -> str:
    """Ask the engine by hand, as a person would."""
    done = subprocess.run(["docker", *words], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout


def listing(root: Path) -> dict[str, tuple[int, int, int, int]]:
    """Map everything below a directory to mode, size, mtime and inode, so that any write shows."""
    found = {}
    for path in sorted(root.rglob("*")):
        facts = path.lstat()
        found[str(path.relative_to(root))] = (facts.st_mode, facts.st_size, facts.st_mtime_ns, facts.st_ino)
    return found


def wait_until(holds: Callable[[], bool], deadline: float = 30.0) -> None:
    """Wait until something holds; fail when it does not in `deadline` seconds."""
    end = time.monotonic() + deadline
    while not holds():
        assert time.monotonic() < end, f"waited {deadline} s in vain"
        time.sleep(0.02)


def containers_of(workspace: str) -> list[str]:
    """List the containers of a workspace, running or not."""
    return docker("ps", "-aq", "--filter", f"label=benchrouter.workspace={workspace}").split()


def unnamed_images_of(workspace: str) -> list[str]:
    """List the unnamed images of a workspace."""
    label = f"label=benchrouter.image.workspace={workspace}"
    return docker("images", "-q", "--filter", "dangling=true", "--filter", label).split()


def files_below(root: Path, *parts: str) -> Iterator[Path]:
    """Walk all files below some directories of a workspace."""
    for part in parts or (".",):
        for path in sorted((root / part).rglob("*")):
            if path.is_file() and not path.is_symlink():
                yield path


def contents(root: Path, leave_out: Sequence[str] = ()) -> dict[str, bytes]:
    """Map every file below a directory to its bytes, but for those with one of the given path parts."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in files_below(root)
        if not set(path.relative_to(root).parts) & set(leave_out)
    }
