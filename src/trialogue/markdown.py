"""The Markdown of a text as a tree of elements over places in it: one rule for all pages that show what systems wrote.

No HTML comes out of here: elements are of a closed list, addresses are of the web, and every leaf is a range of the text
itself, which a page escapes or makes a text node of. A text that could not be shown so in full (deep nesting, surplus cells
of a table) is not taken for Markdown, so that no word is lost.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

DEEPEST = 12  # elements in one another
LONGEST = 20_000  # characters; the parser's time grows with the square of some texts' length
TAGS = frozenset({"p", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong", "s", "a", "br", "hr", "img", "table",
                  "thead", "tbody", "tr", "th", "td"})  # fmt: skip
"""The elements that there are."""
BLOCKS = frozenset({"p", "ul", "ol", "li", "blockquote", "pre", "br", "hr", "table", "tr", "th", "td"})
"""Elements that part words."""
WEB = re.compile(r"https?://[^\s<>\"'\\]+", re.IGNORECASE)
_MARKUP, _MARKUP_OF_LINES = re.compile(r"[*_`~\[<\\]"), re.compile(r"\n {0,3}(?:[#>|+-]|\d+[.)])")
_OFF = ("html_block", "html_inline", "code", "reference", "lheading", "entity", "text_join")
# Of those, "code" would make code of what is indented, "reference" drop lines, and "lheading" take a rule for a heading.


@dataclass(frozen=True, slots=True)
class Leaf:
    """A range of the text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Element:
    """An element, one of ``TAGS``."""

    tag: str
    children: "tuple[Node, ...]" = ()
    address: str = ""
    """Of ``a`` and ``img``: an address of the web."""
    first: int = 1
    """Of ``ol``: the first number."""


Node: TypeAlias = Leaf | Element


def may_hold_markdown(text: str) -> bool:
    """Whether anything in a text looks like markup; True of every text with elements."""
    return len(text) <= LONGEST and (_MARKUP.search(text) or _MARKUP_OF_LINES.search(f"\n{text}")) is not None


def markdown(text: str) -> tuple[Node, ...]:
    """The elements of a text; a single leaf for a text in which nothing is marked up.

    >>> [(node.tag, len(node.children)) for node in markdown("Try *Heat*\\n- or *Ronin*") if isinstance(node, Element)]
    [('p', 2), ('ul', 1)]
    >>> markdown("Try Heat")
    (Leaf(start=0, end=8),)
    """
    plain = (Leaf(0, len(text)),) if text else ()
    if not may_hold_markdown(text):
        return plain
    tokens = _parser().parse(text)
    built = _Builder(text).build(tokens)
    return plain if built is None or all(_is_plain(node) for node in built) else built


def shown_words(text: str) -> str:
    """What is read of a text without its markup; runs of spaces count as one.

    >>> shown_words("# Films\\n- **Heat**, \\n- Ronin")
    'Films Heat, Ronin'
    """
    return " ".join(_words_of(text, Element("p", markdown(text))).split())


def _words_of(text: str, node: Node) -> str:
    if isinstance(node, Leaf):
        return text[node.start : node.end]
    inner = "".join(_words_of(text, child) for child in node.children)
    return f" {inner} " if node.tag in BLOCKS else inner


def _is_plain(node: Node) -> bool:
    return isinstance(node, Leaf) or node.tag == "br" or (node.tag == "p" and all(map(_is_plain, node.children)))


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": DEEPEST + 8}).enable(["table", "strikethrough"])
    parser.disable([*_OFF], ignoreInvalid=True)
    parser.validateLink = lambda url: WEB.fullmatch(url) is not None  # type: ignore[method-assign]
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    return parser


class _LostError(Exception):
    """Something of the text would not be shown."""


@dataclass
class _Open:
    tag: str
    address: str = ""
    first: int = 1
    children: list[Node] = field(default_factory=list)

    def element(self) -> Element:
        return Element(self.tag, tuple(self.children), self.address, self.first)


