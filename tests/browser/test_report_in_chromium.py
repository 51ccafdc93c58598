"""The report in a real browser: what hostile tasks wrote stays text, ten thousand items stay fluid, keys suffice."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from browser import Browser
from filled import HOSTILE, LARGE, filled

from benchrouter.scores.report.page import write_report

FRAME = 1000 / 60  # milliseconds
SIZES = [pytest.param(1200, 900, False, id="desk"), pytest.param(390, 844, True, id="phone, dark")]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report over a full workspace."""
    return write_report(filled(tmp_path_factory.mktemp("full")))


@pytest.fixture
def shown(page: Browser, report: Path) -> Iterator[Browser]:
    """The report, open; nothing in it may fail or be asked of anybody."""
    page.open(report)
    yield page
    assert page.faults == [] and page.asked == [report.as_uri()]
    assert page.value("window.pwned === undefined && document.querySelectorAll('img').length === 0")


def open_items(page: Browser, job: str) -> None:
    """Open the items of a job as a person with a keyboard does."""
    page.value(f"document.querySelector('[data-title^=\"{job}\"]').closest('details').open = true")
    page.value(f"document.querySelector('[data-title^=\"{job}\"]').focus()")
    page.press("Enter")
    page.wait("document.querySelector('#items').open")


def visible(page: Browser, selector: str) -> list[str]:
    """Give the texts of the elements that can be seen."""
    seen = "[...document.querySelectorAll(%r)].filter(e => e.checkVisibility()).map(e => e.innerText)"
    return list(page.value(seen % selector))


def test_hostile_items_are_shown_as_they_are(shown: Browser) -> None:
    open_items(shown, "odd/good")
    assert shown.value("document.querySelector('#item-count').textContent") == "3 of 3"
    assert visible(shown, ".row > :first-child")[0].startswith("</script><script>window.pwned = 1</script><img src=x")
    for _ in range(3):
        shown.press("ArrowDown")
    assert HOSTILE[:60] in visible(shown, ".pane pre")[0]


def test_no_script_but_our_own_would_run(page: Browser, report: Path) -> None:
    """Should a text ever become markup after all: the page's policy knows one script, by its digest."""
    page.open(report)
    page.value(
        "const added = document.createElement('script');"
        "added.textContent = 'window.pwned = 1'; document.body.append(added)"
    )
    page.value("document.body.insertAdjacentHTML('beforeend', '<img src=data:, onerror=\"window.pwned = 1\">')")
    page.wait("document.querySelector('img').complete")
    assert page.value("window.pwned === undefined")
    page.faults.clear()  # it has said that it refused


def test_ten_thousand_items_stay_fluid(shown: Browser) -> None:
    open_items(shown, "large/whole")
    assert shown.value("document.querySelector('#item-count').textContent") == f"{LARGE} of {LARGE}"
    scroll = """new Promise(done => {
        const list = document.querySelector('.list'), times = [];
        const step = (n) => requestAnimationFrame(() => {
            const begin = performance.now();
            list.scrollTop = n * list.scrollHeight / 60;
            list.dispatchEvent(new Event('scroll'));
            list.offsetHeight;
            times.push(performance.now() - begin);
            n < 60 ? step(n + 1) : done([times.sort((a, b) => a - b)[30], document.querySelectorAll('.row').length]);
        });
        step(0);
    })"""
    usual, rows = shown.value(scroll)
    assert rows < 60 and usual < FRAME
    begin = "(() => { const from = performance.now(); %s; return performance.now() - from; })()"
    find = "const f = document.querySelector('#item-find'); f.value = '%s'; f.dispatchEvent(new Event('input'))"
    assert shown.value(begin % (find % "broke")) < 1000
    assert shown.value("document.querySelector('#item-count').textContent") == f"{-(-LARGE // 97)} of {LARGE}"
    order = "const o = document.querySelector('#item-order'); o.value = 'score-up'; o.dispatchEvent(new Event('input'))"
    assert shown.value(begin % (find % "" + ";" + order)) < 1000
    assert visible(shown, ".row .meter")[0].split()[0] == "0"


def test_items_are_reached_and_left_by_keys_alone(shown: Browser) -> None:
    open_items(shown, "large/whole")
    shown.press("End")
    assert visible(shown, "[aria-selected=true] > :first-child") == [f"i{LARGE - 1:05}"]
    assert shown.value("document.activeElement.getAttribute('aria-activedescendant')") == f"item-{LARGE - 1}"
    shown.press("Home")
    assert visible(shown, ".pane h4") == ["i00000"]
    shown.press("Escape")
    shown.wait("!document.querySelector('#items').open")
    assert shown.value("document.activeElement.dataset.title").startswith("large/whole")


