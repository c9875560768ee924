"""Pages on a judge, on agreement, on realism and on simulated users, in a real browser."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_report_page import EVERY_SCREEN, serious
from tests.render.made_documents import DOCUMENTS
from trialogue.render.media.page import document_page

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module", params=DOCUMENTS)
def page_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    path = folder / "page.html"
    path.write_text(document_page(DOCUMENTS[request.param](folder)), encoding="utf-8")
    return path


def test_axe_finds_nothing_serious(browser: Any, page_path: Path) -> None:
    for scheme, width in EVERY_SCREEN:
        assert serious(browser, page_path, scheme=scheme, width=width) == [], f"{scheme}, {width} pixels"


@pytest.mark.parametrize("width", [1280, 360])
def test_nothing_is_wider_than_the_screen_and_nothing_is_loaded(browser: Any, page_path: Path, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(page_path.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert asked == [page_path.as_uri()]
    page.close()
