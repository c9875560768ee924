"""Render drawings as PNG with Pillow: white background, no time stamp and no name of a program.

Importing matplotlib and making its objects takes longer than painting. It renders what DejaVu Sans cannot: scripts that it
does not have, or that are written from right to left.
"""

import io
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import cycle, pairwise
from math import ceil, floor, hypot
from typing import TYPE_CHECKING, Any

from trialogue.report.drawing.by_matplotlib import DOTS, matplotlib_png
from trialogue.report.drawing.marks import MARGIN, POLYGONS, Box, Dot, Drawing, Line, Mark, Path, TextMark
from trialogue.report.drawing.plain_text import FONT_SIZE, HALF_CAPITAL, is_plain
from trialogue.report.drawing.theme import LIGHT
from trialogue.report.drawing.truetype import dejavu_path
from trialogue.report.text import one_line

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

LEVEL = 3  # of compression: half the time of Pillow's 6, for files that are a tenth larger
FINE = 4  # what is not straight is painted so many times larger, and made smaller again: edges of 17 shades
DASH = 3.0  # of a dashed line, and between two
ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}  # Pillow's names of places on the baseline


def png_bytes(drawing: Drawing) -> bytes:
    """Render as PNG. Characters without a glyph are drawn as boxes, without a warning."""
    if not is_plain(drawing):
        return matplotlib_png(drawing)
    from PIL import Image, ImageDraw  # matplotlib's own dependency

    size = round((drawing.width + 2 * MARGIN) * DOTS), round((drawing.height + 2 * MARGIN) * DOTS)
    image = Image.new("RGB", size, LIGHT["paper"])
    brush = ImageDraw.Draw(image)
    for mark in drawing.marks:
        _paint(image, brush, mark)
    stream = io.BytesIO()
    image.save(stream, format="png", compress_level=LEVEL, dpi=(72 * DOTS, 72 * DOTS))
    return stream.getvalue()


def _paint(image: "Image", brush: "ImageDraw", mark: Mark) -> None:
    if isinstance(mark, Line) and (mark.x1 == mark.x2 or mark.y1 == mark.y2):
        _paint_straight(brush, mark)
    elif isinstance(mark, Line | Path):
        points = ((mark.x1, mark.y1), (mark.x2, mark.y2)) if isinstance(mark, Line) else mark.points
        placed = [(_dots(x), _dots(y)) for x, y in points]
        dashes = [each * DOTS for each in mark.dashes] if isinstance(mark, Path) else []
        for piece in _dash(placed, dashes) if dashes else [placed]:
            _paint_path(image, piece, mark.width * DOTS, LIGHT[mark.color])
    elif isinstance(mark, Box):
        _paint_box(image, brush, mark)
    elif isinstance(mark, Dot):
        _paint_dot(image, mark)
    else:
        _paint_words(image, brush, mark)


def _dots(place: float) -> float:
    return (place + MARGIN) * DOTS


def _paint_straight(brush: "ImageDraw", mark: Line) -> None:
    """A line along the sides of the sheet, on whole dots."""
    across, along = ((mark.x1, (mark.y1, mark.y2)), (mark.y1, (mark.x1, mark.x2)))[mark.y1 == mark.y2]
    thick = max(1, round(mark.width * DOTS))
    near = round(_dots(across) - thick / 2)
    start, end = (round(_dots(place)) for place in sorted(along))
    step = round(DASH * DOTS) if mark.dashed else max(end - start, 1)
    for first in range(start, max(end, start + 1), 2 * step):
        last = min(first + step, end) - 1
        corners = (first, near, last, near + thick - 1)
        if last >= first:
            brush.rectangle(
                corners if mark.y1 == mark.y2 else (near, first, near + thick - 1, last), fill=LIGHT[mark.color]
            )


def _paint_box(image: "Image", brush: "ImageDraw", mark: Box) -> None:
    left, top = round(_dots(mark.x)), round(_dots(mark.y))
    right, bottom = round(_dots(mark.x + mark.width)) - 1, round(_dots(mark.y + mark.height)) - 1
    if right < left or bottom < top:
        return
    if mark.opacity < 1:
        from PIL import Image

        veil = Image.new("L", (right - left + 1, bottom - top + 1), round(255 * mark.opacity))
        image.paste(LIGHT[mark.color], (left, top), veil)
    else:
        brush.rectangle((left, top, right, bottom), fill=LIGHT[mark.color])


