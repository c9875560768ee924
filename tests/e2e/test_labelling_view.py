"""The message that is labelled is in view on load, at every size of the screen, with and without scripts."""

from typing import Any

import pytest

from tests.study.marked import MARKED

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SIZES = [(1280, 800), (1920, 1080), (360, 740), (360, 480), (640, 360)]
SLACK = 1.0  # pixels of rounding


def _window(browser: Any, size: tuple[int, int], **more: Any) -> Any:
    return browser.new_context(viewport={"width": size[0], "height": size[1]}, **more).new_page()


def _press(page: Any) -> None:
    with page.expect_navigation():
        page.locator("main button[type=submit]").first.click()


def _in_view(page: Any) -> bool:
    """Whether the marked message is in view: its box wholly, and its first line within that."""
    box, message = page.locator(".marked").bounding_box(), page.locator(".asked-about .bubble").bounding_box()
    inside = box["y"] >= -SLACK and box["y"] + box["height"] <= page.viewport_size["height"] + SLACK
    return bool(inside and box["y"] <= message["y"] <= box["y"] + box["height"] - 24)


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_marked_message_is_in_view_on_load(browser: Any, site: str, size: tuple[int, int], scripts: bool) -> None:
    page = _window(browser, size, java_script_enabled=scripts, locale="de" if size[0] == 360 else "en")
    page.goto(f"{site}/labels/")
    _press(page)
    seen = []
    while page.locator(".asked-about").count():
        seen.append(_in_view(page))
        if len(seen) == 1:  # sent without a label: the page comes back with what is wrong
            _press(page)
            assert page.locator(".error").count()
            assert _in_view(page)
        page.locator("main input[type=radio]").last.check()  # at the end of a long list of labels
        assert _in_view(page)
        _press(page)
    assert seen == [True] * len(MARKED)


def test_what_was_said_last_before_it_stands_right_above_it(browser: Any, site: str) -> None:
    page = _window(browser, (360, 740), java_script_enabled=False)
    page.goto(f"{site}/labels/")
    _press(page)
    below = []
    while page.locator(".asked-about").count():
        if page.locator(".before").count():
            context, last = page.locator(".before").bounding_box(), page.locator(".before li").last.bounding_box()
            below.append(context["y"] + context["height"] - last["y"] - last["height"])
        page.locator("main input[type=radio]").first.check()
        _press(page)
    assert len(below) == sum(place > 0 for _, place in MARKED.values())
    assert all(-SLACK <= each <= 16 for each in below)
