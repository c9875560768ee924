"""Minimal HTML parser: a tree of elements, attributes and texts."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

from trialogue.markdown import BLOCKS

VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})


@dataclass
class Element:
    """One element of a page."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list["Element | str"] = field(default_factory=list)

    def walk(self) -> Iterator["Element"]:
        """This element and all below it, in the order of the page."""
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.walk()

    def descendants(self, *tags: str, of: str = "") -> list["Element"]:
        """Elements below with one of the tags (any, if none is named) and of a class (any, if it is "")."""
        return [
            each
            for each in self.walk()
            if each is not self and (not tags or each.tag in tags) and (not of or of in each.classes)
        ]

    @property
    def classes(self) -> list[str]:
        """Its classes."""
        return self.attributes.get("class", "").split()

    @property
    def raw(self) -> str:
        """Its text as in the source."""
        return "".join(child if isinstance(child, str) else child.raw for child in self.children)

    @property
    def text(self) -> str:
        """Its text as it is read: runs of spaces count as one.

        >>> parse("<p> Try <mark>Heat</mark>\\n now</p>").text
        'Try Heat now'
        """
        return " ".join(self._read().split())

    def _read(self) -> str:
        if self.tag == "img":
            return self.attributes.get("alt", "")
        inner = "".join(child if isinstance(child, str) else child._read() for child in self.children)
        return f" {inner} " if self.tag in BLOCKS else inner


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("")
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Element(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(made)
        if tag not in VOID:
            self._open.append(made)

    def handle_endtag(self, tag: str) -> None:
        if any(each.tag == tag for each in self._open[1:]):
            while self._open.pop().tag != tag:
                pass

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)


def parse(html: str) -> Element:
    """The tree of a page; closing tags without an opening one are ignored."""
    builder = _Builder()
    builder.feed(html)
    builder.close()
    return builder.root
