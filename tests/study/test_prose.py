"""Texts of authors and of corpora become HTML that says what they say, and does nothing."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from tests.study.hostile import HOSTILE
from trialogue.markdown import TAGS
from trialogue.study.design.file import ImageAddress
from trialogue.study.pages.fragments import prose, reply, with_items
from trialogue.study.web.middleware import policy


class Seen(HTMLParser):
    """The tags, attributes and text of a piece of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a\nb\n\nc", "<p>a<br>b</p><p>c</p>"),
        ("## Your **data**\n\n1. one\n2) two", "<h2>Your <strong>data</strong></h2><ol><li>one</li><li>two</li></ol>"),
        ("You:\n- read\n- rate\nThanks", "<p>You:</p><ul><li>read</li><li>rate</li></ul><p>Thanks</p>"),
        ("", ""),
        ("2 ** 3 ** 4", "<p>2 ** 3 ** 4</p>"),
        ("it costs $5 & more", "<p>it costs $5 &amp; more</p>"),
    ],
)
def test_plain_text_becomes_paragraphs_lists_and_headings(text: str, html: str) -> None:
    assert prose(text) == html


def test_an_address_becomes_a_link_without_the_full_stop_behind_it() -> None:
    seen = Seen(prose("See https://example.org/a?b=1&c=2."))
    assert ("href", "https://example.org/a?b=1&c=2") in seen.attributes
    assert seen.text.endswith("c=2.")


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ('try "Heat (1995)" and "Ronin"', ['"Heat (1995)"', '"Ronin"']),
        ("try “Heat” or „Das Boot“", ["“Heat”", "„Das Boot“"]),
        ('5" disks and 3" ones', []),
        ("'single' and it's", []),
        ('he said " well " then', []),
        ('""', []),
    ],
)
def test_what_stands_in_quotes_is_marked(text: str, marked: list[str]) -> None:
    found = re.findall(r"<mark>(.*?)</mark>", with_items(text))
    assert [each.replace("&quot;", '"') for each in found] == marked
    assert Seen(with_items(text)).text == text


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_hostile_becomes_a_tag(text: str) -> None:
    assert set(Seen(with_items(text)).tags) <= {"mark"}
    seen = Seen(prose(text))
    assert set(seen.tags) <= {"p", "br", "ul", "ol", "li", "h2", "strong", "a"}
    assert all(name in ("rel", "target") or str(value).startswith("http") for name, value in seen.attributes)


@given(st.text(alphabet=st.sampled_from('<>&"“”„«»*#- \n1.)ahtps:/'), max_size=60))
def test_whatever_is_written_is_said(text: str) -> None:
    assert Seen(with_items(text)).text == text
    kept = re.sub(r"[\s*#\-1.)]", "", text)
    assert re.sub(r"[\s*#\-1.)]", "", Seen(prose(text)).text) == kept


@given(
    st.lists(st.sampled_from([*HOSTILE, "*", "**", "\n", "- ", "> ", "[x](", ")", "![", "](", "`", '"'])).map("".join)
)
def test_a_reply_shows_markdown_and_no_other_markup(text: str) -> None:
    seen = Seen(reply(text, ["https://images.example/"]))
    assert set(seen.tags) <= TAGS | {"mark"}
    assert {name for name, _ in seen.attributes} <= {"href", "title", "rel", "target", "src", "alt", "loading", "start"}
    assert all(str(value).startswith("https://") for name, value in seen.attributes if name in ("href", "src"))


def test_images_are_shown_from_where_the_study_declares_them_and_are_links_otherwise() -> None:
    text = "![a poster](https://images.example/p/heat.png)"
    assert Seen(reply(text)).tags == ["p", "a"]
    for declared in ("https://images.example/", "https://images.example/p/"):
        seen = Seen(reply(text, [declared]))
        assert ("src", "https://images.example/p/heat.png") in seen.attributes
        assert ("alt", "a poster") in seen.attributes
    for other in ("https://images.example/q/", "https://images.example.org/"):
        assert "img" not in Seen(reply(text, [other])).tags
    assert Seen(reply(f"[{text}](https://a.example)")).tags == ["p", "a"]


def test_quotations_are_marked_across_elements() -> None:
    assert reply('"*Heat* (1995)"!') == (
        "<p><mark>&quot;</mark><em><mark>Heat</mark></em><mark> (1995)&quot;</mark>!</p>"
    )


@pytest.mark.parametrize(
    "address", ["http://a.example/", "https://a.example", "https://*/", "data:", "https://a.example/; x/"]
)
def test_a_study_declares_images_by_the_beginning_of_an_address(address: str) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(ImageAddress).validate_python(address)
    assert "https://a.example/p/" in policy(images=[TypeAdapter(ImageAddress).validate_python("https://a.example/p/")])
