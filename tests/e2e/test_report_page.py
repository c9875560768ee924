"""The report in a real browser: accessible, self-contained, fit for a phone, and usable without a mouse."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.render.made import ALL, many
from trialogue.findings import Findings
from trialogue.subjects.evaluation.pages.write import render_html

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ALL_RULES: dict[str, Any] = {"resultTypes": ["violations"]}
SCREENS = [("light", 1280)]  # axe takes seconds a page: every report once, and one report on every screen
EVERY_SCREEN = [(scheme, width) for scheme in ("light", "dark") for width in (1280, 360)]
REPORTS: dict[str, Callable[[], Findings]] = {**ALL, "many": lambda: many(11, metrics=8)}


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every made-up report as a file."""
    folder = tmp_path_factory.mktemp("reports")
    paths = {name: folder / f"{name}.html" for name in REPORTS}
    for name, path in paths.items():
        path.write_text(render_html(REPORTS[name]()), encoding="utf-8")
    return paths


@pytest.fixture(params=REPORTS)
def page_path(request: pytest.FixtureRequest, pages: dict[str, Path]) -> Path:
    """One report after the other."""
    return pages[request.param]


def opened(browser: Any, path: Path, *, scheme: str = "light", width: int = 1280) -> Any:
    """A report on a screen."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto(path.as_uri())
    return page


def serious(browser: Any, path: Path, *, scheme: str = "light", width: int = 1280) -> list[Any]:
    """What axe finds of level serious or critical, with everything unfolded.

    Shadows at the sides of what scrolls are taken away first: axe does not judge contrast on gradients.
    """
    from axe_playwright_python.sync_playwright import Axe

    page = opened(browser, path, scheme=scheme, width=width)
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    page.evaluate("document.querySelectorAll('.scroll').forEach(each => each.style.background = 'none')")
    found = Axe().run(page, options=ALL_RULES).response["violations"]
    page.close()
    return [
        (each["id"], each["impact"], [node["html"][:200] for node in each["nodes"][:3]])
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


def test_axe_finds_nothing_serious(browser: Any, page_path: Path) -> None:
    for scheme, width in EVERY_SCREEN if page_path.stem == "two" else SCREENS:
        assert serious(browser, page_path, scheme=scheme, width=width) == [], f"{scheme}, {width} pixels"


def test_axe_would_find_something(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "bad.html"
    path.write_text("<p style='color:#ccc'>pale</p><img src='data:,'>", encoding="utf-8")
    found = [each[0] for each in serious(browser, path)]
    assert {"color-contrast", "image-alt"} <= set(found)


def test_nothing_is_loaded_but_the_page_and_the_console_stays_silent(browser: Any, page_path: Path) -> None:
    page = browser.new_page(color_scheme="light")
    requests: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
    page.goto(page_path.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    page.wait_for_load_state("networkidle")
    outside = [url for url in requests if not url.startswith("data:") and url != page_path.as_uri()]
    assert (outside, complaints) == ([], [])
    page.close()


def test_a_phone_shows_the_answer_first_and_never_scrolls_sideways(browser: Any, page_path: Path) -> None:
    page = opened(browser, page_path, width=360)
    assert page.locator("p.answer").bounding_box()["y"] < 300
    for state in ("false", "true"):
        page.evaluate(f"document.querySelectorAll('details').forEach(each => each.open = {state})")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.close()


def test_the_tab_key_reaches_everything_that_opens_or_scrolls(browser: Any, pages: dict[str, Path]) -> None:
    page = opened(browser, pages["nine"], width=360)
    mark = "(each, place) => each.dataset.place = place"
    wanted = page.evaluate(
        f"{{ const all = [...document.querySelectorAll('summary, .scroll')].filter(each => each.checkVisibility()); "
        f"all.forEach({mark}); all.length }}"
    )
    reached = set()
    for _ in range(page.locator("a, summary, .scroll").count() + 2):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.dataset.place ?? ''"))
    assert {str(place) for place in range(wanted)} <= reached
    page.close()


def test_a_dialogue_opens_with_the_enter_key_and_shows_its_utterances(browser: Any, pages: dict[str, Path]) -> None:
    page = opened(browser, pages["nine"])
    summary = page.locator("details.chat summary").first
    utterance = page.locator("details.chat .talk li").first
    assert not utterance.is_visible()
    for folded in (page.locator("#dialogues > summary"), summary):
        folded.focus()
        page.keyboard.press("Enter")
    assert utterance.is_visible()
    page.close()


def test_what_is_focused_can_be_seen(browser: Any, pages: dict[str, Path]) -> None:
    page = opened(browser, pages["nine"])
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    width = page.evaluate("getComputedStyle(document.activeElement).outlineWidth")
    assert width == "2px"
    page.close()


def test_paper_is_white_and_shows_what_is_folded_on_the_screen(browser: Any, pages: dict[str, Path]) -> None:
    page = opened(browser, pages["nine"], scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    paper = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert paper == "rgb(255, 255, 255)"
    assert page.locator("#methods p").first.bounding_box()["height"] > 10
    assert not page.locator("#dialogues").is_visible()  # an extra, until somebody opens it
    page.evaluate("document.querySelectorAll('#dialogues, #dialogues details').forEach(each => each.open = true)")
    assert page.locator("details.chat .talk li").first.bounding_box()["height"] > 10
    assert page.locator("p.on-paper").is_visible()
    page.emulate_media(media="screen")
    assert not page.locator("p.on-paper").is_visible()
    page.close()


def test_a_printed_report_has_at_most_six_pages(browser: Any, pages: dict[str, Path]) -> None:
    page = browser.new_page()
    sheets = {}
    for name, path in pages.items():
        page.goto(path.as_uri())
        sheets[name] = len(re.findall(rb"/Type\s*/Page\b(?!s)", page.pdf(prefer_css_page_size=True)))
    assert max(sheets.values()) <= 6, sheets
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_first_screen_of_a_desk_holds_answer_table_and_figure(
    browser: Any, pages: dict[str, Path], scheme: str
) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme=scheme)
    for name in ("nine", "two", "many"):
        page.goto(pages[name].as_uri())
        for part in ("p.answer", "#answer table", "#figure-glance svg"):
            box = page.locator(part).first.bounding_box()
            assert box["y"] + box["height"] <= 800, (name, part)
        assert page.evaluate("document.querySelectorAll('details[open]').length") == 0
        assert len(page.evaluate("document.body.innerText").split()) <= 900
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_first_screen_of_a_phone_holds_the_answer_and_what_speaks_against_it(
    browser: Any, pages: dict[str, Path], scheme: str
) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 740}, color_scheme=scheme)
    for name in pages:
        page.goto(pages[name].as_uri())
        for part in ("p.answer", "ul.against"):
            if page.locator(part).count():
                box = page.locator(part).first.bounding_box()
                assert box["y"] + box["height"] <= 740, (name, part)
    page.close()


def test_on_paper_what_comes_before_the_appendix_takes_at_most_four_pages(browser: Any, pages: dict[str, Path]) -> None:
    page = browser.new_page()
    for name in pages:
        page.goto(pages[name].as_uri())
        page.evaluate("document.querySelectorAll('.appendix').forEach(each => each.remove())")
        sheets = len(re.findall(rb"/Type\s*/Page\b(?!s)", page.pdf(prefer_css_page_size=True)))
        assert 1 <= sheets <= 4, name
    page.close()
