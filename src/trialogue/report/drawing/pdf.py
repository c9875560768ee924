"""Render drawings as one-page PDF with selectable text and embedded TrueType subsets.

Publishers refuse Type 3 fonts, and fonts that are not embedded. Written here because libraries take long to embed fonts: the
six figures of ``evaluate crsarena-dial`` take 0.04 CPU s here, 1.0 with fpdf2 2.8.9 (and 0.5 to import it), and 2.9 with
matplotlib, of 6 to 7 that the command takes (benchmarks/SPEED.md). matplotlib draws what DejaVu Sans cannot: scripts that it
lacks, or that are written from right to left.
PDF 1.4 (Adobe 2001); no date and no program name.
"""

import zlib
from collections.abc import Iterable
from math import cos, radians, sin

from trialogue.report.drawing.by_matplotlib import matplotlib_pdf
from trialogue.report.drawing.marks import MARGIN, POLYGONS, Box, Dot, Drawing, Line, Mark, Path, TextMark
from trialogue.report.drawing.plain_text import FONT_SIZE, HALF_CAPITAL, is_plain
from trialogue.report.drawing.theme import LIGHT
from trialogue.report.drawing.truetype import Subset, TrueType, dejavu
from trialogue.report.text import one_line

CURVE = 0.5523  # of the radius, from a point of a circle to the next control point: a quarter to 0.03%
WEIGHTS = (False, True)  # of fonts: F0 is regular, F1 bold


def pdf_bytes(drawing: Drawing) -> bytes:
    """Render as PDF, as wide as the drawing at 72 pixels per inch."""
    if not is_plain(drawing):
        return matplotlib_pdf(drawing)
    texts = [(mark.bold, one_line(mark.text)) for mark in drawing.marks if isinstance(mark, TextMark)]
    subsets = {
        bold: dejavu(bold=bold).subset("".join(text for weight, text in texts if weight is bold))
        for bold in WEIGHTS
        if any(weight is bold for weight, _ in texts)
    }
    return _Page(drawing, subsets).file()


class _Page:
    """The objects of a file with one page."""

    def __init__(self, drawing: Drawing, subsets: dict[bool, Subset]) -> None:
        self._drawing = drawing
        self._subsets = subsets
        self._height = drawing.height + 2 * MARGIN
        self._opacities = sorted({mark.opacity for mark in drawing.marks if isinstance(mark, Box)})
        self._objects: list[bytes] = [b"", b""]  # the catalogue and the pages come first, and are known last

    def file(self) -> bytes:
        """The whole file."""
        fonts = " ".join(f"/F{int(bold)} {self._add_font(bold, subset)} 0 R" for bold, subset in self._subsets.items())
        states = " ".join(f"/G{place} << /ca {_n(opacity)} >>" for place, opacity in enumerate(self._opacities))
        content = self._add(_stream("\n".join(self._operators()).encode("ascii")))
        size = f"{_n(self._drawing.width + 2 * MARGIN)} {_n(self._height)}"
        resources = f"<< /Font << {fonts} >> /ExtGState << {states} >> >>"
        page = self._add(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {size}] /Resources {resources} /Contents {content} 0 R >>".encode()
        )
        self._objects[0] = b"<< /Type /Catalog /Pages 2 0 R >>"
        self._objects[1] = f"<< /Type /Pages /Kids [{page} 0 R] /Count 1 >>".encode()
        return _join(self._objects)

    def _add(self, content: bytes) -> int:
        self._objects.append(content)
        return len(self._objects)

    def _add_font(self, bold: bool, subset: Subset) -> int:
        """The number of a font's object: a composite font, whose characters are glyph numbers of two bytes."""
        font, name = dejavu(bold=bold), _subset_name(bold, subset)
        file = self._add(_stream(subset.content, f"/Length1 {len(subset.content)}"))
        box = " ".join(_n(1000 * each / font.units) for each in font.box)
        high, low = (_n(1000 * each / font.units) for each in font.heights)
        described = self._add(
            f"<< /Type /FontDescriptor /FontName /{name} /Flags 32 /FontBBox [{box}] /ItalicAngle 0 /Ascent {high} "
            f"/Descent {low} /CapHeight 729 /StemV {140 if bold else 80} /FontFile2 {file} 0 R >>".encode()
        )
        widths = " ".join(str(subset.widths[number]) for number in range(len(subset.widths)))
        system = "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>"
        descendant = self._add(
            f"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /{name} {system} /FontDescriptor {described} 0 R "
            f"/CIDToGIDMap /Identity /W [0 [{widths}]] >>".encode()
        )
        meaning = self._add(_stream(_meanings(subset).encode("ascii")))
        return self._add(
            f"<< /Type /Font /Subtype /Type0 /BaseFont /{name} /Encoding /Identity-H "
            f"/DescendantFonts [{descendant} 0 R] /ToUnicode {meaning} 0 R >>".encode()
        )

    def _operators(self) -> Iterable[str]:
        width = self._drawing.width + 2 * MARGIN
        yield f"{_color('paper')} rg 0 0 {_n(width)} {_n(self._height)} re f"
        yield f"1 0 0 1 {_n(MARGIN)} {_n(self._height - MARGIN)} cm"  # to the corner that marks count from
        for mark in self._drawing.marks:
            yield self._operator(mark)

    def _operator(self, mark: Mark) -> str:
        """Paint operator of a mark; y points down in a drawing, and up in PDF."""
        if isinstance(mark, Line | Path):
            points = ((mark.x1, mark.y1), (mark.x2, mark.y2)) if isinstance(mark, Line) else mark.points
            pattern = mark.dashes if isinstance(mark, Path) else (3.0, 3.0) if mark.dashed else ()
            dashes = f"[{' '.join(map(_n, pattern))}] 0 d"
            way = " ".join(f"{_at(x, y)} {'l' if place else 'm'}" for place, (x, y) in enumerate(points))
            return f"{_color(mark.color)} RG {_n(mark.width)} w 1 j {dashes} {way} S"
        if isinstance(mark, Box):
            painted = (
                f"{_color(mark.color)} rg {_at(mark.x, mark.y + mark.height)} {_n(mark.width)} {_n(mark.height)} re f"
            )
            return f"q /G{self._opacities.index(mark.opacity)} gs {painted} Q" if mark.opacity < 1 else painted
        if isinstance(mark, Dot):
            return _dot(mark)
        return self._words(mark)

    def _words(self, mark: TextMark) -> str:
        text = one_line(mark.text)
        if not text:
            return ""
        font, subset, size = dejavu(bold=mark.bold), self._subsets[mark.bold], mark.size * FONT_SIZE
        before = _anchor_offset(font, text, size, mark)
        glyphs = "".join(f"{subset.numbers[char]:04x}" for char in text)
        if mark.turn:
            turned, start = _turn(mark.turn), (mark.x, mark.y)
            placed = f"{turned} {_at(*start)} Tm {_n(-before)} 0 Td"
        else:
            placed = f"{_at(mark.x - before, mark.y + mark.size * HALF_CAPITAL)} Td"
        return f"BT /F{int(mark.bold)} {_n(size)} Tf {_color(mark.color)} rg {placed} <{glyphs}> Tj ET"


