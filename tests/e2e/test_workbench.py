"""Staff look at a session and decide about it, in a real browser, on a phone and on a desk."""

from typing import Any

import pytest

from tests.e2e.test_study_pages import SCREENS, screen, serious, walk

pytestmark = [pytest.mark.browser, pytest.mark.slow]
TALLEST = 220  # pixels of a row on a phone; a screen has 740


def _logged_in(page: Any, site: str) -> None:
    page.goto(f"{site}/staff/")
    page.locator("#username").fill("boss")
    page.locator("#password").fill("open sesame")
    with page.expect_navigation():
        page.keyboard.press("Enter")


def _press(page: Any, name: str) -> None:
    with page.expect_navigation():
        page.get_by_role("button", name=name, exact=True).click()


@pytest.mark.parametrize(("scheme", "width"), SCREENS)
def test_a_session_is_read_and_decided_about(browser: Any, site: str, scheme: str, width: int) -> None:
    person = screen(browser, scheme, width)
    assert list(walk(person, f"{site}/rating/"))[-1] == "Thank you!"
    page = screen(browser, scheme, width)
    _logged_in(page, site)
    page.goto(f"{site}/staff/rating/people/?show=open")
    rows = [each.bounding_box()["height"] for each in page.locator(".people tbody tr").all()]
    assert rows
    assert max(rows) <= TALLEST
    found = serious(page)
    with page.expect_navigation():
        page.locator(".people tbody a").first.click()
    address = page.url.partition("#")[0]
    assert page.locator(".turn").count() >= 6
    found += serious(page)
    page.get_by_label("Payment").fill("")
    _press(page, "Refuse")
    assert "give a reason" in page.locator(".note.wrong").inner_text()
    _press(page, "Accept")
    page.locator("#amount").fill("0.50")
    _press(page, "Add a bonus")
    page.locator("#exclude-reason").fill("Wrote to us that a friend had answered")
    _press(page, "Exclude manually")
    said = page.locator("section[aria-labelledby=decisions] .evidence").inner_text()
    for each in ("accepted", "bonus 0.50", "excluded manually: Wrote to us"):
        assert each in said
    found += serious(page)
    _press(page, "Reverse the exclusion")
    assert "excluded manually: Wrote" not in page.locator("section[aria-labelledby=decisions] .evidence").inner_text()
    page.goto(f"{site}/staff/rating/data/")
    found += serious(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Export (ZIP)").click()
    assert download.value.suggested_filename == "rating-export.zip"
    page.goto(f"{site}/staff/rating/report/")
    assert "Stopping rule" in page.locator("main").inner_text()
    found += serious(page)
    _press(page, "Create the report")
    page.get_by_role("link", name="View it").wait_for(timeout=120_000)
    with page.expect_navigation():
        page.get_by_role("link", name="View it").click()
    assert page.locator("h1").first.inner_text()
    page.goto(address)
    with page.expect_navigation():
        page.get_by_role("link", name="Erase all data of this participant").click()
    found += serious(page)
    page.locator("#sure").check()
    _press(page, "Erase")
    assert "The data of 1 participant were erased" in page.locator(".note.good").inner_text()
    assert page.goto(address).status == 404
    assert found == []


def test_a_label_that_annotators_dispute_is_decided_with_the_message_in_view(browser: Any, site: str) -> None:
    for place in (0, 1):
        person = screen(browser, "light", 1280)
        person.goto(f"{site}/disputed/")
        person.locator("main button[type=submit]").first.click()
        person.locator("main input[type=radio]").nth(place).check()
        with person.expect_navigation():
            person.locator("main button[type=submit]").first.click()
    page = browser.new_context(viewport={"width": 360, "height": 740}).new_page()
    _logged_in(page, site)
    page.goto(f"{site}/staff/disputed/labels/")
    box = page.locator(".marked").bounding_box()
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= 740
    assert "Annotator 1" in page.locator("main").inner_text()
    page.locator("main input[type=radio]").first.check()
    _press(page, "Save and continue")
    assert "All messages have consistent labels" in page.locator("main").inner_text()
