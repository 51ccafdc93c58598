"""The pages: each link leads to what is there, the site lists them all, and commands stand where they are tested."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "benchmarks" / "README.md", *sorted(DOCS.glob("*.md"))]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]


def prose(page: Path) -> str:
    """Give a page without its code."""
    return re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """Give the names of its headings, as GitHub and the site make them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("name", NAMES)
def test_every_link_leads_somewhere(name: str) -> None:
    page = ROOT / name
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"https?:", target):
            continue
        path, _, anchor = target.partition("#")
        place = page.parent / path if path else page
        assert place.exists(), target
        assert not anchor or anchor in anchors(place), target


@pytest.mark.parametrize("name", NAMES)
def test_pages_of_the_site_do_not_link_out_of_it(name: str) -> None:
    if (ROOT / name).parent == DOCS:
        assert not re.search(r"\]\(\.\./", prose(ROOT / name))


def test_the_site_has_every_page_once() -> None:
    sections = yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]
    listed = [page for section in sections for pages in section.values() for page in pages]
    there = sorted(page.name for page in DOCS.glob("*.md"))
    assert sorted(listed) == there, "a page of docs/ stands in `nav` of mkdocs.yml, once"


@pytest.mark.parametrize("name", NAMES)
def test_every_path_of_ours_that_a_page_names_is_there(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    for path in re.findall(r"`((?:docs|benchmarks|tests|benchrouter)/[\w./-]+\.(?:md|py|sh|mjs))`", text):
        assert (ROOT / path).exists() or f'title="{path}"' in text, path
