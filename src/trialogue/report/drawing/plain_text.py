"""Text layout of figure files, and a check of the characters that DejaVu Sans can render one by one."""

import unicodedata

from trialogue.report.drawing.marks import Drawing, TextMark
from trialogue.report.drawing.truetype import dejavu
from trialogue.report.text import one_line

FONT_SIZE = 0.93  # of a mark's size: DejaVu Sans is larger than other fonts of the same size
HALF_CAPITAL = 0.34  # of a mark's size, from the middle of a line to its baseline: half of a capital's 0.729 * 0.93
SIMPLE = {
    "L",
    "EN",
    "ES",
    "ET",
    "CS",
    "ON",
    "WS",
    "BN",
}  # kinds of characters that go from left to right, and join nothing


def is_plain(drawing: Drawing) -> bool:
    """Whether each character of a drawing is a glyph of DejaVu Sans beside the one before it."""
    for bold in (False, True):
        texts = (one_line(mark.text) for mark in drawing.marks if isinstance(mark, TextMark) and mark.bold is bold)
        used = set("".join(texts))
        if used and not all(_is_simple(char) and ord(char) in dejavu(bold=bold).glyphs for char in used):
            return False
    return True


def _is_simple(char: str) -> bool:
    return char.isascii() or (unicodedata.bidirectional(char) in SIMPLE and not unicodedata.combining(char))
