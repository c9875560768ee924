"""The study in a real browser: every page accessible on every screen, done by keyboard alone, and nothing hostile runs."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.study.pages.server import KINDS

pytestmark = [pytest.mark.browser, pytest.mark.slow]
ALL_RULES: dict[str, Any] = {"resultTypes": ["violations"]}
SCREENS = [("light", 1280), ("dark", 360)]
MAX_PAGES = 40  # pages of a small study


def serious(page: Any) -> list[Any]:
    """What axe finds of level serious or critical, and anything wider than the screen."""
    from axe_playwright_python.sync_playwright import Axe

    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    found = Axe().run(page, options=ALL_RULES).response["violations"]
    wide = _too_wide(page)
    return [
        (each["id"], [node["html"][:200] for node in each["nodes"][:3]])
        for each in found
        if each["impact"] in ("serious", "critical")
    ] + ([("wider than the screen", wide)] if wide > 0 else [])


def _too_wide(page: Any) -> int:
    """Pixels by which the page is wider than its screen; on a phone also when it is the smallest that there is."""
    size = page.viewport_size
    found: list[int] = []
    for width in (size["width"], *([320] if size["width"] < 400 else [])):
        page.set_viewport_size({**size, "width": width})
        found.append(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
    page.set_viewport_size(size)
    return max(found)


def screen(browser: Any, scheme: str, width: int, **more: Any) -> Any:
    """A window of its own: nobody's cookies."""
    return browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, **more).new_page()


def fill(page: Any) -> None:
    """Answer everything on a page that is not answered yet."""
    for name in page.eval_on_selector_all("main input[type=radio]", "all => [...new Set(all.map(each => each.name))]"):
        page.locator(f"main input[name='{name}']").first.check()
    write(page)


def write(page: Any) -> None:
    """Something into every field for words or a number."""
    for field in page.locator("main input[type=text], main textarea").all():
        field.fill("5" if field.get_attribute("inputmode") == "numeric" else "Because it fits.")


def walk(page: Any, address: str, *, filled: Callable[[Any], None] = fill) -> Iterator[str]:
    """From page to page to the end, with a stop at each; headings."""
    page.goto(address)
    for _ in range(MAX_PAGES):
        yield page.locator("h1").inner_text()
        button = page.locator("main button[type=submit]").first
        if not button.count():
            return
        filled(page)
        with page.expect_navigation():
            button.click()
    raise AssertionError("the study does not end")


@pytest.mark.parametrize(("scheme", "width"), SCREENS)
def test_axe_finds_nothing_serious_on_any_page_and_nothing_is_wider_than_the_screen(
    browser: Any, site: str, scheme: str, width: int
) -> None:
    page = screen(browser, scheme, width)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    found, seen = [], set()
    for kind in KINDS:
        for heading in walk(page, f"{site}/{kind}/"):
            if heading not in seen:
                seen.add(heading)
                found += [(kind, heading, each) for each in serious(page)]
        page.context.clear_cookies()
    assert found == []
    assert complaints == []
    assert len(seen) > 12


def test_a_study_is_done_by_keyboard_alone(browser: Any, site: str) -> None:
    page = screen(browser, "light", 1280)
    page.goto(f"{site}/rating/")
    for _ in range(MAX_PAGES):
        if page.locator("h1").inner_text() == "Thank you!":
            return
        by_keyboard(page)
    raise AssertionError("the study does not end")


def by_keyboard(page: Any) -> None:
    """Answer a page with the keys Tab, space and Enter, and letters; every stop can be seen to have the focus."""
    for _ in range(80):
        page.keyboard.press("Tab")
        at = page.evaluate(
            "(() => { const e = document.activeElement; const box = e.closest('label') ?? e;"
            " return [e.type ?? '', e.checked ?? false, e.value ?? '', getComputedStyle(box).outlineStyle,"
            " e.inputMode ?? '', !!e.closest('main')]; })()"
        )
        kind, checked, value, outline, mode, inside = at
        assert outline != "none"
        if not inside:
            continue
        if kind == "radio" and not checked:
            page.keyboard.press("Space")
        elif kind in ("text", "textarea") and not value:
            page.keyboard.type("5" if mode == "numeric" else "It fits.")
        elif kind == "submit":
            with page.expect_navigation():
                page.keyboard.press("Enter")
            return
    raise AssertionError("no button was reached")


def test_a_study_works_without_javascript(browser: Any, site: str) -> None:
    page = screen(browser, "light", 360, java_script_enabled=False)
    for kind in ("rating", "chat"):
        assert list(walk(page, f"{site}/{kind}/", filled=fill_plainly))[-1] == "Thank you!"
        page.context.clear_cookies()


def fill_plainly(page: Any) -> None:
    """As ``fill``, without a script of ours either."""
    for legend in page.locator("main fieldset").all():
        legend.locator("input").first.check()
    write(page)


def test_nothing_hostile_runs(browser: Any, site: str) -> None:
    page = screen(browser, "light", 1280)
    outside: list[str] = []
    page.on("request", lambda request: outside.append(request.url) if not request.url.startswith(site) else None)
    page.on("dialog", lambda dialog: outside.append(dialog.message))
    for _ in walk(page, f"{site}/hostile/"):
        assert page.evaluate("window.harmed") is None
    assert outside == []


TASK_HEADINGS = ("Rate each reply", "How meaningful")
"""Of pages with replies to rate: the default, and INFACT's."""


