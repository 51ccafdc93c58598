"""What a page of the documentation shows, as things that a test can do: its files, its commands, what they say.

Three kinds of fenced blocks count; how they are marked stands in docs/architecture.md, "Pages":

    ```yaml title="benchmarks/colours/benchmark.yaml"   a whole file at that place of the workspace
    ```console                                          after `$ ` a command, below it what it says
    ```console needs="a GPU"                            commands that cannot run everywhere

A page is one session: its commands share a workspace and a shell, from top to bottom.
"""

from __future__ import annotations

import os
import re
import selectors
import shlex
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
DURATION = re.compile(r"\b\d+(?:\\\.\d+)?s\b")
ANY_LINES = r"(?:.*\n)*?"
END = re.compile(rb"\x1e(\d+)\n")


@dataclass(frozen=True)
class Command:
    """One command, the output that the page shows for it, and what it needs that not every machine has."""

    text: str
    output: str
    needs: str = ""


@dataclass(frozen=True)
class Page:
    """The files and the commands of a page, each in the order of the text."""

    path: Path
    files: Mapping[str, str]
    commands: tuple[Command, ...]

    @classmethod
    def read(cls, path: Path) -> Page:
        """Read a Markdown file."""
        files: dict[str, str] = {}
        commands: list[Command] = []
        for language, info, text in BLOCK.findall(path.read_text(encoding="utf-8")):
            marks = dict(ATTRIBUTE.findall(info))
            if "title" in marks:
                assert marks["title"] not in files, f"{path.name} has {marks['title']} twice"
                files[marks["title"]] = text
            if language == "console":
                commands.extend(transcript(text, marks.get("needs", "")))
        return cls(path, files, tuple(commands))

    def write(self, root: Path, *only: str) -> None:
        """Write its files below a workspace, or those of them whose path begins with one of `only`."""
        for name, text in self.files.items():
            if not only or name.startswith(only):
                target = root / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text)

    def check(self, shell: Shell) -> None:
        """Run the commands that can run here, plan those that cannot, and compare what they say with the page."""
        for number, command in enumerate(self.commands):
            after = self.commands[number + 1].text if number + 1 < len(self.commands) else ""
            said, status = shell.run(planned(command.text) if command.needs else command.text)
            told = f"{self.path.name}: $ {command.text}\nexit {status}, and said:\n{said}"
            assert status == 0 or after == "echo $?", told
            if not command.needs:
                assert agrees(command.output, said), f"{told}\nbut the page shows:\n{command.output}"


def transcript(block: str, needs: str = "") -> list[Command]:
    """Split a block into commands with their output."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)
    assert not parts[0].strip(), f"output without a command: {parts[0]}"
    return [Command(text, output, needs) for text, _, output in (part.partition("\n") for part in parts[1:])]


def planned(command: str) -> str:
    """Give the command that checks the words of one that cannot run here: a plan, or the help of its verb.

    What is no command of ours, an `export` say, is left as it is.
    """
    words = shlex.split(command, comments=True)
    ours = [place for place, word in enumerate(words) if Path(word).name in ("doit", "doitw", "benchrouter")]
    if not ours:
        return command
    at = ours[0]
    program, rest = Path(words[at]).name.replace("doitw", "doit"), words[at + 1 :]
    rest = [word for word in rest if not word.startswith("--with-engine")]
    if "run" not in rest:
        verb = [word for word in rest if not word.startswith("-")][:1]
        return shlex.join([program, *verb, "--help"] if program == "benchrouter" else [program, "help", *verb])
    assignments = [word for word in words[:at] if "=" in word]
    return shlex.join(["env", *assignments, program, *("plan" if word == "run" else word for word in rest)])


def agrees(shown: str, said: str) -> bool:
    """Tell whether a command said what a page shows.

    Blanks count as one, seconds as any seconds, `…` as any text, and as any lines where it stands alone.
    A page that shows nothing says nothing about it.
    """
    if not shown.strip():
        return True
    lines = [line for line in said.splitlines() if line.strip()]
    pattern = ""
    for line in filter(str.strip, shown.splitlines()):
        if line.strip() == "…":
            pattern += ANY_LINES
            continue
        escaped = DURATION.sub(r"\\d+(?:\\.\\d+)?s", re.escape(" ".join(line.split())).replace(r"\ ", " "))
        pattern += escaped.replace("…", ".*") + r"\n"
    return re.fullmatch(pattern, "".join(" ".join(line.split()) + "\n" for line in lines)) is not None


class Shell:
    """A shell at work in a directory, as a reader's: what one command sets, the next one has."""

    def __init__(self, root: Path, environment: Mapping[str, str]) -> None:
        """Start it; standard error goes where standard output goes."""
        self._process = subprocess.Popen(
            ["bash", "--noprofile", "--norc"],
            cwd=root,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def __enter__(self) -> Shell:
        return self

    def __exit__(self, *exception: object) -> None:
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()

    def run(self, command: str, deadline: float = 180.0) -> tuple[str, int]:
        """Run one command to its end, and give what it said with its exit status."""
        assert self._process.stdin is not None and self._process.stdout is not None
        script = f"{{ {command}\n}} </dev/null; (s=$?; printf '\\036%s\\n' $s; exit $s)\n"
        self._process.stdin.write(script.encode())
        self._process.stdin.flush()
        said, ends = b"", time.monotonic() + deadline
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while not (end := END.search(said)):
                ready = selector.select(max(0.0, ends - time.monotonic()))
                assert ready, f"{command} did not end in {deadline:.0f} s\n{said.decode(errors='replace')}"
                more = os.read(self._process.stdout.fileno(), 65536)
                assert more, f"the shell ended at: {command}\n{said.decode(errors='replace')}"
                said += more
        return said[: end.start()].decode(errors="replace"), int(end[1])
