"""Plain text: what nobody sees makes no difference, and offsets lead back."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.catalogue.layout import plain_text


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("Ame\u0301lie", "Amélie"),
        ("Pulp\u00a0Fiction", "Pulp Fiction"),
        ("Pulp\u200bFiction", "Pulp Fiction"),
        ("Pul\u200bp Fic\u00adtion\ufeff", "Pulp Fiction"),
        ("Fast &amp; Furious &#39;9", "Fast & Furious '9"),
        ("Am\\u00e9lie \\ud83c\\udfac", "Amélie 🎬"),
        ("M\\*A\\*S\\*H", "M*A*S*H"),
        ("1. Qux\\n2. Quux", "1. Qux\n2. Quux"),
        ("\u1100\u1175\u1109\u1162\u11bc\u110e\u116e\u11bc", "기생충"),
        ("AT&T and R&B", "AT&T and R&B"),
    ],
)
def test_what_is_written_otherwise_reads_the_same(written: str, plain: str) -> None:
    assert plain_text(written).text == plain


@given(st.text(), st.text(alphabet="ab e\u0301\u200b\u00a0&;\\nu00e9amp\ufe0f\u1100\u1161", max_size=30))
def test_each_character_comes_from_its_place(text: str, odd: str) -> None:
    for written in (text, odd, text + odd):
        found = plain_text(written)
        spans = [found.original(place, place + 1) for place in range(len(found.text))]
        assert all(0 <= start < end <= len(written) for start, end in spans)
        assert spans == sorted(spans)


@given(st.text(alphabet="abc éüñ가나'", max_size=20))
def test_decomposed_text_and_json_read_as_composed(text: str) -> None:
    assert plain_text(unicodedata.normalize("NFD", text)).text == text
    assert plain_text(json.dumps(text)[1:-1]).text == text
