"""Render drawings with matplotlib, without changing its global settings."""

import io
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from trialogue.render.drawing.marks import MARGIN, Box, Dot, Drawing, Line, Mark, Path, Shape, TextMark
from trialogue.render.drawing.theme import LIGHT
from trialogue.render.text import one_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.transforms import Transform

LEVEL = 3  # of compression: half the time of PIL's 6, for files that are a tenth larger
DOTS = 3.0  # per pixel: 270 dpi in a page of 180 mm
# Tried in this order, where installed, for writing systems that matplotlib's own DejaVu Sans lacks.
OTHER_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "PingFang SC",
    "Hiragino Sans",
    "Microsoft YaHei",
    "Yu Gothic",
    "Malgun Gothic",
    "Noto Sans Devanagari",
    "Noto Sans Thai",
    "Arial Unicode MS",
)
NO_DATES: dict[str, Any] = {"Creator": None, "Producer": None, "CreationDate": None}
"""Metadata of a PDF that would differ from one run or version to the next."""
ALIGNMENTS: dict[str, Literal["left", "center", "right"]] = {"start": "left", "middle": "center", "end": "right"}


MARKERS: Mapping[Shape, tuple[str, float]] = {
    "circle": ("o", 2.0),
    "diamond": ("D", 1.7),
    "square": ("s", 1.76),
    "triangle": ("^", 2.4),
    "wedge": ("v", 2.4),
    "cross": ("P", 2.24),
}
"""Matplotlib's name of each shape, and its size in radii."""


def matplotlib_png(drawing: Drawing) -> bytes:
    """Render as PNG. Characters without a glyph are drawn as boxes, without a warning."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.transforms import Affine2D
    from PIL import Image  # matplotlib's own dependency

    with matplotlib.rc_context(), warnings.catch_warnings():
        matplotlib.rcdefaults()
        warnings.filterwarnings("ignore", message=".*[Gg]lyph.*")
        height = drawing.height + 2 * MARGIN
        place = Affine2D().translate(MARGIN, MARGIN).scale(DOTS, -DOTS).translate(0, round(height * DOTS))
        canvas: Any = FigureCanvasAgg(_draw_figure(drawing, place))
        canvas.draw()
    stream = io.BytesIO()
    opaque = Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3])
    opaque.save(stream, format="png", compress_level=LEVEL, dpi=(72 * DOTS, 72 * DOTS))
    return stream.getvalue()


def matplotlib_pdf(drawing: Drawing) -> bytes:
    """Render as PDF with selectable text, as wide as the drawing at 72 pixels per inch."""
    import matplotlib

    stream = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*[Gg]lyph.*")
        figure = matplotlib_figure(drawing)
        with matplotlib.rc_context({"pdf.fonttype": 42}):  # TrueType: publishers refuse Type 3
            figure.savefig(stream, format="pdf", facecolor=LIGHT["paper"], metadata=NO_DATES)
    return stream.getvalue()


def matplotlib_figure(drawing: Drawing) -> "Figure":
    """Convert to an editable matplotlib figure, which is not registered with pyplot."""
    import matplotlib
    from matplotlib.transforms import Affine2D

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        to_inches = Affine2D().translate(MARGIN, MARGIN).scale(1 / 72, -1 / 72)
        to_inches.translate(0, (drawing.height + 2 * MARGIN) / 72)
        return _draw_figure(drawing, to_inches, scaled=True)


def _draw_figure(drawing: Drawing, place: "Transform", *, scaled: bool = False) -> "Figure":
    """A figure with every mark of a drawing.

    Args:
        drawing: the marks, in pixels from the upper left corner.
        place: from there to dots of the figure, or to inches where it is scaled.
        scaled: by the figure's resolution, which may be changed later; else the resolution is fixed, and lines fall on
            whole dots.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    width, height = drawing.width + 2 * MARGIN, drawing.height + 2 * MARGIN
    figure = Figure(figsize=(width / 72, height / 72), dpi=72 * DOTS, facecolor=LIGHT["paper"])
    FigureCanvasAgg(figure)
    families = _families(drawing)
    place = place + figure.dpi_scale_trans if scaled else place
    for mark in drawing.marks:
        _add(figure, mark, place, families)
    return figure


def _families(drawing: Drawing) -> list[str]:
    """DejaVu Sans, and others only where a text needs them, so that most pictures are the same on every machine."""
    from matplotlib import font_manager

    known = font_manager.get_font(font_manager.findfont("DejaVu Sans")).get_charmap()
    texts = "".join(mark.text for mark in drawing.marks if isinstance(mark, TextMark))
    if all(ord(char) in known for char in texts):
        return ["DejaVu Sans"]
    installed = {font.name for font in font_manager.fontManager.ttflist}
    return ["DejaVu Sans", *(name for name in OTHER_FONTS if name in installed)]


def _add(figure: "Figure", mark: Mark, place: "Transform", families: list[str]) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Rectangle
    from matplotlib.text import Text

    if isinstance(mark, Line | Path):
        points = ((mark.x1, mark.y1), (mark.x2, mark.y2)) if isinstance(mark, Line) else mark.points
        pattern = mark.dashes if isinstance(mark, Path) else (3.0, 3.0) if mark.dashed else ()
        dashes: Any = (0, pattern) if pattern else "-"
        xs, ys = zip(*points, strict=True)
        line = Line2D(xs, ys, color=LIGHT[mark.color], linewidth=mark.width, linestyle=dashes, transform=place)
        line.set_solid_capstyle("butt")
        figure.add_artist(line)
    elif isinstance(mark, Box):
        box = Rectangle((mark.x, mark.y), mark.width, mark.height, facecolor=LIGHT[mark.color], transform=place)
        box.set(linewidth=0, alpha=mark.opacity)
        figure.add_artist(box)
    elif isinstance(mark, Dot):
        figure.add_artist(_dot(mark, place))
    else:
        text = Text(
            mark.x, mark.y, one_line(mark.text), color=LIGHT[mark.color], fontsize=mark.size * 0.93, family=families
        )
        text.set(parse_math=False, fontweight="bold" if mark.bold else "normal")
        text.set_horizontalalignment(ALIGNMENTS[mark.anchor])
        text.set(verticalalignment="baseline" if mark.turn else "center_baseline", rotation=mark.turn)
        text.set_rotation_mode("anchor")
        text.set_transform(place)
        figure.add_artist(text)


def _dot(mark: Dot, place: "Transform") -> Any:
    from matplotlib.lines import Line2D

    fill, edge = ("paper", mark.color) if mark.hollow else (mark.color, "paper")
    dot = Line2D([mark.x], [mark.y], transform=place, linestyle="none")
    marker, size = MARKERS[mark.shape]
    dot.set(marker=marker, markersize=mark.radius * size)
    edge_width = 1.6 if mark.hollow else float(mark.halo)
    dot.set(markerfacecolor=LIGHT[fill], markeredgecolor=LIGHT[edge], markeredgewidth=edge_width)
    return dot
