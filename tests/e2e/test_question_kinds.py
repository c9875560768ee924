"""Rankings, sliders and conditional questions in a real browser, with and without scripts."""

from typing import Any

import pytest

from tests.e2e.test_study_pages import SCREENS, screen, serious

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def _at_task(page: Any, site: str) -> None:
    page.goto(f"{site}/kinds/")
    page.locator("main button[type=submit]").first.click()
    page.locator("select").first.wait_for()


def _send(page: Any) -> None:
    with page.expect_navigation():
        page.locator("main button[type=submit]").first.click()


def _order(page: Any) -> None:
    for name in page.eval_on_selector_all("main input[type=radio]", "all => [...new Set(all.map(each => each.name))]"):
        page.locator(f"main input[name='{name}']").last.check()
    for place in (1, 2, 3):
        page.locator(f"#q-order-{place}").select_option(f"{4 - place}={place}")
    page.locator("#q-extremes-best").select_option("best=1")
    page.locator("#q-extremes-worst").select_option("worst=2")


@pytest.mark.parametrize(("scheme", "width"), SCREENS)
def test_orders_lines_and_conditions_work_with_scripts(browser: Any, site: str, scheme: str, width: int) -> None:
    page = screen(browser, scheme, width)
    _at_task(page, site)
    assert serious(page) == []
    line = page.locator(".slider input[type=range]")
    assert page.locator("#q-mood").input_value() == ""  # nobody has moved it
    what = page.locator("#q-what")
    assert not what.is_visible()
    _order(page)  # the last answer: no
    assert not what.is_visible()
    page.locator("input[name=more]").first.check()
    assert what.is_visible()
    what.fill("The music.")
    _send(page)
    assert page.locator(".question.bad").count() == 1  # the line
    assert page.locator("#q-order-1").input_value() == "3=1"
    assert what.input_value() == "The music."
    line.focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("#q-mood").input_value() == "6"
    _send(page)
    assert page.locator("select").count() == 0 or page.locator(".question.bad").count() == 0


def test_they_work_without_scripts(browser: Any, site: str) -> None:
    page = screen(browser, "light", 360, java_script_enabled=False)
    _at_task(page, site)
    for legend in page.locator("main fieldset:has(input)").all():
        legend.locator("input").last.check()
    for place in (1, 2, 3):
        page.locator(f"#q-order-{place}").select_option(f"{place}={place}")
    page.locator("#q-extremes-best").select_option("best=1")
    page.locator("#q-extremes-worst").select_option("worst=2")
    assert page.locator("#q-what").is_visible()
    assert "Only if you answered" in page.locator("main").inner_text()
    page.locator("#q-mood").fill("3")
    _send(page)
    assert page.locator(".question.bad").count() == 0
