"""A study's report in a real browser: accessible in both colors, and fit for a phone."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_report_page import opened, serious
from tests.render.made_study import everything
from trialogue.render.media.page import document_page
from trialogue.subjects.people.pages.document import study_document

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def study_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of everything as a file."""
    path = tmp_path_factory.mktemp("study") / "study.html"
    path.write_text(document_page(study_document(everything())), encoding="utf-8")
    return path


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
def test_axe_finds_nothing_serious(browser: Any, study_page: Path, scheme: str, width: int) -> None:
    assert serious(browser, study_page, scheme=scheme, width=width) == []


def test_a_phone_never_scrolls_sideways(browser: Any, study_page: Path) -> None:
    page = opened(browser, study_page, width=360)
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.close()
