"""Render authors' texts and systems' replies as HTML, with quoted items marked. Every piece of a text is escaped."""

import re
from collections.abc import Iterator, Sequence

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from trialogue.markdown import Leaf, Node, markdown

QUOTED = re.compile(r'"(?=\S)(.{1,120}?)(?<=\S)"|“(?=\S)([^“”]{1,120}?)(?<=\S)”|«([^«»]{1,120}?)»|„([^„“]{1,120}?)“')
LINK = re.compile(r"https?://[^\s<>\"']+[^\s<>\"'.,;:!?)]")
BOLD = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")
BULLET = re.compile(r"[-*•]\s+")
NUMBERED = re.compile(r"\d{1,2}[.)]\s+")


def with_items(text: str) -> SafeString:
    """A text with what stands in quotes marked, as titles of films do in corpora of recommendations.

    >>> with_items('Try "Heat (1995)" & relax')
    'Try <mark>&quot;Heat (1995)&quot;</mark> &amp; relax'
    """
    return mark_safe(_with_marks(text, Leaf(0, len(text)), _quotations(text)))


def reply(text: str, images: Sequence[str] = ()) -> SafeString:
    """What a system wrote: its Markdown as elements of a closed list, what stands in quotes marked.

    Args:
        text: of the reply.
        images: beginnings of addresses from which images are shown; others are links.

    >>> reply("Try **Heat**: <b>")
    '<p>Try <strong>Heat</strong>: &lt;b&gt;</p>'
    """
    quoted = _quotations(text)
    return mark_safe("".join(_html(node, text, quoted, tuple(images)) for node in markdown(text)))


def _quotations(text: str) -> list[tuple[int, int]]:
    return [found.span() for found in QUOTED.finditer(text)]


def _with_marks(text: str, leaf: Leaf, quoted: Sequence[tuple[int, int]]) -> str:
    """HTML of a range of a text, with the parts of quotations in it marked."""
    pieces, done = [], leaf.start
    for first, last in quoted:
        start, end = max(first, leaf.start), min(last, leaf.end)
        if start < end:
            pieces += [escape(text[done:start]), f"<mark>{escape(text[start:end])}</mark>"]
            done = end
    return "".join([*pieces, escape(text[done : leaf.end])])


def _html(
    node: Node, text: str, quoted: Sequence[tuple[int, int]], images: tuple[str, ...], linked: bool = False
) -> str:
    """HTML of an element; ``linked``: it stands in a link."""
    if isinstance(node, Leaf):
        return _with_marks(text, node, quoted)
    if node.tag == "img" and node.address.startswith(images or ("\0",)):
        alt = "".join(text[leaf.start : leaf.end] for leaf in node.children if isinstance(leaf, Leaf))
        return f'<img src="{escape(node.address)}" alt="{escape(alt)}" loading="lazy">'
    inner = "".join(_html(child, text, quoted, images, linked or node.tag in ("a", "img")) for child in node.children)
    if node.tag in ("a", "img"):
        address = escape(node.address)
        link = f'<a href="{address}" title="{address}" rel="noopener noreferrer nofollow" target="_blank">'
        return inner if linked else f"{link}{inner}</a>"
    first = f' start="{node.first}"' if node.first != 1 else ""
    return f"<{node.tag}{first}>" + ("" if node.tag in ("br", "hr") else f"{inner}</{node.tag}>")


def prose(text: str) -> SafeString:
    """Paragraphs, lists and headings of a plain text; ``**bold**`` and web addresses within them.

    Blank lines part paragraphs; lines that begin with ``- `` or ``1. `` are a list; ``## `` begins a heading.

    >>> prose("Thanks!\\n\\n- one\\n- <two>")
    '<p>Thanks!</p><ul><li>one</li><li>&lt;two&gt;</li></ul>'
    """
    blocks = re.split(r"\n\s*\n", text.replace("\r\n", "\n").strip())
    return mark_safe("".join(part for block in blocks for part in _block(block)))


def _block(block: str) -> Iterator[str]:
    """HTML of the lines between two blank ones."""
    lines = [line.strip() for line in block.split("\n") if line.strip()]
    while lines:
        if lines[0].startswith("#"):
            yield f"<h2>{_line(lines.pop(0).lstrip('# '))}</h2>"
            continue
        for pattern, tag in ((BULLET, "ul"), (NUMBERED, "ol")):
            if listed := _take_lines(lines, pattern):
                shown = (_line(pattern.sub("", line, count=1)) for line in listed)
                yield f"<{tag}>" + "".join(f"<li>{line}</li>" for line in shown) + f"</{tag}>"
                break
        else:
            plain = [lines.pop(0)]
            while lines and not (lines[0].startswith("#") or BULLET.match(lines[0]) or NUMBERED.match(lines[0])):
                plain.append(lines.pop(0))
            yield f"<p>{'<br>'.join(_line(line) for line in plain)}</p>"


def _take_lines(lines: list[str], pattern: re.Pattern[str]) -> list[str]:
    """The lines at the beginning that match, taken away."""
    count = next((place for place, line in enumerate(lines) if not pattern.match(line)), len(lines))
    listed, lines[:] = lines[:count], lines[count:]
    return listed


def _line(line: str) -> str:
    pieces, end = [], 0
    for link in LINK.finditer(line):
        address = escape(link.group())
        shown = f'<a href="{address}" rel="noopener noreferrer" target="_blank">{address}</a>'
        pieces += [_bold(line[end : link.start()]), shown]
        end = link.end()
    return "".join([*pieces, _bold(line[end:])])


def _bold(text: str) -> str:
    return BOLD.sub(r"<strong>\1</strong>", escape(text))
