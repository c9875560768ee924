"""The explorer in a real browser, from a file and from the server: filters, search, two side by side, links, keys."""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.render.explorer.made import HOSTILE, SATISFIED, TURNS, answer, part, replies, talk
from tests.render.made import two
from trialogue.findings.threat import Severity, Threat, ThreatCode
from trialogue.records import Ending, Need, ScoreBlock
from trialogue.records.scores.score_block import ScoreColumn
from trialogue.render.explorer.entries import Part
from trialogue.subjects.evaluation.pages.write import write_report
from trialogue.workflows.view import run_server

pytestmark = [pytest.mark.browser, pytest.mark.slow]

MANY = 400
PATIENCE_S = 120.0  # of a machine with much else to do; nothing waits for as long
MARKDOWN = (
    "1. **Heat** [x](javascript:alert(1)) [y](https://a.example)\n2. ![z](https://a.example/z.png) "
    "<img src=x onerror=alert(1)>"
)
BASELINE = "toString"  # the last of the systems
NAMES = ("A", "B", "__proto__", "<img src=x onerror=alert(1)>", "constructor", "toString")
"""Systems; some names mean something to a page or a program that is careless."""


def crowd() -> Part:
    """400 dialogues of six systems, on 80 needs, with failures, answers and a word that stands in one."""
    talks, scores = [], []
    for at in range(MANY):
        system = NAMES[at % len(NAMES)]
        texts = [f"a film about number {at}", "Élan vital, needle in hay" if at == 123 else f"reply {at}", "thanks"]
        texts[1] = MARKDOWN if at == 124 else texts[1]
        ended = Ending.AGENT_ERROR if at % 50 == 7 else Ending.USER_ENDED
        talks.append(talk(f"d{at}", system, texts, need=Need(id=f"n{at // len(NAMES)}"), ended_by=ended))
        scores.append(answer(f"d{at}", float(1 + at % 5), f"u{at % 7}", system))
    blocks = [
        ScoreBlock(
            system=name,
            dialogues=tuple(each.id for each in talks if each.system == name),
            replies=(0,) * sum(each.system == name for each in talks),
            columns=(
                ScoreColumn(
                    measure=TURNS, dialogues=tuple(float(each.id[1:]) for each in talks if each.system == name)
                ),
            ),
        )
        for name in NAMES
    ]
    return Part(scores=[*scores, *blocks], name="crowd", dialogues=talks)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with its explorer."""
    folder = tmp_path_factory.mktemp("run")
    failing = Threat(
        code=ThreatCode.FAILURES,
        severity=Severity.DEMOTES,
        systems=("B",),
        facts={"failed": 3, "missing": 0, "dialogues": 67},
    )
    first, *others = two().leagues
    baseline = first.standings[0].model_copy(update={"system": BASELINE})
    leagues = (first.model_copy(update={"baselines": (baseline,)}), *others)
    findings = two().model_copy(update={"threats": (failing,), "title": HOSTILE[:40], "leagues": leagues})
    rich, offline = part(), replies()
    parts = [crowd(), Part(**{**rich.__dict__, "name": "rich"}), Part(**{**offline.__dict__, "name": "replies"})]
    write_report(findings, folder, explored=parts)
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[str]:
    """The same from the server of `trialogue view`."""
    with run_server(folder) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()
        thread.join()


def wait_for(page: Any, condition: str) -> None:
    """Until a condition holds. A function that waits inside the page needs ``eval``, which the policy forbids."""
    end = time.monotonic() + PATIENCE_S
    while not page.evaluate(condition):
        assert time.monotonic() < end, condition
        page.wait_for_timeout(20)


@dataclass
class Screen:
    """A page with what it complained of and asked for."""

    page: Any
    complaints: list[str]
    requests: list[str]

    def refuse(self, dialog: Any) -> None:
        """A script asks for something: none should."""
        self.complaints.append("dialog")
        dialog.dismiss()

    @property
    def count(self) -> str:
        return str(self.page.locator("#count").inner_text())

    def rows(self) -> list[str]:
        return [text.replace("\n", " ") for text in self.page.locator("#list .row").all_inner_texts()]

    def wait(self, condition: str) -> None:
        wait_for(self.page, condition)

    def counts(self, text: str) -> None:
        """Wait until so many rows are left."""
        self.wait(f"document.getElementById('count').innerText.startsWith({text!r})")


@pytest.fixture
def open_at(browser: Any, folder: Path) -> Iterator[Any]:
    """Opens the explorer at an address."""
    pages = []

    def opened(hash_: str = "", *, base: str = "", width: int = 1280, scheme: str = "light") -> Screen:
        page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
        page.set_default_timeout(PATIENCE_S * 1000)
        screen = Screen(page, [], [])
        page.on("console", lambda message: screen.complaints.append(message.text))
        page.on("pageerror", lambda error: screen.complaints.append(str(error)))
        page.on("dialog", lambda dialog: screen.refuse(dialog))
        page.on("request", lambda request: screen.requests.append(request.url))
        page.goto(f"{base or folder.as_uri()}/explorer.html{hash_}")
        screen.wait("/\\d/.test(document.getElementById('count').innerText)")
        pages.append(page)
        return screen

    yield opened
    for page in pages:
        page.close()


def walk(screen: Screen) -> None:
    """Look at everything that a person can open in the first dialogues."""
    page = screen.page
    for part_name in ("crowd", "rich", "replies"):
        page.evaluate(f"location.hash = '#part={part_name}'")
        screen.wait(f"document.querySelector('select[name=part]').value === '{part_name}'")
        page.locator("#list").focus()
        for _ in range(8):
            page.keyboard.press("j")
            page.keyboard.press("Enter")
        page.locator("#dialogue article").first.wait_for()
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    page.locator("input[type=search]").fill("script onerror")
    page.wait_for_load_state("networkidle")


@pytest.mark.parametrize("by_server", [False, True])
def test_it_loads_what_lies_beside_it_and_breaks_no_policy(
    open_at: Any, folder: Path, server: str, by_server: bool
) -> None:
    base = server if by_server else folder.as_uri()
    screen = open_at(base=base)
    walk(screen)
    assert screen.complaints == []
    inside = (f"{base}/explorer.html", f"{base}/explorer/")
    assert [url for url in screen.requests if not url.startswith(("data:", *inside))] == []
    assert screen.page.locator("img, iframe, object, embed").count() == 0


def test_the_server_sends_a_strict_policy(browser: Any, server: str) -> None:
    page = browser.new_page()
    policy = page.goto(f"{server}/explorer.html").headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    page.close()


def test_hostile_texts_are_shown_and_not_run(open_at: Any) -> None:
    screen = open_at("#open=rich/A/third")
    text = screen.page.locator(".talk .said").first.text_content()
    assert text.startswith("</script><img src=x onerror=alert(1)>")
    assert "<!-- ]]> ${x}" in text
    screen = open_at("#system=" + "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E")
    assert screen.rows()[0].startswith("<img src=x onerror=alert(1)>")
    assert screen.complaints == []


def test_markdown_of_a_system_becomes_elements_and_loads_nothing(open_at: Any) -> None:
    screen = open_at("#open=crowd/constructor/d124")
    said = screen.page.locator(".talk .theirs .said").first
    assert said.locator("ol > li").count() == 2
    assert said.locator("strong").all_text_contents() == ["Heat"]
    assert [link.get_attribute("href") for link in said.locator("a").all()] == [
        "https://a.example",
        "https://a.example/z.png",
    ]
    assert said.locator("img").count() == 0
    assert "<img src=x onerror=alert(1)>" in said.text_content()
    assert screen.complaints == []


@pytest.mark.parametrize("name", ["__proto__", "constructor", "toString"])
def test_names_that_mean_something_to_a_program_are_names(open_at: Any, name: str) -> None:
    screen = open_at(f"#system={name}")
    screen.counts("67" if name != "constructor" and name != "toString" else "66")
    assert all(row.startswith(name) for row in screen.rows())
    assert screen.complaints == []


def test_addresses_that_make_no_sense_break_nothing(open_at: Any) -> None:
    for hash_ in (
        "#open=x/y/z",
        "#__proto__=1&constructor=2",
        "#min=abc&max=",
        "#q=%E0%A4%A",
        "#threat=none",
        "#system=gone",
    ):
        screen = open_at(hash_)
        assert screen.complaints == []
    assert "There is no dialogue z of y here." in open_at("#open=x/y/z").page.locator("#dialogue").inner_text()


@pytest.mark.parametrize(
    ("hash_", "left"),
    [
        ("", "407"),  # 400 of the crowd, 5, and 2 replies
        ("#part=crowd", "400"),
        ("#part=crowd&system=A", "67"),
        (f"#measure={TURNS.replace('|', '%7C')}&min=10&max=19.5", "10"),
        ("#ending=failure", "10"),  # 8 of the crowd, one of rich, one reply
        ("#ending=fault-agent&part=crowd", "8"),
        ("#ending=none", "4"),
        ("#threat=failures//B", "2"),  # of the 8 failures of the crowd B has 1 (7), 2 (157), ...
        ("#strategy=offer_help", "1"),
        ("#act=user/Disclose", "1"),
        ("#rater=u1&part=rich", "2"),
        ("#q=needle%20hay", "1"),
        ("#q=%22hay%20needle%22", "0"),
        ("#q=elan", "1"),
    ],
)
def test_a_filter_leaves_what_it_says(open_at: Any, hash_: str, left: str) -> None:
    screen = open_at(hash_)
    if hash_.startswith("#threat"):
        failed = [at for at in range(MANY) if at % 50 == 7 and NAMES[at % len(NAMES)] == "B"]
        left = str(len(failed) + 1)  # one reply of B timed out
    screen.counts(left)
    assert int(screen.count.split()[0]) == int(left)


def test_the_worst_come_first_and_the_order_can_be_turned(open_at: Any) -> None:
    screen = open_at(f"#part=crowd&measure={SATISFIED}")
    assert screen.rows()[0].split()[-5] == "1" or " 1 " in screen.rows()[0]
    screen.page.locator("select[name=sort]").select_option("high")
    screen.wait("document.getElementById('count').innerText.includes('highest first')")
    assert " 5 " in screen.rows()[0]
    assert "sort=high" in screen.page.url


def test_fields_write_the_address_and_the_address_fills_the_fields(open_at: Any) -> None:
    screen = open_at()
    screen.page.locator("select[name=part]").select_option("crowd")
    screen.page.locator("select[name=system]").select_option("A")
    screen.page.locator("input[name=min]").fill("4")
    screen.counts("26")  # of A's 67 answers from 1 to 5, those of at least 4
    again = open_at("#" + screen.page.url.partition("#")[2])
    again.counts("26")
    assert again.page.locator("select[name=system]").input_value() == "A"
    assert again.page.locator("input[name=min]").input_value() == "4"
    again.page.get_by_text("Clear filters").click()
    again.counts("407")
    assert again.page.url.partition("#")[2] == ""


def test_a_long_list_has_few_elements_and_scrolls_to_its_end(open_at: Any) -> None:
    screen = open_at("#part=crowd")
    assert screen.page.locator("#list .row").count() < 40
    screen.page.locator("#list").focus()
    screen.page.keyboard.press("End")
    last = screen.page.locator("#list .row[aria-posinset='400']")
    assert last.get_attribute("aria-selected") == "true"
    assert last.bounding_box()["y"] < 800


def test_two_systems_stand_side_by_side_on_the_same_need(open_at: Any) -> None:
    screen = open_at("#part=crowd&system=A,B")
    screen.counts("67")
    assert "needs that both met" in screen.count
    screen.page.locator("#list").focus()
    screen.page.keyboard.press("j")
    screen.page.keyboard.press("Enter")
    screen.wait("document.querySelectorAll('#dialogue article').length === 2")
    first, second = screen.page.locator("#dialogue article h2").all_inner_texts()
    assert first.startswith("A")
    assert second.startswith("B")
    assert int(second.split("d")[-1]) == int(first.split("d")[-1]) + 1  # of the same need
    boxes = [screen.page.locator("#dialogue article").nth(at).bounding_box() for at in (0, 1)]
    assert boxes[0]["y"] == boxes[1]["y"]


def test_baselines_stand_apart_in_the_menu_and_are_counted(open_at: Any) -> None:
    screen = open_at()
    in_group = screen.page.locator('select[name=system] optgroup[label^="Baselines"] option')
    assert in_group.all_text_contents() == [BASELINE]
    assert f"({MANY // len(NAMES)} with baselines)" in screen.count
    screen.page.evaluate("location.hash = '#system=A'")
    screen.wait("/ of /.test(document.getElementById('count').innerText)")
    assert "baselines" not in screen.count


def test_another_system_on_the_same_situation_is_put_beside(open_at: Any) -> None:
    screen = open_at("#open=replies/A/s1")
    assert "What the human recommender said" in screen.page.locator("#dialogue").inner_text()
    screen.page.locator("select[name=beside]").select_option(index=1)
    screen.wait("document.querySelectorAll('#dialogue article').length === 2")
    assert "beside=replies/B/s1" in screen.page.url
    screen.page.keyboard.press("Escape")


def test_a_dialogue_shows_everything_that_is_on_record(open_at: Any) -> None:
    screen = open_at("#open=rich/A/rich")
    screen.page.locator("#dialogue article").wait_for()
    screen.page.evaluate("document.querySelectorAll('#dialogue details').forEach(each => each.open = true)")
    text = screen.page.locator("#dialogue").inner_text()
    for piece in (
        "ended by an error of the agent (fault: agent)", "time of the system 1.25 s in 1 turn", "genre",
        "crime (may be given up)",
        "offer help 0.75", "Disclose", "1.25 s", "thought", "cars", "ronin, heat", "u1 (invented)", "1 to 5", "it listens",
    ):  # fmt: skip
        assert piece in text, piece
    mark = screen.page.locator("mark")
    assert mark.text_content() == "Heat"
    assert mark.get_attribute("title") == "Heat (1995) · id heat · linked"


def test_keys_move_open_close_and_search(open_at: Any) -> None:
    screen = open_at("#part=crowd&sort=file")
    page = screen.page
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.name") == "q"
    page.keyboard.type("jk?")
    assert page.locator("input[name=q]").input_value() == "jk?"
    page.locator("input[name=q]").fill("")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "list"
    screen.counts("400")
    for key in ("j", "j", "j", "k", "Enter"):
        page.keyboard.press(key)
    page.locator("#dialogue article").wait_for()
    assert page.url.endswith("open=crowd/B/d1")
    page.keyboard.press("j")
    screen.wait("location.hash.endsWith('d2')")
    page.keyboard.press("b")
    screen.wait("document.querySelectorAll('#dialogue article').length === 2")
    page.keyboard.press("Escape")
    assert page.locator("#dialogue article").count() == 0
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    assert "the next dialogue" in page.locator("#help").inner_text()
    page.keyboard.press("Escape")
    assert not page.locator("#help").is_visible()


def test_the_back_button_closes_what_was_opened(open_at: Any) -> None:
    screen = open_at("#part=crowd")
    screen.page.locator("#list .row").first.click()
    screen.page.locator("#dialogue article").wait_for()
    screen.page.go_back()
    screen.wait("document.querySelectorAll('#dialogue article').length === 0")
    assert screen.page.url.endswith("#part=crowd")


def test_a_phone_shows_the_list_then_the_dialogue_and_never_scrolls_sideways(open_at: Any) -> None:
    screen = open_at("#part=rich", width=360)
    page = screen.page
    assert page.locator("#list .row").first.bounding_box()["y"] < 330
    assert not page.locator("select[name=system]").is_visible()
    page.locator("summary", has_text="Filters").first.click()
    assert page.locator("select[name=system]").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.locator("summary", has_text="Filters").first.click()
    page.locator("#list .row").first.click()
    page.locator("#dialogue article").wait_for()
    assert not page.locator("#list").is_visible()
    page.evaluate("document.querySelectorAll('#dialogue details').forEach(each => each.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.locator("button.close").click()
    assert page.locator("#list").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_axe_finds_nothing_serious(open_at: Any, scheme: str, width: int) -> None:
    from axe_playwright_python.sync_playwright import Axe

    for hash_ in ("#part=rich", "#open=rich/A/rich", "#part=crowd&system=A,B&open=crowd/A/d0"):
        screen = open_at(hash_, scheme=scheme, width=width)
        if "open" in hash_:
            screen.page.locator("#dialogue article").first.wait_for()
        screen.page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        found = Axe().run(screen.page, options={"resultTypes": ["violations"]}).response["violations"]
        serious = [
            (each["id"], [node["html"][:160] for node in each["nodes"][:3]])
            for each in found
            if each["impact"] in ("serious", "critical")
        ]
        assert serious == [], hash_


def test_dark_screens_are_dark(open_at: Any) -> None:
    page = open_at(scheme="dark").page
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(20, 23, 27)"


def test_numbers_of_the_report_lead_to_their_dialogues(browser: Any, folder: Path) -> None:
    page = browser.new_page()
    page.goto((folder / "report.html").as_uri())
    for address in page.eval_on_selector_all("a[href^='explorer.html']", "all => all.map(each => each.href)")[:6]:
        other = browser.new_page()
        other.goto(address)
        wait_for(other, "/\\d/.test(document.getElementById('count').innerText)")
        other.close()
    page.get_by_text("Look at the dialogues").click()
    wait_for(page, "/\\d/.test(document.getElementById('count').innerText)")
    page.close()


def test_a_missing_chunk_is_named(browser: Any, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "explorer.html").write_bytes((folder / "explorer.html").read_bytes())
    app = tmp_path / "explorer" / "app"
    app.mkdir(parents=True)
    for path in (folder / "explorer" / "app").iterdir():
        (app / path.name).write_bytes(path.read_bytes())
    page = browser.new_page()
    page.goto((tmp_path / "explorer.html").as_uri())
    page.locator("#dialogue", has_text="explorer/data/index.js cannot be read").wait_for()
    page.close()


def test_what_filters_and_the_search_need_is_read_ahead(open_at: Any) -> None:
    screen = open_at()
    screen.wait("performance.getEntriesByName('explorer:warm').length === 1")
    asked = len(screen.requests)
    screen.page.evaluate("location.hash = '#q=needle'")
    screen.counts("1 of")
    screen.page.evaluate("location.hash = '#ending=failure&measure=human%3Asatisfaction'")
    screen.wait("!document.getElementById('count').innerText.startsWith('1 of')")
    texts = [one for one in screen.requests[asked:] if "/data/" in one and "preview" not in one]
    assert texts == []
    assert screen.complaints == []


def test_a_search_before_everything_is_read_finds_the_same(open_at: Any) -> None:
    screen = open_at("#q=needle")
    screen.counts("1 of")
    assert screen.complaints == []
