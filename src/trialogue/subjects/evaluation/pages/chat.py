"""Dialogues as chat bubbles with mentioned items marked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trialogue.findings import Example
from trialogue.records import Mention, Score, Utterance
from trialogue.render.text import one_line, shorten

FIRST, LAST = 4, 8  # utterances of a long dialogue: how it begins, and what it comes to
PREVIEW = 90  # columns of the first words shown before a dialogue is opened


@dataclass(frozen=True)
class Segment:
    """A piece of text; ``item`` is the title of the item it mentions, if any."""

    text: str
    item: str | None = None


@dataclass(frozen=True)
class Bubble:
    """One utterance."""

    mine: bool
    """Whether the user speaks."""
    speaker: str
    segments: tuple[Segment, ...]
    tags: tuple[str, ...]


@dataclass(frozen=True)
class Chat:
    """One example dialogue."""

    role: str
    system: str
    value: str
    measure: str
    preview: str
    bubbles: tuple[Bubble, ...]
    facts: dict[str, str]
    source: str
    id: str
    """Full id of the dialogue."""
    first: int
    """How many of the bubbles begin it; the others end it."""
    left_out: int
    """Utterances in between."""


def chat(example: Example, *, names: Mapping[str, str]) -> Chat:
    """Prepare an example for display; ``names`` are measure labels by full name."""
    dialogue = example.dialogue
    first = next((each.text for each in dialogue.utterances if each.text.strip()), "")
    system = dialogue.system or "system"
    size = len(dialogue.utterances)
    left_out = range(FIRST, size - LAST if size > FIRST + LAST + 2 else FIRST)
    return Chat(
        role=example.role,
        system=system,
        value=f"{example.value:.4g}".replace("-", "−"),
        measure=names.get(example.measure, example.measure),
        preview=_preview(first),
        bubbles=tuple(
            _bubble(utterance, system, [each for each in example.answers if each.utterance == index])
            for index, utterance in enumerate(dialogue.utterances)
            if index not in left_out
        ),
        facts={names.get(what, what): value for what, value in example.facts.items()},
        source=" · ".join(part for part in (dialogue.source or "", shorten(dialogue.id, 60)) if part),
        id=dialogue.id,
        first=FIRST,
        left_out=len(left_out),
    )


def _preview(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= PREVIEW else line[:PREVIEW].rsplit(" ", 1)[0] + " …"


def _bubble(utterance: Utterance, system: str, answers: Sequence[Score]) -> Bubble:
    mine = utterance.speaker == "user"
    return Bubble(
        mine=mine,
        speaker="User" if mine else system,
        segments=segments(utterance.text, utterance.mentions or ()),
        tags=tuple(_tags(utterance, answers)),
    )


def _tags(utterance: Utterance, answers: Sequence[Score]) -> list[str]:
    """Annotations of an utterance: acts, strategies, ratings, and answers from separate files."""
    acts = [act.intent for act in utterance.acts or () if act.intent]
    strategies = [label.strategy.replace("_", " ") for label in utterance.strategies or ()]
    ratings = [f"{rating.name} {rating.value:g}" for rating in utterance.ratings]
    ratings += [f"{each.measure.question} {each.value:g}" for each in answers]
    return list(dict.fromkeys(acts + strategies + ratings))


def segments(text: str, mentions: Sequence[Mention]) -> tuple[Segment, ...]:
    """Split a text at its mentions.

    Mentions without offsets, with offsets outside the text, or overlapping an earlier one, are not marked.

    >>> segments("See Heat.", [Mention(title="Heat (1995)", start=4, end=8)])
    (Segment(text='See ', item=None), Segment(text='Heat', item='Heat (1995)'), Segment(text='.', item=None))
    """
    pieces: list[Segment] = []
    done = 0
    for start, end, title in sorted(
        (mention.start, mention.end, mention.title)
        for mention in mentions
        if mention.start is not None and mention.end is not None
    ):
        if done <= start < end <= len(text):
            pieces += [Segment(text[done:start]), Segment(text[start:end], title)]
            done = end
    pieces.append(Segment(text[done:]))
    return tuple(piece for piece in pieces if piece.text)
