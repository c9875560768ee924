"""The board in a real browser: accessible, self-contained, readable on a phone, the answer in view."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_report_page import EVERY_SCREEN, opened, serious
from tests.subjects.board.commands.made import folder, share, simulated
from trialogue.subjects.board.commands.board import board

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def page_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("board")
    parts = (("v1", 0.5, 0), ("v2", 0.55, 0), ("v3", 0.9, 0), ("other", 1.0, 1))
    runs = [folder(root / name, simulated("mine", share(part), seed=seed)) for name, part, seed in parts]
    return board(*runs, baseline="v1").write(root / "out")


def test_axe_finds_nothing_serious(browser: Any, page_path: Path) -> None:
    for scheme, width in EVERY_SCREEN:
        assert serious(browser, page_path, scheme=scheme, width=width) == [], f"{scheme}, {width} pixels"


@pytest.mark.parametrize("width", [1280, 360])
def test_nothing_is_wider_than_the_screen_and_nothing_is_loaded(browser: Any, page_path: Path, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800})
    asked: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(page_path.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert asked == [page_path.as_uri()]
    assert errors == []
    page.close()


def test_answer_leaderboard_and_history_are_on_the_first_screen(browser: Any, page_path: Path) -> None:
    page = opened(browser, page_path)
    for what in (".answer", "#answer table", "#answer svg.figure"):
        box = page.locator(what).first.bounding_box()
        assert box["y"] + min(box["height"], 150) <= 900, what
    assert "v3 is significantly better than v2 and v1" in page.locator(".answer").inner_text()
    page.close()


def test_why_a_row_is_not_ranked_opens_by_keyboard(browser: Any, page_path: Path) -> None:
    page = opened(browser, page_path)
    fold = page.locator("details", has=page.locator("summary", has_text="Not ranked with the others")).first
    fold.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert fold.locator("table").first.is_visible()
    assert "did not meet the same needs" in fold.inner_text()
    page.close()
