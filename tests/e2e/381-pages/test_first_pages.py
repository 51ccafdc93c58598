"""What a newcomer types: the README, and the page for beginners."""

from __future__ import annotations

import pytest
from project import REPOSITORY, Project
from typed import follow


@pytest.mark.parametrize("page", ["README.md", "docs/getting-started.md"])
def test_the_commands_say_what_the_page_shows(project: Project, page: str) -> None:
    follow(project, REPOSITORY / page)
