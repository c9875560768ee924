"""One page of the staff workbench launches a study: pre-flight, a few people first, strata, pause and ledger."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_study_pages import screen, serious, walk
from tests.e2e.test_workbench import _logged_in, _press
from tests.study.prolific_api import TOKEN, Prolific, serving

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SCREENS = [("light", 1280), ("dark", 390)]


@pytest.fixture(scope="module")
def platform() -> Iterator[Prolific]:
    with serving() as made:
        yield made


@pytest.fixture(scope="module")
def site(browser: Any, platform: Prolific, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that recruits."""
    command = [sys.executable, "-m", "tests.study.pages.server", str(tmp_path_factory.mktemp("studies"))]
    where = os.environ | {"TRIALOGUE_PROLIFIC_API": platform.address, "PROLIFIC_TOKEN": TOKEN}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2], env=where
    ) as server:
        assert server.stdout
        yield server.stdout.readline().strip()
        server.terminate()


def said(page: Any, section: str) -> str:
    return " ".join(page.locator(f"section[aria-labelledby={section}]").inner_text().split())


@pytest.mark.parametrize(("scheme", "width"), SCREENS)
def test_a_study_is_launched_from_one_page(
    browser: Any, site: str, platform: Prolific, scheme: str, width: int
) -> None:
    study = f"launch-{scheme}"
    page = screen(browser, scheme, width)
    _logged_in(page, site)
    page.goto(f"{site}/staff/{study}/launch/")
    found = serious(page)
    _press(page, "Create the draft")
    (remote,) = [each for each in platform.studies.values() if f"/{study}/" in each["external_study_url"]]
    assert "State of the study" in said(page, "prolific")  # it is not open yet, and so cannot be published
    assert page.get_by_role("button", name="Publish on Prolific").count() == 0
    found += serious(page)
    page.locator("#launch-places").fill("99")
    _press(page, "Open")
    assert "Confirm it with" in page.locator(".note.wrong").inner_text()
    label = page.locator("label[for=launch-places]").inner_text()
    page.locator("#launch-places").fill(label.split()[1])
    _press(page, "Open")
    assert "Running" in page.locator(".head").inner_text()
    assert "No differences." in said(page, "prolific")
    remote["device_compatibility"] = ["desktop"]  # somebody changes it on Prolific meanwhile
    page.locator("#publish-sum").fill("2.50 GBP")
    _press(page, "Publish on Prolific")
    assert "was changed meanwhile" in page.locator(".note.wrong").inner_text()
    assert "Devices" in said(page, "prolific")
    found += serious(page)
    page.locator("#publish-sum").fill("2.50 GBP")
    _press(page, "Publish on Prolific")
    assert remote["status"] == "ACTIVE"
    assert "Published" in said(page, "prolific")
    person = screen(browser, scheme, width)
    headings = list(walk(person, f"{site}/{study}/?PROLIFIC_PID=p1{scheme}&STUDY_ID=s&SESSION_ID=e1"))
    assert headings[-1] == "Thank you!"
    late = screen(browser, scheme, width)
    late.goto(f"{site}/{study}/?PROLIFIC_PID=p2{scheme}&STUDY_ID=s&SESSION_ID=e2")
    assert "The study is paused" in late.locator("main").inner_text()
    page.reload()
    assert "1 of 1" in said(page, "admission")
    strata = said(page, "strata")
    assert "young 4" in strata
    assert "old 4" in strata
    found += serious(page)
    page.locator("#go-on-sum").fill(page.locator("label[for=go-on-sum]").inner_text().split("Type ")[1].split(" to")[0])
    _press(page, "Go on")
    assert remote["total_available_places"] == 4
    assert page.locator("#go-on-sum").count() == 0
    ledger = said(page, "ledger")
    for each in ("Open places", "Publish", "Create the draft", "boss"):
        assert each in ledger
    late.reload()
    assert "paused" not in late.locator("main").inner_text()
    _press(page, "Pause")
    _press(page, "Check now")
    assert remote["status"] == "PAUSED"
    assert found == []


@pytest.mark.parametrize(("scheme", "width"), SCREENS)
def test_a_study_that_paused_by_itself_says_why(browser: Any, site: str, scheme: str, width: int) -> None:
    page = screen(browser, scheme, width)
    _logged_in(page, site)
    for path in ("halted/", "halted/launch/"):
        page.goto(f"{site}/staff/{path}")
        assert "2 of 2 participants who completed failed" in page.locator(".note.wrong").inner_text()
        assert serious(page) == []
