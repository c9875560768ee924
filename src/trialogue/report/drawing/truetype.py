"""Minimal TrueType reader for PDF: glyphs, widths, and font subsets.

A PDF needs nine of a font's tables, most as they are (OpenType 1.9, "glyf", "loca"). ``fontTools.subset`` writes nearly the
same bytes, even limited to these tables in 0.05 CPU s for each font of each figure; here it takes 0.0004, and what a page
needs besides (widths, glyph numbers) is at hand. fpdf2 subsets by fontTools, too (benchmarks/SPEED.md).
"""

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path

import numpy as np

KEPT = ("cvt ", "fpgm", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "prep")  # tables of an embedded font
MAGIC = 0xB1B0AFBA  # what the sum of a font's words is made up to
PARTS_FOLLOW, WORDS, SCALE, TWO_SCALES, FOUR_SCALES = 0x20, 0x1, 0x8, 0x40, 0x80  # flags of a part of a glyph


@dataclass(frozen=True)
class Subset:
    """Glyphs of a font, renumbered from 1; 0 is the missing glyph."""

    content: bytes
    """A font file."""
    numbers: dict[str, int]
    """New number of each character's glyph."""
    widths: dict[int, int]
    """Width of each of these glyphs, in thousandths of the font's size."""


class TrueType:
    """Font file with outlines in the ``glyf`` table."""

    def __init__(self, content: bytes) -> None:
        """Parse the table directory of a font file."""
        count = struct.unpack_from(">H", content, 4)[0]
        records = [struct.unpack_from(">4sIII", content, 12 + 16 * index) for index in range(count)]
        self._tables = {name.decode("latin-1"): content[at : at + size] for name, _, at, size in records}
        head, hhea = self._tables["head"], self._tables["hhea"]
        self.units: int = struct.unpack_from(">H", head, 18)[0]
        """Units of the font's size."""
        self.box: tuple[int, ...] = struct.unpack_from(">4h", head, 36)
        """Box around all glyphs, in units."""
        self.heights: tuple[int, ...] = struct.unpack_from(">2h", hhea, 4)
        """Highest above and lowest beneath the line, in units."""
        self._long = bool(struct.unpack_from(">h", head, 50)[0])
        self._metrics = struct.unpack_from(">H", hhea, 34)[0]

    @cached_property
    def glyphs(self) -> dict[int, int]:
        """Glyph index by code point."""
        table = self._tables["cmap"]
        places = {
            struct.unpack_from(">HH", table, 4 + 8 * index): struct.unpack_from(">I", table, 8 + 8 * index)[0]
            for index in range(struct.unpack_from(">H", table, 2)[0])
        }
        full = places.get((3, 10))
        return _segments_32(table[full:]) if full is not None else _segments_16(table[places[3, 1] :])

    @cached_property
    def _places(self) -> list[int]:
        places = np.frombuffer(self._tables["loca"], ">u4" if self._long else ">u2").astype(np.int64)
        return [int(place) for place in (places if self._long else 2 * places)]

    def width(self, glyph: int) -> float:
        """Width of a glyph in thousandths of the font size."""
        place = min(glyph, self._metrics - 1)
        return float(struct.unpack_from(">H", self._tables["hmtx"], 4 * place)[0]) * 1000 / self.units

    def text_width(self, text: str, size: float) -> float:
        """Width of a text, in the unit of the size."""
        return sum(self.width(self.glyphs[ord(char)]) for char in text) * size / 1000

    def subset(self, characters: Iterable[str]) -> Subset:
        """Font with only the glyphs of some characters, all of which it has."""
        chosen = sorted(set(characters))
        old = list(dict.fromkeys([0, *(self.glyphs[ord(char)] for char in chosen)]))
        numbers = {glyph: number for number, glyph in enumerate(old)}
        outlines: list[bytes] = []
        for glyph in old:  # grows while it is gone through: by the glyphs that glyphs are made of
            outlines.append(self._outline(glyph, old, numbers))
        return Subset(
            self._file(old, outlines),
            {char: numbers[self.glyphs[ord(char)]] for char in chosen},
            {number: round(self.width(glyph)) for number, glyph in enumerate(old)},
        )

    def _outline(self, glyph: int, old: list[int], numbers: dict[int, int]) -> bytes:
        """The data of a glyph, with the new numbers of its parts."""
        outline = bytearray(self._tables["glyf"][self._places[glyph] : self._places[glyph + 1]])
        if outline and struct.unpack_from(">h", outline)[0] < 0:
            at, flags = 10, PARTS_FOLLOW
            while flags & PARTS_FOLLOW:
                flags, part = struct.unpack_from(">HH", outline, at)
                if part not in numbers:
                    numbers[part] = len(old)
                    old.append(part)
                struct.pack_into(">H", outline, at + 2, numbers[part])
                at += 8 if flags & WORDS else 6
                at += 2 if flags & SCALE else 4 if flags & TWO_SCALES else 8 if flags & FOUR_SCALES else 0
        return bytes(outline) + bytes(-len(outline) % 4)

    def _file(self, old: list[int], outlines: list[bytes]) -> bytes:
        head, hhea, maxp = (bytearray(self._tables[name]) for name in ("head", "hhea", "maxp"))
        struct.pack_into(">I", head, 8, 0)
        struct.pack_into(">h", head, 50, 1)  # offsets of four bytes
        struct.pack_into(">H", hhea, 34, len(old))
        struct.pack_into(">H", maxp, 4, len(old))
        ends = np.cumsum([0, *map(len, outlines)]).astype(">u4").tobytes()
        changed = {"head": head, "hhea": hhea, "maxp": maxp, "hmtx": b"".join(map(self._metric, old)), "loca": ends}
        tables = {**self._tables, **changed, "glyf": b"".join(outlines)}
        return _assemble({name: bytes(tables[name]) for name in KEPT if name in tables})

    def _metric(self, glyph: int) -> bytes:
        """Width and left side of a glyph; the last ones of a table can share a width."""
        hmtx = self._tables["hmtx"]
        if glyph < self._metrics:
            return hmtx[4 * glyph : 4 * glyph + 4]
        side = 4 * self._metrics + 2 * (glyph - self._metrics)
        return hmtx[4 * self._metrics - 4 : 4 * self._metrics - 2] + hmtx[side : side + 2]