def _paint_dot(image: "Image", mark: Dot) -> None:
    fill, edge = ("paper", mark.color) if mark.hollow else (mark.color, "paper")
    half = (1.6 if mark.hollow else float(mark.halo)) / 2
    for beyond, color in ((half, edge), (-half, fill)):
        if mark.shape == "circle":
            _paint_round(image, _dots(mark.x), _dots(mark.y), (mark.radius + beyond) * DOTS, LIGHT[color])
        else:
            corners = POLYGONS[mark.shape].place(_dots(mark.x), _dots(mark.y), mark.radius * DOTS, beyond * DOTS)
            _paint_polygon(image, corners, LIGHT[color])


def _paint_round(image: "Image", x: float, y: float, radius: float, color: str) -> None:
    left, top, size = floor(x - radius), floor(y - radius), ceil(2 * radius) + 2
    tile, brush = _tile(size, size)
    x, y, radius = (x - left) * FINE, (y - top) * FINE, radius * FINE
    brush.ellipse((x - radius, y - radius, x + radius - 1, y + radius - 1), fill=255)
    image.paste(color, (left, top), tile.reduce(FINE))


def _paint_polygon(image: "Image", corners: Sequence[tuple[float, float]], color: str) -> None:
    xs, ys = zip(*corners, strict=True)
    left, top = floor(min(xs)), floor(min(ys))
    tile, brush = _tile(ceil(max(xs)) - left + 2, ceil(max(ys)) - top + 2)
    brush.polygon([((x - left) * FINE, (y - top) * FINE) for x, y in corners], fill=255)
    image.paste(color, (left, top), tile.reduce(FINE))


def _dash(points: Sequence[tuple[float, float]], dashes: Sequence[float]) -> Iterator[list[tuple[float, float]]]:
    """The dashes of a line, each as a line; lengths in the unit of the points."""
    lengths = cycle(dashes)
    left, is_drawn, piece = next(lengths), True, [points[0]]
    for (x1, y1), (x2, y2) in pairwise(points):
        length, done = hypot(x2 - x1, y2 - y1), 0.0
        while length - done > left:
            done += left
            corner = (x1 + (x2 - x1) * done / length, y1 + (y2 - y1) * done / length)
            if is_drawn:
                yield [*piece, corner]
            left, is_drawn, piece = next(lengths), not is_drawn, [corner]
        left -= length - done
        piece.append((x2, y2))
    if is_drawn and len(piece) > 1:
        yield piece


def _paint_path(image: "Image", points: list[tuple[float, float]], width: float, color: str) -> None:
    """A line through points, in any direction."""
    xs, ys = zip(*points, strict=True)
    left, top = floor(min(xs) - width), floor(min(ys) - width)
    tile, brush = _tile(ceil(max(xs) + width) - left + 1, ceil(max(ys) + width) - top + 1)
    fine = [((x - left) * FINE, (y - top) * FINE) for x, y in points]
    brush.line(fine, fill=255, width=max(1, round(width * FINE)), joint="curve")
    image.paste(color, (left, top), tile.reduce(FINE))


def _paint_words(image: "Image", brush: "ImageDraw", mark: TextMark) -> None:
    text, font = one_line(mark.text), _font(round(mark.size * FONT_SIZE * DOTS), mark.bold)
    if not text:
        return
    x, y = _dots(mark.x), _dots(mark.y)
    if not mark.turn:
        brush.text((x, y + mark.size * HALF_CAPITAL * DOTS), text, LIGHT[mark.color], font, anchor=ANCHORS[mark.anchor])
        return
    from PIL import Image

    reach = ceil(font.getlength(text)) + 2 * font.size  # of the text in any direction
    tile, turned = _tile(2 * reach, 2 * reach, fine=1)
    turned.text((reach, reach), text, 255, font, anchor=ANCHORS[mark.anchor])
    tile = tile.rotate(mark.turn, Image.Resampling.BICUBIC, center=(reach, reach))
    image.paste(LIGHT[mark.color], (round(x) - reach, round(y) - reach), tile)


def _tile(width: int, height: int, *, fine: int = FINE) -> tuple["Image", "ImageDraw"]:
    from PIL import Image, ImageDraw

    tile = Image.new("L", (width * fine, height * fine))
    return tile, ImageDraw.Draw(tile)


@cache
def _font(size: int, bold: bool) -> Any:
    """Without shaping, which Pillow has on some machines only."""
    from PIL import ImageFont

    return ImageFont.truetype(str(dejavu_path(bold=bold)), size, layout_engine=ImageFont.Layout.BASIC)
