"""PNG and PDF of our own beside matplotlib's and fontTools'."""

import io
import re
import zlib
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from PIL import Image

from trialogue.report.drawing.by_matplotlib import matplotlib_png
from trialogue.report.drawing.marks import Box, Dot, Drawing, Line, Path, TextMark
from trialogue.report.drawing.pdf import pdf_bytes
from trialogue.report.drawing.plain_text import is_plain
from trialogue.report.drawing.png import png_bytes
from trialogue.report.drawing.truetype import dejavu, dejavu_path

TTFont: Any = import_module("fontTools.ttLib").TTFont  # it has no types
TEXT = "Äpfel − α ≤ .05 … fi"


def sheet(text: str = TEXT) -> Drawing:
    drawing = Drawing(200.0)
    drawing.add(Box(20, 20, 200, 60, "accent"), Box(60, 40, 300, 100, "worse", opacity=0.4))
    drawing.add(Line(0, 100, 640, 100, width=2), Line(320, 0, 320, 200, color="ink", dashed=True), Line(0, 0, 90, 160))
    drawing.add(Path(((400, 20), (450, 150), (500, 30), (560, 90)), "better"))
    drawing.add(Dot(300, 60, "s1"), Dot(330, 60, "s2", shape="diamond", radius=9), Dot(360, 60, "s3", hollow=True))
    drawing.add(
        TextMark(100, 150, text),
        TextMark(300, 150, text, anchor="end"),
        TextMark(420, 170, text, bold=True, anchor="middle"),
    )
    drawing.add(TextMark(560, 190, text, turn=40))
    return drawing


def shades(png: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB").reduce(6), dtype=float)


def streams(pdf: bytes) -> list[bytes]:
    return [zlib.decompress(one) for one in re.findall(rb"stream\n(.*?)\nendstream", pdf, re.DOTALL)]


def test_a_png_is_the_picture_that_matplotlib_makes() -> None:
    ours, theirs = shades(png_bytes(sheet())), shades(matplotlib_png(sheet()))
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).mean() < 1.0  # of 255; 60 of 332 columns left empty would be 4
    empty = shades(png_bytes(Drawing(200.0)))
    assert np.abs(theirs - empty).mean() > 10.0


@pytest.mark.parametrize("bold", [False, True])
def test_glyphs_of_a_subset_have_the_outlines_and_widths_of_the_font(bold: bool) -> None:
    text = TEXT + "Åǻﬁ½"  # some are made of other glyphs
    subset = dejavu(bold=bold).subset(text)
    ours, whole = TTFont(io.BytesIO(subset.content)), TTFont(dejavu_path(bold=bold))
    names, order = whole.getBestCmap(), ours.getGlyphOrder()
    for char in set(text):
        number = subset.numbers[char]
        mine, its = ours["glyf"][order[number]], whole["glyf"][names[ord(char)]]
        assert list(mine.getCoordinates(ours["glyf"])[0]) == list(its.getCoordinates(whole["glyf"])[0])
        assert ours["hmtx"][order[number]] == whole["hmtx"][names[ord(char)]]
        assert subset.widths[number] == round(whole["hmtx"][names[ord(char)]][0] * 1000 / 2048)
    assert len(order) < len(set(text)) + 12


def test_code_points_have_the_glyphs_that_fonttools_finds() -> None:
    whole = TTFont(dejavu_path(bold=False))
    assert dejavu(bold=False).glyphs == {code: whole.getGlyphID(name) for code, name in whole.getBestCmap().items()}


def test_the_text_of_a_pdf_can_be_read_back_by_its_maps() -> None:
    content, *others = sorted(streams(pdf_bytes(sheet())), key=lambda one: b" Tj ET" not in one)
    maps = [
        {
            glyph: bytes.fromhex(text).decode("utf-16-be")
            for glyph, text in re.findall(r"<(....)> <([0-9a-f]+)>", one.decode())
        }
        for one in others
        if b"begincmap" in one
    ]
    lines = [
        "".join(maps[int(font)][glyphs[place : place + 4]] for place in range(0, len(glyphs), 4))
        for font, glyphs in re.findall(r"BT /F([01]) .*?<([0-9a-f]+)> Tj ET", content.decode())
    ]
    assert lines == [TEXT] * 4


def test_objects_of_a_pdf_begin_where_its_table_says() -> None:
    pdf = pdf_bytes(sheet())
    start = int(re.findall(rb"startxref\n(\d+)", pdf)[0])
    assert pdf[start:].startswith(b"xref")
    places = [int(place) for place in re.findall(rb"(\d{10}) 00000 n", pdf)]
    assert [pdf[place : place + len(b"%d 0 obj" % number)] for number, place in enumerate(places, 1)] == [
        b"%d 0 obj" % number for number in range(1, len(places) + 1)
    ]


@pytest.mark.parametrize(
    "text", ["שלום", "电影", "e\u0301", "مرحبا"], ids=["right-to-left", "other script", "joined", "shaped"]
)
def test_what_dejavu_cannot_write_letter_by_letter_is_drawn_by_matplotlib(text: str) -> None:
    assert not is_plain(sheet(text))
    assert png_bytes(sheet(text)) == matplotlib_png(sheet(text))
    assert pdf_bytes(sheet(text)).startswith(b"%PDF")


def test_an_empty_drawing_and_an_empty_text_have_files_too() -> None:
    for drawing in (Drawing(10.0), sheet("")):
        assert png_bytes(drawing).startswith(b"\x89PNG")
        assert b"%%EOF" in pdf_bytes(drawing)
