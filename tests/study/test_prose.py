"""Texts of authors and of corpora become HTML that says what they say, and does nothing."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.study.hostile import HOSTILE
from trialogue.study.pages.prose import prose, with_items


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
