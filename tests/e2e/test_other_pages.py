"""Pages on a judge, on agreement, on realism and on simulated users, in a real browser."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_report_page import EVERY_SCREEN, serious
from tests.findings.raters import MANIFEST, rated, truth, votes
from tests.report.agreement.test_agreement_page import realism
from tests.report.made_documents import DOCUMENTS
from tests.workflows.passport.test_passport import talks
from trialogue.findings.agreement.agreement import agreement
from trialogue.records import write_records
from trialogue.report.agreement.page import agreement_page
from trialogue.report.agreement.realism import realism_page
from trialogue.report.passport.page import passport_page
from trialogue.report.render.page import document_page
from trialogue.workflows.passport.passport import passport

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def agreed(folder: Path) -> str:
    good, systems = truth(60)
    scores = rated(good, (good > 2.5).astype(float), systems, measure="bleu@sacrebleu|v1")
    return agreement_page(agreement(scores, votes(good, systems, tie=0.5), title="t", data="d", manifest=MANIFEST))


def simulated(folder: Path) -> str:
    paths = [folder / name for name in ("simulated.jsonl", "people.jsonl")]
    write_records(paths[0], talks(20, words=8, seed=2, name="s"))
    write_records(paths[1], talks(20, words=4, seed=1))
    return passport_page(passport(str(paths[0]), [str(paths[1])], resamples=100))


PAGES: Mapping[str, Callable[[Path], str]] = {
    **{name: lambda folder, make=make: document_page(make(folder)) for name, make in DOCUMENTS.items()},
    "agreement": agreed,
    "realism": lambda _folder: realism_page(realism()),
    "passport": simulated,
}


@pytest.fixture(scope="module", params=PAGES)
def page_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    path = folder / "page.html"
    path.write_text(PAGES[request.param](folder), encoding="utf-8")
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