def at_task(browser: Any, site: str) -> tuple[Any, Iterator[str]]:
    """A page with replies to rate, and the steps from there on."""
    page = screen(browser, "light", 360)
    steps = walk(page, f"{site}/rating/")
    assert any(heading.startswith(TASK_HEADINGS) for heading in steps)
    return page, steps


def answered(page: Any) -> int:
    return int(page.locator("main input[type=radio]:checked").count())


def test_leaving_a_half_filled_page_is_asked_about_and_what_was_answered_is_kept_in_the_tab(
    browser: Any, site: str
) -> None:
    page, steps = at_task(browser, site)
    asked: list[str] = []

    def accept(dialog: Any) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", accept)
    page.locator("main input[type=radio]").nth(1).check()
    page.reload()
    assert asked == ["beforeunload"]
    assert answered(page) == 1
    assert page.locator("main input[type=radio]").nth(1).is_checked()
    next(steps)
    assert asked == ["beforeunload"]
    assert answered(page) == 0  # another item


def test_who_taps_begin_twice_comes_in_once(browser: Any, site: str) -> None:
    page = screen(browser, "light", 360)
    page.goto(f"{site}/rating/")
    counted = "(e) => { window.sent = (window.sent ?? 0) + !e.defaultPrevented; e.preventDefault(); }"
    page.evaluate(f"document.forms[0].addEventListener('submit', {counted})")
    page.evaluate("[1, 2, 3].forEach(() => document.querySelector('main button[type=submit]').click())")
    assert page.evaluate("window.sent") == 1


def test_a_bad_phone_loses_no_answers_and_puts_none_under_another_item(browser: Any, site: str) -> None:
    page, _ = at_task(browser, site)
    address, button = page.url, page.locator("main button[type=submit]")
    fill(page)
    given = answered(page)
    page.context.set_offline(True)  # the network is lost as they are sent
    button.click()
    page.wait_for_url("chrome-error://**")
    page.context.set_offline(False)
    page.clock.install()
    page.goto(address)
    assert answered(page) == given > 0
    stop = "document.querySelector('main form').addEventListener('submit', (e) => e.preventDefault(), {once: true})"
    page.evaluate(stop)  # the form leads nowhere: it can be sent again after a while
    button.click()
    page.clock.run_for(100)
    assert button.get_attribute("aria-disabled") == "true"
    page.clock.run_for(10_000)
    with page.expect_navigation():
        button.click()
    assert answered(page) == 0
    page.go_back()  # the browser would fill in what stood under the item before
    page.wait_for_load_state()
    assert page.locator("h1").inner_text().startswith(TASK_HEADINGS)
    assert answered(page) == 0


@pytest.mark.parametrize(("scheme", "width"), SCREENS)
def test_pages_of_staff_are_accessible(browser: Any, site: str, scheme: str, width: int) -> None:
    page = screen(browser, scheme, width, locale="de" if scheme == "dark" else "en")  # German has longer words
    page.goto(f"{site}/staff/")
    found = serious(page)
    page.locator("#username").fill("boss")
    page.locator("#password").fill("open sesame")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    for path in ("", "rating/", "rating/people/", "labelling/labels/", "realism/explanations/", "rating/log/"):
        page.goto(f"{site}/staff/{path}")
        found += [(path, each) for each in serious(page)]
    assert found == []


CAME = "?PROLIFIC_PID={name}&SESSION_ID=x"
ENDINGS = ("nothing", "full", "no id", "no cookies", "another's form", "over", "leave", "left", "receipt", "no agent")


def ending(page: Any, site: str, name: str) -> None:
    """Come to a page at which nobody wants to be."""
    came = CAME.format(name=f"{name[:3]}{page.viewport_size['width']}")
    page.goto(f"{site}/{ {'nothing': 'nothing', 'full': 'full', 'no agent': 'down'}.get(name, 'short') }/{came}")
    if name in ("nothing", "full"):
        return
    if name == "no id":
        page.goto(f"{site}/short/")
        return
    if name == "no cookies":
        page.context.clear_cookies()
    _press(page)
    if name == "another's form":
        page.evaluate("document.querySelector('input[name=token]').value = 'forged'")
        _press(page)
    elif name in ("leave", "left", "receipt"):
        page.goto(f"{site}/short/{'receipt' if name == 'receipt' else 'leave'}/")
        if name != "leave":
            page.locator("main input[type=text]").fill("0000") if name == "receipt" else None
            _press(page)
    elif name == "over":
        while page.locator("main input[name=token]").count():
            fill(page)
            _press(page)
    elif name == "no agent":
        fill(page)
        _press(page)


def _press(page: Any) -> None:
    with page.expect_navigation():
        page.locator("main button[type=submit]").first.click()


@pytest.mark.parametrize(("scheme", "width", "language"), [("light", 1280, "ar"), ("dark", 360, "de")])
def test_pages_of_trouble_and_of_the_end_are_accessible_too(
    browser: Any, site: str, scheme: str, width: int, language: str
) -> None:
    page = screen(browser, scheme, width, extra_http_headers={"Accept-Language": language})
    found, headings = [], set()
    for name in ENDINGS:
        ending(page, site, name)
        headings.add(page.locator("h1").inner_text())
        found += [(name, each) for each in serious(page)]
        page.context.clear_cookies()
    assert found == []
    assert len(headings) == len(ENDINGS)
    assert page.locator("html").get_attribute("dir") == ("rtl" if language == "ar" else "ltr")
