"""Every page says what it is given, harms nobody, and speaks the reader's language."""

import re
from html.parser import HTMLParser

import pytest
from django.utils import translation
from django.utils.translation import trans_real

from tests.study.hostile import HOSTILE
from tests.study.pages.made import html, page, plain, steps
from tests.study.po import LOCALE, messages

STEPS = list(steps())
VOID = {"meta", "link", "input", "br", "hr", "img"}


class Page(HTMLParser):
    """Tags and attributes of a page, its visible texts, and whether its tags are closed in order."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1] == tag, f"</{tag}> closes <{self.open[-1]}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append(data.strip())

    def having(self, name: str) -> list[dict[str, str]]:
        return [attributes for tag, attributes in self.tags if tag == name]


@pytest.fixture(autouse=True)
def _english() -> None:
    translation.activate("en")


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("wrong", [False, True])
def test_a_page_is_well_formed_and_every_control_has_a_label(name: str, wrong: bool) -> None:
    response = page(steps()[name], wrong=wrong)
    shown = Page(html(response))
    assert shown.open == []
    ids = [attributes["id"] for _, attributes in shown.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    labelled = {attributes["for"] for attributes in shown.having("label")}
    controls = [each for tag in ("input", "textarea") for each in shown.having(tag) if each.get("type") != "hidden"]
    assert {each["id"] for each in controls} <= labelled
    targets = {each["href"][1:] for each in shown.having("a") if each["href"].startswith("#")}
    described = {word for _, each in shown.tags for word in each.get("aria-describedby", "").split()}
    assert targets | described <= set(ids)
    assert len([tag for tag, _ in shown.tags if tag == "h1"]) == 1


@pytest.mark.parametrize("name", [name for name in STEPS if steps()[name].questions])
def test_what_is_missing_is_listed_with_links_and_said_in_the_title(name: str) -> None:
    response = page(steps()[name], wrong=True)
    assert response.status_code == 422
    source = html(response)
    assert "Please check: " in source
    assert "Please answer this question." in source
    required = [question for question in steps()[name].questions if question.required]
    if len(required) > 1:
        assert f"{len(required)} answers are missing or must be changed" in source


@pytest.mark.parametrize("name", STEPS)
def test_no_text_becomes_a_tag_an_attribute_or_a_script(name: str) -> None:
    known = {(tag, *sorted(attributes)) for tag, attributes in Page(html(page(steps()[name]))).tags}
    known |= {("mark",), ("strong",), ("h2",), ("ul",), ("li",), ("p",), ("a", "href", "rel", "target"), ("br",)}
    for text in HOSTILE:
        shown = Page(html(page(steps(lambda _, text=text: text)[name], texts=lambda _, text=text: text)))  # type: ignore[misc]
        assert {(tag, *sorted(attributes)) for tag, attributes in shown.tags} <= known, text
        assert all(each["href"].startswith(("#", "/", "?", "http")) for each in shown.having("a"))
        assert not [attributes for attributes in shown.having("script") if "src" not in attributes]


@pytest.mark.parametrize("name", STEPS)
def test_a_page_names_no_system_no_item_and_no_step(name: str) -> None:
    source = html(page(steps()[name]))
    assert not re.search(r"task:|before:|check:|comprehension:|feedback:", source)


@pytest.mark.parametrize("name", STEPS)
def test_a_page_loads_nothing_from_elsewhere(name: str) -> None:
    shown = Page(html(page(steps()[name])))
    for tag, attributes in shown.tags:
        for attribute in ("src", "action", "srcset", "data", "poster"):
            assert attributes.get(attribute, "/").startswith(("/", "#")), tag
        assert tag not in ("iframe", "object", "embed", "style", "base")
    assert all(each["href"].startswith("/static/") for each in shown.having("link"))


class Pseudo(trans_real.DjangoTranslation):
    """Every text of ours between brackets."""

    def __init__(self) -> None:
        super().__init__("en")
        known = messages(LOCALE / "de" / "LC_MESSAGES" / "django.po")
        self._singular = {each.text: f"⟦{each.text}⟧" for each in known}

    def gettext(self, message: str) -> str:
        return self._singular.get(message, message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return f"⟦{msgid1 if n == 1 else msgid2}⟧"


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("wrong", [False, True])
def test_no_text_of_ours_is_left_untranslated(name: str, wrong: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(trans_real._translations, "en", Pseudo())  # type: ignore[attr-defined]
    shown = Page(html(page(steps(_authors)[name], texts=_authors, wrong=wrong)))
    visible = " ".join(shown.texts)
    spoken = [
        each[attribute] for _, each in shown.tags for attribute in ("aria-label", "title", "alt") if attribute in each
    ]
    for text in [visible, *spoken]:
        left = re.sub(r"⟦[^⟧]*⟧|«[^»]*»", "", text)
        left = re.sub(r"English|Deutsch|Dateien|[^A-Za-z]", " ", left)
        assert left.split() in ([], ["x"]), f"not translated: {left.split()}"


def _authors(text: str) -> str:
    """A text of the study's author, marked as such."""
    return f"«{text}»" if '"' not in text else f"«{text.replace(chr(34), '')}»"


def test_german_pages_speak_german_and_say_so() -> None:
    source = html(page(steps()["rating"], language="de"))
    assert '<html lang="de" dir="ltr">' in source
    assert "Speichern und weiter" in source
    assert 'aria-current="true">Deutsch' in source


def test_a_language_written_from_right_to_left_turns_the_page() -> None:
    source = html(page(steps()["rating"], language="ar", language_="x", languages=["en", "ar"]))
    assert '<html lang="ar" dir="rtl">' in source


def test_a_language_that_the_study_does_not_have_is_not_spoken() -> None:
    assert '<html lang="en"' in html(page(steps()["rating"], language="de", languages=["en"]))


def test_styles_turn_with_the_direction_of_the_text() -> None:
    for path in (LOCALE.parent / "static").rglob("*.css"):
        physical = re.findall(
            r"(?:margin|padding|border)-(?:left|right)|text-align: (?:left|right)|(?<![-\w])(?:left|right):",
            path.read_text(),
        )
        assert physical == [], path.name


def test_plain_texts_are_shown_as_they_are() -> None:
    source = html(page(steps(plain)["rating"]))
    assert "<mark>&quot;Dunkirk (2017)&quot;</mark>" in source
    assert "(empty message)" in source


@pytest.mark.parametrize("name", [name for name in STEPS if steps()[name].kind != "exit"])
def test_no_browser_fills_in_what_stood_under_another_item(name: str) -> None:
    forms = Page(html(page(steps()[name]))).having("form")
    assert forms
    assert all(each.get("autocomplete") == "off" for each in forms)