@cache
def dejavu(*, bold: bool) -> TrueType:
    """DejaVu Sans as shipped with matplotlib."""
    return TrueType(dejavu_path(bold=bold).read_bytes())


def dejavu_path(*, bold: bool) -> Path:
    """Path of DejaVu Sans, found without importing matplotlib."""
    spec = find_spec("matplotlib")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf" / f"DejaVuSans{'-Bold' * bold}.ttf"


def _segments_16(table: bytes) -> dict[int, int]:
    """Glyphs by code point of a ``cmap`` of format 4."""
    count = struct.unpack_from(">H", table, 6)[0] // 2
    ends, starts, deltas, offsets = (
        struct.unpack_from(f">{count}H", table, 14 + 2 * count * index + 2 * (index > 0)) for index in range(4)
    )
    glyphs: dict[int, int] = {}
    for index, (end, start, delta, offset) in enumerate(zip(ends, starts, deltas, offsets, strict=True)):
        for code in range(start, min(end, 0xFFFE) + 1):
            number = code
            if offset:
                at = 16 + 6 * count + 2 * index + offset + 2 * (code - start)
                number = struct.unpack_from(">H", table, at)[0]
            if number or not offset:
                glyphs[code] = (number + delta) & 0xFFFF
    return {code: glyph for code, glyph in glyphs.items() if glyph}


def _segments_32(table: bytes) -> dict[int, int]:
    """Glyphs by code point of a ``cmap`` of format 12."""
    count = struct.unpack_from(">I", table, 12)[0]
    groups = (struct.unpack_from(">III", table, 16 + 12 * index) for index in range(count))
    return {code: first + code - start for start, end, first in groups for code in range(start, end + 1)}


def _assemble(tables: dict[str, bytes]) -> bytes:
    """A font file of tables in the order of their names."""
    power = 1 << (len(tables).bit_length() - 1)
    header = struct.pack(
        ">IHHHH", 0x00010000, len(tables), 16 * power, power.bit_length() - 1, 16 * (len(tables) - power)
    )
    at = len(header) + 16 * len(tables)
    records, bodies = [], []
    for name, content in tables.items():
        records.append(struct.pack(">4sIII", name.encode("latin-1"), _checksum(content), at, len(content)))
        bodies.append(content + bytes(-len(content) % 4))
        at += len(bodies[-1])
    font = bytearray(b"".join([header, *records, *bodies]))
    place = len(header) + 16 * len(tables) + sum(len(body) for body in bodies[: list(tables).index("head")]) + 8
    struct.pack_into(">I", font, place, (MAGIC - _checksum(bytes(font))) & 0xFFFFFFFF)
    return bytes(font)


def _checksum(content: bytes) -> int:
    words = np.frombuffer(content + bytes(-len(content) % 4), ">u4")
    return int(words.sum(dtype=np.uint64)) & 0xFFFFFFFF