def test_of_a_log_the_end_is_seen_first(shown: Browser) -> None:
    """It is where the reason stands."""
    shown.value("document.querySelectorAll('.failure').forEach(e => { e.open = true })")
    hidden = """[...document.querySelectorAll('.tail')].map(
        box => box.firstElementChild.getBoundingClientRect().bottom - box.getBoundingClientRect().bottom)"""
    tops = "[...document.querySelectorAll('.tail')].map(box => box.scrollHeight - box.clientHeight)"
    assert max(shown.value(tops)) > 100 and max(shown.value(hidden)) < 5


def test_search_and_order_by_keys(shown: Browser) -> None:
    models = "[...document.querySelectorAll('details.score')].filter(e => !e.hidden && e.checkVisibility())"
    shown.press("/")
    shown.type("maths small")
    assert shown.value(f"{models}.map(e => e.dataset.model)") == ["gpt-small"]
    assert visible(shown, "#found") == ["2 found"]  # with its provenance
    shown.press("Escape")
    assert len(shown.value(f"{models}.map(e => e.dataset.model)")) == 6
    shown.value(
        "document.querySelector('#order').value = 'score-up';"
        "document.querySelector('#order').dispatchEvent(new Event('change'))"
    )
    maths = f"{models}.filter(e => e.dataset.find.startsWith('maths')).map(e => e.dataset.model)"
    assert shown.value(maths) == ["local/model=7b", "gpt-small", "gpt-large"]


def test_a_table_sorts_by_what_its_head_says(shown: Browser) -> None:
    shown.value("document.querySelectorAll('details.score')[1].open = true")
    shown.value("document.querySelectorAll('details.score')[1].querySelector('th button').focus()")
    rows = "[...document.querySelectorAll('details.score')[1].querySelectorAll('tbody tr')]"
    shown.press("Enter")
    shown.press("Enter")
    assert shown.value(f"{rows}.map(row => row.cells[0].innerText)") == ["logic", "geometry", "algebra"]


def test_what_ran_one_after_the_other_lies_so_in_its_lane(shown: Browser) -> None:
    boxes = """[...document.querySelectorAll('.timeline rect')].map(bar => {
        const box = bar.getBoundingClientRect();
        return [box.top, box.left, box.right];
    })"""
    lanes: dict[float, list[tuple[float, float]]] = {}
    for top, left, right in shown.value(boxes):
        lanes.setdefault(top, []).append((left, right))
    assert sum(map(len, lanes.values())) == 19 and len(lanes) == 4
    for bars in lanes.values():
        assert all(end <= start + 0.5 for (_, end), (start, _) in pairwise(sorted(bars)))


def test_a_bar_of_the_timeline_leads_to_its_job_and_arrows_move_along(shown: Browser) -> None:
    assert shown.value("document.querySelectorAll('.timeline [tabindex=\"0\"]').length") == 1
    shown.value("document.querySelector('.timeline [tabindex=\"0\"]').focus()")
    shown.press("ArrowRight")
    named = shown.value("document.activeElement.getAttribute('aria-label')")
    assert named.startswith("maths/geometry@gpt-large FAILED endpoint")
    shown.press("Enter")
    shown.wait("location.hash !== ''")
    shown.wait("document.querySelector(':target').checkVisibility()")
    assert shown.value("document.querySelector(':target').closest('details').dataset.model") == "gpt-large"
    assert shown.value("document.querySelector(':target').cells[0].innerText") == "geometry"


@pytest.mark.parametrize(("width", "height", "dark"), SIZES)
def test_it_fits_and_can_be_read(page: Browser, report: Path, width: int, height: int, dark: bool) -> None:
    """Nothing is wider than the window, and text stands out from what is behind it (WCAG: 4.5 to 1)."""
    page.open(report, width=width, height=height, dark=dark)
    page.value("document.querySelectorAll('details').forEach(d => { d.open = true })")
    assert page.value("document.documentElement.scrollWidth") <= width
    contrast = """(() => {
        const light = (c) => c.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255)
            .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
            .reduce((sum, v, n) => sum + v * [0.2126, 0.7152, 0.0722][n], 0);
        const behind = (e) => { for (; e; e = e.parentElement) {
            const c = getComputedStyle(e).backgroundColor;
            if (!/, 0\\)$|transparent/.test(c)) return c;
        } };
        return [...document.querySelectorAll('h1, h3, .soft, .state, a, td, th, pre, .chip, .detail')]
            .filter(e => e.checkVisibility() && e.innerText)
            .map(e => [light(getComputedStyle(e).color), light(behind(e)), e.className || e.tagName])
            .map(([a, b, name]) => [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), name])
            .sort((a, b) => a[0] - b[0])[0];
    })()"""
    ratio, name = page.value(contrast)
    assert ratio >= 4.5, name
