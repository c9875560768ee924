"""Render drawings as SVG: with the page's colors inline, or with light colors on white as a file."""

from xml.sax.saxutils import escape, quoteattr

from trialogue.render.drawing.marks import MARGIN, POLYGONS, Box, Dot, Drawing, Line, Mark, Path, TextMark
from trialogue.render.drawing.theme import LIGHT
from trialogue.render.text import printable

FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def inline_svg(drawing: Drawing, *, name: str, title: str, description: str, links: bool = False) -> str:
    """Render as an ``svg`` element for HTML, with accessible title and description, colored by CSS variables.

    Args:
        drawing: the picture.
        name: name of the figure, unique on its page.
        title: what it shows.
        description: what it says.
        links: whether marks are links. The picture is then a group, since an image has nothing in it to press.
    """
    key = f"figure-{name}"
    role = "group" if links and any(_leads(mark) for mark in drawing.marks) else "img"
    head = (
        f'<svg class="figure" role="{role}" viewBox="0 0 {_n(drawing.width)} {_n(drawing.height)}" '
        f'aria-labelledby="{key}-title {key}-desc">'
        f'<title id="{key}-title">{_text(title)}</title><desc id="{key}-desc">{_text(description)}</desc>'
    )
    return head + "".join(_link_mark(mark) if links else _mark(mark, in_page=True) for mark in drawing.marks) + "</svg>"


def svg_file(drawing: Drawing, *, title: str, description: str) -> str:
    """Render as a standalone SVG file."""
    width, height, corner = _n(drawing.width + 2 * MARGIN), _n(drawing.height + 2 * MARGIN), _n(-MARGIN)
    view = f"{corner} {corner} {width} {height}"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="{view}" '
        f'role="img" font-family="{FONTS}">\n<title>{_text(title)}</title>\n<desc>{_text(description)}</desc>\n'
        f'<rect x="{corner}" y="{corner}" width="{width}" height="{height}" fill="{LIGHT["paper"]}"/>\n'
    )
    return head + "\n".join(_mark(mark, in_page=False) for mark in drawing.marks) + "\n</svg>\n"


def _leads(mark: Mark) -> bool:
    return not isinstance(mark, Path) and bool(mark.href)


def _link_mark(mark: Mark) -> str:
    """A mark that leads somewhere; the tab key stops at words alone, for of bars there are many."""
    drawn = _mark(mark, in_page=True)
    if isinstance(mark, Path) or not mark.href:
        return drawn
    name = f"Dialogues: {mark.text if isinstance(mark, TextMark) else mark.tip}"
    stops = "" if isinstance(mark, TextMark) else ' tabindex="-1"'
    return f"<a href={quoteattr(mark.href)} aria-label={quoteattr(printable(name))}{stops}>{drawn}</a>"


def _mark(mark: Mark, *, in_page: bool) -> str:
    tag, attributes, content = _shape(mark, in_page)
    content += f"<title>{_text(mark.tip)}</title>" if mark.tip else ""
    return f"<{tag}{attributes}>{content}</{tag}>" if content else f"<{tag}{attributes}/>"


def _shape(mark: Mark, in_page: bool) -> tuple[str, str, str]:
    """(tag, attributes, content) of a mark."""
    if isinstance(mark, Line):
        dashes = ' stroke-dasharray="3 3"' if mark.dashed else ""
        places = f' x1="{_n(mark.x1)}" y1="{_n(mark.y1)}" x2="{_n(mark.x2)}" y2="{_n(mark.y2)}"'
        return "line", f'{places} stroke-width="{_n(mark.width)}"{dashes}{_paint("stroke", mark.color, in_page)}', ""
    if isinstance(mark, Path):
        points = " ".join(f"{_n(x)},{_n(y)}" for x, y in mark.points)
        stroke = _paint("stroke", mark.color, in_page, also="fill:none;stroke-linejoin:round")
        dashes = f' stroke-dasharray="{" ".join(map(_n, mark.dashes))}"' if mark.dashes else ""
        return "polyline", f' points="{points}" stroke-width="{_n(mark.width)}"{dashes}{stroke}', ""
    if isinstance(mark, Box):
        places = f' x="{_n(mark.x)}" y="{_n(mark.y)}" width="{_n(mark.width)}" height="{_n(mark.height)}"'
        opacity = f' fill-opacity="{_n(mark.opacity)}"' if mark.opacity < 1 else ""
        return "rect", f"{places}{opacity}{_paint('fill', mark.color, in_page)}", ""
    if isinstance(mark, Dot):
        return _dot(mark, in_page)
    return _words(mark, in_page)


def _dot(mark: Dot, in_page: bool) -> tuple[str, str, str]:
    fill, edge = ("paper", mark.color) if mark.hollow else (mark.color, "paper")
    paint = _paint("fill", fill, in_page, also=f"stroke:{_color(edge, in_page)}")
    width = f' stroke-width="{_n(1.6 if mark.hollow else float(mark.halo))}"'
    if mark.shape == "circle":
        return "circle", f' cx="{_n(mark.x)}" cy="{_n(mark.y)}" r="{_n(mark.radius)}"{width}{paint}', ""
    placed = POLYGONS[mark.shape].place(mark.x, mark.y, mark.radius)
    corners = " ".join(f"{_n(x)},{_n(y)}" for x, y in placed)
    return "polygon", f' points="{corners}"{width}{paint}', ""


def _words(mark: TextMark, in_page: bool) -> tuple[str, str, str]:
    baseline = mark.y if mark.turn else mark.y + mark.size * 0.35  # half the height of capitals
    attributes = f' x="{_n(mark.x)}" y="{_n(baseline)}" font-size="{_n(mark.size)}"'
    if mark.anchor != "start":
        attributes += f' text-anchor="{mark.anchor}"'
    if mark.bold:
        attributes += ' font-weight="600"'
    if mark.turn:
        attributes += f' transform="rotate({_n(-mark.turn)} {_n(mark.x)} {_n(mark.y)})"'
    return "text", attributes + _paint("fill", mark.color, in_page), _text(mark.text)


def _paint(what: str, color: str, in_page: bool, *, also: str = "") -> str:
    return f' style="{what}:{_color(color, in_page)}{";" + also if also else ""}"'


def _color(role: str, in_page: bool) -> str:
    return f"var(--{role})" if in_page else LIGHT[role]


def _text(text: str) -> str:
    return escape(printable(text))


def _n(value: float) -> str:
    """A coordinate, to a hundredth of a pixel.

    >>> _n(12.0), _n(0.333333), _n(-0.0001)
    ('12', '0.33', '0')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