def _anchor_offset(font: TrueType, text: str, size: float, mark: TextMark) -> float:
    """Width of the text before its anchor point."""
    return font.text_width(text, size) * {"start": 0.0, "middle": 0.5, "end": 1.0}[mark.anchor]


def _turn(degrees: float) -> str:
    c, s = cos(radians(degrees)), sin(radians(degrees))
    return f"{c:.5f} {s:.5f} {-s:.5f} {c:.5f}"


def _dot(mark: Dot) -> str:
    fill, edge = ("paper", mark.color) if mark.hollow else (mark.color, "paper")
    width = 1.6 if mark.hollow else float(mark.halo)
    x, y, r = mark.x, mark.y, mark.radius
    if mark.shape == "circle":
        k = CURVE * r
        way = (
            f"{_at(x + r, y)} m {_at(x + r, y + k)} {_at(x + k, y + r)} {_at(x, y + r)} c "
            f"{_at(x - k, y + r)} {_at(x - r, y + k)} {_at(x - r, y)} c "
            f"{_at(x - r, y - k)} {_at(x - k, y - r)} {_at(x, y - r)} c "
            f"{_at(x + k, y - r)} {_at(x + r, y - k)} {_at(x + r, y)} c h"
        )
    else:
        corners = POLYGONS[mark.shape].place(x, y, r)
        way = " ".join(f"{_at(*corner)} {'l' if place else 'm'}" for place, corner in enumerate(corners)) + " h"
    paint = f"{_color(edge)} RG {_n(width)} w [] 0 d {way} B" if width else f"{way} f"
    return f"{_color(fill)} rg {paint}"


def _meanings(subset: Subset) -> str:
    """A CMap from glyphs to text, so that it can be selected and searched."""
    pairs = [
        f"<{number:04x}> <{char.encode('utf-16-be').hex()}>"
        for char, number in sorted(subset.numbers.items(), key=lambda pair: pair[1])
    ]
    blocks = [pairs[start : start + 100] for start in range(0, len(pairs), 100)]  # more than 100 are not allowed
    listed = "\n".join(f"{len(block)} beginbfchar\n" + "\n".join(block) + "\nendbfchar" for block in blocks)
    return (
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n"
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n"
        "/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n"
        "1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n"
        f"{listed}\nendcmap\nCMapName currentdict /CMap defineresource pop\nend\nend"
    )


def _subset_name(bold: bool, subset: Subset) -> str:
    """A font's name after six letters of its own, as parts of fonts are called."""
    number, letters = zlib.crc32(subset.content), ""
    for _ in range(6):
        number, letter = divmod(number, 26)
        letters += chr(65 + letter)
    return f"{letters}+DejaVuSans{'-Bold' * bold}"


def _stream(content: bytes, more: str = "") -> bytes:
    packed = zlib.compress(content)
    return f"<< /Length {len(packed)} {more} /Filter /FlateDecode >>\nstream\n".encode() + packed + b"\nendstream"


def _join(objects: list[bytes]) -> bytes:
    file, places = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"), []
    for number, content in enumerate(objects, start=1):
        places.append(len(file))
        file += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(objects) + 1
    trailer = f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{len(file)}\n%%EOF\n"
    return bytes(file) + f"xref\n0 {size}\n0000000000 65535 f \n{table}{trailer}".encode()


def _color(role: str) -> str:
    color = LIGHT[role]
    return " ".join(_n(int(color[place : place + 2], 16) / 255) for place in (1, 3, 5))


def _at(x: float, y: float) -> str:
    return f"{_n(x)} {_n(-y)}"


def _n(value: float) -> str:
    """A number to a thousandth, without an exponent, which PDF does not know."""
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