class _Builder:
    """Makes elements of tokens, and finds the places of their texts."""

    def __init__(self, text: str) -> None:
        self.text, self.place = text, 0
        self.open = [_Open("")]
        self.left = Counter(filter(str.isalnum, text))
        """Letters and digits that have not been shown, nor are part of the markup."""

    def build(self, tokens: "Sequence[Token]") -> tuple[Node, ...] | None:
        """The elements; None if a part of the text would not be shown."""
        try:
            for token in _flat(tokens):
                self._take(token)
        except _LostError:
            return None
        return None if +self.left or not self.place else tuple(self.open[0].children)

    def _take(self, token: "Token") -> None:
        if token.type in ("fence", "code_inline", "text", "text_special"):
            self._text(token)
        elif token.type in ("softbreak", "hardbreak"):
            self._add(Element("br"))
        elif token.type == "image":
            self._image(token)
        elif token.nesting == 1:
            self._begin(token)
        elif token.nesting == -1:
            self._finish(token)
        else:
            self._add(Element(_tag(token)))

    def _text(self, token: "Token") -> None:
        if token.type == "fence":
            self._pass(token.info)
            lines = token.content.removesuffix("\n").split("\n")
            shown: list[Node] = []
            for line in lines:
                shown += [Element("br"), *self._leaf(line)]
            self._add(Element("pre", tuple(shown[1:])))
        elif token.type == "code_inline":
            self._add(Element("code", self._leaf(token.content)))
        else:
            for leaf in self._leaf(token.content):
                self._add(leaf)

    def _image(self, token: "Token") -> None:
        address = str(token.attrs["src"])
        alt = self._leaf("".join(child.content for child in token.children or ()))
        shown = alt or self._leaf(address)
        if alt:
            self._pass(address)
        self._pass(str(token.attrs.get("title", "")))
        self._add(Element("img", shown, address))

    def _begin(self, token: "Token") -> None:
        if token.hidden:
            return
        if len(self.open) > DEEPEST:
            raise _LostError
        opened = _Open(_tag(token), first=int(token.attrs.get("start", 1)) if token.tag == "ol" else 1)
        if token.tag == "a":
            opened.address = str(token.attrs["href"])
            if token.info != "auto":
                self.left.subtract(filter(str.isalnum, opened.address + str(token.attrs.get("title", ""))))
        if token.type == "list_item_open":
            self._pass(token.info)
        self.open.append(opened)
        if token.type == "heading_open":
            self.open.append(_Open("strong"))

    def _finish(self, token: "Token") -> None:
        if token.hidden:
            return
        for _ in range(2 if token.type == "heading_close" else 1):
            done = self.open.pop().element()
            self._add(done)
        if done.tag == "a":
            self.place = max(self.place, self.text.find(done.address, self.place) + len(done.address))

    def _leaf(self, content: str) -> tuple[Leaf, ...]:
        """The range of the text that says this, after the one before; none for nothing."""
        if not content:
            return ()
        start = self.text.find(content, self.place)
        if start < 0:
            raise _LostError
        self.place = start + len(content)
        self.left.subtract(filter(str.isalnum, content))
        return (Leaf(start, self.place),)

    def _pass(self, markup: str) -> None:
        """Go on behind something that is not shown as text."""
        found = self.text.find(markup, self.place) if markup else -1
        if found >= 0:
            self.place = found + len(markup)
            self.left.subtract(filter(str.isalnum, markup))

    def _add(self, node: Node) -> None:
        self.open[-1].children.append(node)


def _flat(tokens: "Sequence[Token]") -> "Iterator[Token]":
    for token in tokens:
        if token.type == "inline":
            yield from token.children or ()
        else:
            yield token


def _tag(token: "Token") -> str:
    """A token's element; headings are paragraphs, for a page has an outline of its own."""
    tag = "p" if token.type.startswith("heading") else token.tag
    if tag not in TAGS:
        raise _LostError
    return tag
