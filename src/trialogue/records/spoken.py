"""What a message says: reasoning apart from the reply, characters in one Unicode form, blank texts known as such.

The one rule for every entrance: files, frames, lists in memory, agents' answers and judges' answers. Reasoning models write
their thought before (or between) what they say, between marks that differ by model and server; a template may supply the
opening mark, and a token limit may cut off the closing one. What is thought is kept apart, and nothing scores it.
"""

import re
import unicodedata
from typing import NamedTuple

from trialogue.records.dialogue import MENTIONS, Mention, Utterance

_MARK = re.compile(
    r"(?:<|&lt;)(?P<a>/?)(?:seed:)?(?:think|thinking|thoughts?|reasoning|scratchpad)(?:\s[^<>]{0,80})?(?:>|&gt;)"
    r"|\[(?P<b>/?)THINK\]|◁(?P<c>/?)think▷|<\|(?:begin_of_thought|START_THINKING)\|>|<\|(?P<d>end_of_thought|END_THINKING)\|>",
    re.IGNORECASE,
)
"""Opening and closing marks of reasoning: the tags of DeepSeek, Qwen and Anthropic's prompts, and those of Mistral, Kimi,
Open Thoughts and Cohere. Closing ones fill a group."""
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)[^<]*<\|message\|>")
_CHANNEL_END = re.compile(r"<\|(?:end|return|call|start)\|>(?:\w+)?")
"""Channels of OpenAI's open models ("harmony"): only ``final`` is said to the user."""
_WRAPPED = re.compile(
    r"\s*(?:<answer>|<\|begin_of_solution\|>|<\|START_RESPONSE\|>)(.*?)(?:</answer>|<\|end_of_solution\|>|<\|END_RESPONSE\|>)?\s*",
    re.DOTALL | re.IGNORECASE,
)


class Spoken(NamedTuple):
    """A message in its two channels."""

    said: str
    """What the user sees, without surrounding white space where something was taken out."""
    thought: str | None
    """Reasoning, pieces joined by line breaks; None: there is none."""


def may_hold_thought(text: str) -> bool:
    """Whether a text has a sign of which one stands in every mark of reasoning."""
    # One character is found ten times as fast as several.
    return "<" in text or "[" in text or ("&" in text and "&lt;" in text) or "◁" in text


def split_channels(text: str) -> Spoken:
    r"""Split a message of a system into what is said and what is thought.

    A closing mark without an opening one ends a thought that began with the text; an opening one without a closing one
    begins a thought to the end. Texts without marks are returned unchanged.

    >>> split_channels("<think>They like thrillers.</think>\nHave you seen Heat?")
    Spoken(said='Have you seen Heat?', thought='They like thrillers.')
    >>> split_channels("They like thrillers.</think>Heat?").said, split_channels("<think>They like").said
    ('Heat?', '')
    """
    if not may_hold_thought(text):
        return Spoken(text, None)
    if "<|channel|>" in text:
        return _by_channel(text)
    marks = list(_MARK.finditer(text))
    if not marks:
        return Spoken(text, None)
    said: list[str] = []
    thought: list[str] = []
    depth, at = 0, 0
    for mark in marks:
        (thought if depth else said).append(text[at : mark.start()])
        at = mark.end()
        if not mark.lastgroup or not mark[mark.lastgroup]:
            depth += 1
        elif depth:
            depth -= 1
        else:
            thought, said = [*said, *thought], []
    if depth and "".join(said).strip():  # an opening mark amid what is said, never closed: it is spoken of
        return Spoken(text, None)
    (thought if depth else said).append(text[at:])
    return _join_channels(said, thought)


def _by_channel(text: str) -> Spoken:
    said: list[str] = []
    thought: list[str] = []
    starts = list(_CHANNEL.finditer(text))
    for mark, end in zip(starts, [*(each.start() for each in starts[1:]), len(text)], strict=True):
        piece = _CHANNEL_END.sub("", text[mark.end() : end])
        (said if mark[1].lower() == "final" else thought).append(piece)
    return _join_channels(said, thought) if starts else Spoken(text, None)


def _join_channels(said: list[str], thought: list[str]) -> Spoken:
    reply = "".join(said).strip()
    wrapped = _WRAPPED.fullmatch(reply)
    reasoning = "\n".join(piece for part in thought if (piece := part.strip()))
    return Spoken(wrapped[1].strip() if wrapped else reply, reasoning or None)


def in_one_form(text: str) -> str:
    r"""The text in Unicode's composed form (NFC), so that equal texts are equal however a keyboard composed them.

    >>> in_one_form("Ame\u0301lie") == "Amélie"
    True
    """
    return text if text.isascii() or unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def is_blank(text: str) -> bool:
    r"""Whether a text shows nothing: white space and invisible characters (zero-width spaces, marks of direction) only.

    >>> is_blank(" \n"), is_blank("\u200b"), is_blank("–")
    (True, True, False)
    """
    return not text.strip() or (
        not text.isascii() and all(each.isspace() or unicodedata.category(each) in ("Cf", "Cc") for each in text)
    )


def _offset_in_one_form(text: str, offset: int) -> int:
    """Place of a character of ``text`` in ``in_one_form(text)``; where it is composed with others, the place of these."""
    return len(in_one_form(text[:offset])) if offset < len(text) else len(in_one_form(text))


def settle_utterance(utterance: Utterance) -> Utterance:
    """An utterance with its text in one form, a system's thought apart, and offsets that still fit; itself if it is so."""
    text, named = utterance.text, {name: getattr(utterance, name) for name in MENTIONS}
    changes: dict[str, object] = {}
    if utterance.speaker == "system":
        said, thought = split_channels(text)
        if said is not text:
            thoughts = [each for each in (utterance.thought, thought) if each]
            by = text.find(said) if said else 0
            named = {name: _shift_mentions(each, by, len(said)) for name, each in named.items()}
            changes = {"text": said, "thought": "\n".join(thoughts) or None, **named}
            text = said
    composed = in_one_form(text)
    if composed is not text:
        changes |= {"text": composed, **{name: _compose_mentions(each, text) for name, each in named.items()}}
    return utterance.model_copy(update=changes) if changes else utterance


def _shift_mentions(mentions: tuple[Mention, ...] | None, by: int, length: int) -> tuple[Mention, ...] | None:
    """Mentions after text before them was taken out; those in what was taken out are dropped."""
    found = []
    for mention in mentions or ():
        if mention.start is None or mention.end is None:
            found.append(mention)
        elif mention.start >= by and mention.end - by <= length:
            found.append(mention.model_copy(update={"start": mention.start - by, "end": mention.end - by}))
    return None if mentions is None else tuple(found)


def _compose_mentions(mentions: tuple[Mention, ...] | None, text: str) -> tuple[Mention, ...] | None:
    if mentions is None:
        return None
    places = [
        {
            "title": in_one_form(mention.title),
            "start": None if mention.start is None else _offset_in_one_form(text, mention.start),
            "end": None if mention.end is None else _offset_in_one_form(text, mention.end),
        }
        for mention in mentions
    ]
    return tuple(mention.model_copy(update=place) for mention, place in zip(mentions, places, strict=True))
