"""HTML of a page's parts: fields, messages of a dialogue, and texts with quoted items marked, all escaped.

The cache key contains everything that a fragment depends on, and the language. No fragment contains participants' input.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.template.loader import render_to_string
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from trialogue.markdown import Leaf, Node, markdown
from trialogue.study.design.pages import Line
from trialogue.study.pages.fields import Field


@dataclass(frozen=True)
class Message:
    """One message of a dialogue on a page."""

    speaker: str
    text: str
    first: bool
    """Whether its speaker did not have the message before, too."""
    asked_about: bool = False


def messages_of_page(lines: Sequence[Line], *, asked_about: int | None = None) -> list[Message]:
    """Messages of a page; the speaker is shown once for consecutive messages, and always for the message in question."""
    return [
        Message(
            line.speaker,
            line.text,
            place == 0 or lines[place - 1].speaker != line.speaker or place == asked_about,
            place == asked_about,
        )
        for place, line in enumerate(lines)
    ]


@dataclass(frozen=True)
class DialogueContext:
    """A dialogue with a message that is asked about: what stands before it, the message, and what comes after."""

    before: list[Message]
    marked: list[Message]
    """The message that is asked about, alone in a list."""
    after: list[Message]


def split_around(lines: Sequence[Line], asked_about: int) -> DialogueContext:
    """A dialogue in three parts, so that the page can keep the marked message in view while the rest scrolls."""
    shown = messages_of_page(lines, asked_about=asked_about)
    return DialogueContext(shown[:asked_about], shown[asked_about : asked_about + 1], shown[asked_about + 1 :])


MAX_QUESTIONS, MAX_TALKS = 2_000, 1_000


def question(field: Field) -> SafeString:
    """Render a question with its options or field; cached while unanswered."""
    answered = field.value or field.error or any(option.chosen for option in field.options)
    return _question(field) if answered else _kept_question(field, get_language())


def render_dialogue(messages: Sequence[Message], label: str = "", *, images: Sequence[str] = ()) -> SafeString:
    """Dialogue as a list; cached, so not for conversations that participants have themselves.

    Args:
        messages: of the dialogue.
        label: name of the list, for screen readers.
        images: beginnings of addresses from which images are shown.
    """
    return _kept_talk(tuple(messages), label, get_language(), tuple(images))


def _question(field: Field) -> SafeString:
    return render_to_string("study/parts/question.html", {"field": field})


@lru_cache(maxsize=MAX_QUESTIONS)
def _kept_question(field: Field, language: str | None) -> SafeString:
    return _question(field)


@lru_cache(maxsize=MAX_TALKS)
def _kept_talk(messages: tuple[Message, ...], label: str, language: str | None, images: tuple[str, ...]) -> SafeString:
    return render_to_string("study/parts/talk.html", {"talk": messages, "talk_label": label, "images": images})


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
