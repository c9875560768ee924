"""Markdown of what systems wrote: elements of a closed list over ranges of the text, and no word lost."""

import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.study.hostile import HOSTILE
from trialogue.markdown import DEEPEST, LONGEST, TAGS, Element, Leaf, Node, markdown, shown_words
from trialogue.study.bots.page import parse
from trialogue.study.pages.fragments import reply


def elements(nodes: tuple[Node, ...]) -> Iterator[Element]:
    for node in nodes:
        if isinstance(node, Element):
            yield node
            yield from elements(node.children)


def said(text: str, nodes: tuple[Node, ...]) -> str:
    """What is shown."""
    return "".join(text[n.start : n.end] if isinstance(n, Leaf) else said(text, n.children) for n in nodes)


def depth(nodes: tuple[Node, ...]) -> int:
    return max((1 + depth(n.children) for n in nodes if isinstance(n, Element)), default=0)


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("Try **Heat** or *Ronin*", ["p", "strong", "em"]),
        ("# Films\n1. Heat\n2. Ronin", ["p", "strong", "ol", "li", "li"]),
        ("- a\n- b\n  - c", ["ul", "li", "li", "ul", "li"]),
        ("> q\n\n`c` ~~s~~", ["blockquote", "p", "p", "code", "s"]),
        ("```py\na\nb\n```", ["pre", "br"]),
        ("|a|b|\n|-|-|\n|1|2|", ["table", "thead", "tr", "th", "th", "tbody", "tr", "td", "td"]),
        ("[x](https://a.example/b?c=d) ![y](https://a.example/z.png)", ["p", "a", "img"]),
        ("Heat (1995)\nRonin\n\n    indented, 2 ** 3", []),
        ("snake_case_name & <b>", []),
    ],
)
def test_markup_becomes_elements(text: str, tags: list[str]) -> None:
    assert [node.tag for node in elements(markdown(text))] == tags


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java&#x73;cript:alert(1)",
        "data:text/html;base64,PHNjcmlwdD4=",
        "data:image/png;base64,AAAA",
        "vbscript:x",
        "file:///etc/passwd",
        "//evil.example/x",
        "/staff/erase",
        "\\\\evil.example",
        " https://a.example\nb",
    ],
)
def test_only_addresses_of_the_web_become_links_and_images(address: str) -> None:
    for text in (f"*x* [a]({address})", f"*x* ![a]({address})", f"*x* <{address}>", f"*x* [a]\n\n[a]: {address}"):
        found = [node.address for node in elements(markdown(text)) if node.address]
        assert not [each for each in found if not each.startswith("https://a.example")], text


@pytest.mark.parametrize(
    "text",
    [
        "> " * 500 + "deep",
        "- " * 500 + "deep",
        "*a **b " * 800 + "c** d*" * 800,
        "[" * 9_000 + "a" + "]" * 9_000,
        "![" * 9_000,
        "[a](" * 4_000,
        "<" * LONGEST,
        "***" * 6_000 + "a",
        "*" * (LONGEST + 1) + "a",
        "|" * 9_000 + "\n" + "|-" * 4_000,
    ],
)
def test_huge_nesting_is_shown_as_it_is_and_costs_little(text: str) -> None:
    start = time.process_time()
    nodes = markdown(text)
    assert time.process_time() - start < 5  # 0.2 s as measured
    assert depth(nodes) <= DEEPEST + 1
    assert [*filter(str.isalnum, said(text, nodes))] == [*filter(str.isalnum, text)]


def test_surplus_cells_definitions_and_html_are_not_swallowed() -> None:
    for text in (
        "|a|b|\n|-|-|\n|1|2|3|",
        "[a]: https://b.example 'title'\n*c*",
        "*a* <!-- hidden -->",
        "*a* &lt; b",
        "***",
    ):
        assert [*filter(str.isalnum, said(text, markdown(text)))] == [*filter(str.isalnum, text)]


PIECES = st.sampled_from(
    [*HOSTILE, "*", "**", "`", "```\n", "\n", "\n\n", "- ", "1. ", "> ", "|", "|-|-|\n", "[", "](https://a.example)", "!",
     "a", "Heat", " ", "\\", "\r\n", "\x00", "\t", "é", "😀", "#", "~~", "&amp;", "_"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=25).map("".join))
def test_every_leaf_is_a_range_in_order_and_every_element_is_known(text: str) -> None:
    nodes = markdown(text)
    found = [*elements(nodes)]
    assert {node.tag for node in found} <= TAGS
    assert all(node.address.startswith("https://") for node in found if node.tag in ("a", "img"))
    place = 0
    for leaf in [n for each in (Element("p", nodes), *found) for n in each.children if isinstance(n, Leaf)]:
        assert 0 <= leaf.start < leaf.end <= len(text)
    for leaf in _leaves(nodes):
        assert leaf.start >= place
        place = leaf.end


def _leaves(nodes: tuple[Node, ...]) -> Iterator[Leaf]:
    for node in nodes:
        if isinstance(node, Leaf):
            yield node
        else:
            yield from _leaves(node.children)


@given(st.lists(PIECES, max_size=15).map("".join))
def test_a_bot_reads_on_the_page_what_it_knows_of_the_items(text: str) -> None:
    for images in ((), ("https://a.example",)):
        assert (
            parse(f"<div>{reply(text, images)}</div>").text == shown_words(text.replace("\x00", "")) or "\x00" in text
        )
