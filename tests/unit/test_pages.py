"""The helper that takes examples out of pages: what a page may leave open, and what it may not get wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import Command, Page, Shell, agrees, planned

TEXT = """
```text title="a/one.txt"
1
```

```console
$ cat a/one.txt  # the file
1
$ export WORD=kept
$ echo $WORD; false
kept
$ echo $?
1
```

```console needs="a GPU"
$ doit run model=m
```
"""


@pytest.fixture
def page(tmp_path: Path) -> Page:
    (tmp_path / "page.md").write_text(TEXT)
    return Page.read(tmp_path / "page.md")


def test_a_page_is_files_and_commands(page: Page) -> None:
    assert page.files == {"a/one.txt": "1\n"}
    assert page.commands[0] == Command("cat a/one.txt  # the file", "1\n")
    assert page.commands[-1] == Command("doit run model=m", "", "a GPU")


def test_its_commands_share_one_shell(page: Page, tmp_path: Path) -> None:
    page.write(tmp_path)
    with Shell(tmp_path, {"PATH": "/usr/bin:/bin"}) as shell:
        Page(page.path, {}, page.commands[:-1]).check(shell)
        assert shell.run("cat") == ("", 0)  # nothing to read, and no hanging


@pytest.mark.parametrize("command", [Command("echo other", "words\n"), Command("false", "")])
def test_what_is_not_so_is_told(page: Page, tmp_path: Path, command: Command) -> None:
    with Shell(tmp_path, {"PATH": "/usr/bin:/bin"}) as shell, pytest.raises(AssertionError, match="exit"):
        Page(page.path, {}, (command,)).check(shell)


def test_a_command_that_does_not_end_is_ended(tmp_path: Path) -> None:
    with Shell(tmp_path, {"PATH": "/usr/bin:/bin"}) as shell, pytest.raises(AssertionError, match="did not end"):
        shell.run("sleep 60", deadline=0.2)


@pytest.mark.parametrize(
    ("shown", "said", "same"),
    [
        ("a  1.4s  b\n", "a 12.0s b\n\n", True),
        ("a 1 s\n", "a 2 s\n", False),
        ("score 0.75\n", "score 0.76\n", False),
        ("…\nlast\n", "one\ntwo\nlast\n", True),
        ("first\n…\n", "first\n", True),
        ("tag …:1\n", "tag image:1\n", True),
        ("one\n", "one\ntwo\n", False),
        ("one\ntwo\n", "one\n", False),
        ("", "whatever\n", True),
    ],
)
def test_a_page_leaves_open_times_and_what_it_leaves_out(shown: str, said: str, same: bool) -> None:
    assert agrees(shown, said) is same


@pytest.mark.parametrize(
    ("command", "checked"),
    [
        ("doit run model=m tasks=a", "env doit plan model=m tasks=a"),
        ("A=1 ./doitw --with-engine run -n 2  # all", "env A=1 doit plan -n 2"),
        ("doit models install smollm2", "doit help models"),
        ("benchrouter models check", "benchrouter models --help"),
        ("export A=1", "export A=1"),
    ],
)
def test_the_words_of_what_cannot_run_here_are_checked(command: str, checked: str) -> None:
    assert planned(command) == checked
