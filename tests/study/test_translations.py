"""Every text of ours is in the catalog, and German is complete."""

import ast
import re
from pathlib import Path

import pytest
from django.utils.translation.template import templatize

from tests.study.po import LOCALE, compiled, messages

STUDY = LOCALE.parent
GERMAN = LOCALE / "de" / "LC_MESSAGES"
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%%")
MARKED = re.compile(
    r"""\b_?n?(?:p?gettext|_)(?:_lazy)?\(\s*u?(?P<text>(?:(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*)+)"""
)


def marked(source: str) -> set[str]:
    """Texts that Python code marks for translation."""
    found = set()
    for each in MARKED.finditer(source):
        pieces = re.findall(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""", each["text"])
        found.add("".join(ast.literal_eval(piece) for piece in pieces))
    return found


def used() -> set[str]:
    """Every text of the pages that can be translated."""
    texts: set[str] = set()
    for path in [
        *STUDY.glob("pages/**/*.py"),
        *STUDY.glob("staff/**/*.py"),
        *STUDY.glob("web/*.py"),
        STUDY / "recruiting" / "preflight.py",
    ]:
        texts |= marked(path.read_text(encoding="utf-8"))
    for path in STUDY.glob("templates/**/*.html"):
        texts |= marked(templatize(path.read_text(encoding="utf-8")))
    return texts


def test_the_catalog_holds_exactly_the_texts_that_are_used() -> None:
    known = {message.text for message in messages(GERMAN / "django.po")}
    assert used() - known == set()
    assert known - used() == set()


def test_german_is_complete_and_keeps_what_is_filled_in() -> None:
    for message in messages(GERMAN / "django.po"):
        assert not message.fuzzy
        assert len(message.translated) == (2 if message.plural else 1)
        for translated in message.translated:
            assert translated.strip(), message.text
            assert set(PLACEHOLDER.findall(translated)) <= set(PLACEHOLDER.findall(message.text + message.plural))
        last = message.translated[-1]
        assert set(PLACEHOLDER.findall(last)) == set(PLACEHOLDER.findall(message.plural or message.text)), message.text


def test_the_compiled_catalog_says_what_the_readable_one_says() -> None:
    catalog = compiled(GERMAN / "django.mo")
    for message in messages(GERMAN / "django.po"):
        if message.plural:
            for count, translated in zip((1, 2), message.translated, strict=True):
                assert catalog.ngettext(message.text, message.plural, count) == translated
        else:
            assert catalog.gettext(message.text) == message.translated[0]


@pytest.mark.parametrize("path", sorted(STUDY.glob("templates/**/*.html")), ids=lambda path: path.name)
def test_a_template_has_no_script_style_or_handler_of_its_own(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert not re.search(
        r"<style|<script(?![^>]*\bsrc=)|\sstyle=|\son[a-z]+=|javascript:|https?://(?!www\.w3\.org)", source
    )
    assert "|safe" not in source
    assert "autoescape" not in source
