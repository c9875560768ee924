"""Turn a template line into an utterance with mention and slot offsets, using all lines before repeating one.

A line has fields, such as ``How about {title}?``. Inserted items become mentions and slots, attribute values
become slots, both with their offsets; ``{title:short}`` omits the year. Text from a user is only ever inserted, never
interpreted as a line.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from string import Formatter
from typing import NamedTuple

import numpy as np

from trialogue.catalogue import Item
from trialogue.records import ActOrigin, DialogueAct, Mention, MentionedBy, SlotValue, Utterance
from trialogue_recommenders.text_files import sections_of
from trialogue_recommenders.vocabulary import Feature
from trialogue_recommenders.wording import Wording

DECLARED = "declared"
"""Origin of the mentions: the agent itself says what it names."""
TITLE = "TITLE"
"""Slot of a title; that of an attribute is its name in capitals."""


class Numbered(NamedTuple):
    """Items as a numbered list, one per line."""

    items: Sequence[Item]
    """At least one."""


Filling = str | Item | Feature | Numbered | Sequence[Item] | Sequence[Feature]
"""Field values; several of a kind are joined by commas and "and"."""


class Fact(NamedTuple):
    """A fact about an item, with its wording."""

    name: str
    """Name of the attribute, or "year", "plot", "rating"."""
    value: Filling
    """Value."""
    lines: Sequence[str]
    """Ways to say it, with the fields value and attribute."""


class Voice:
    """Generator of utterances for one agent and domain, in a seed-dependent order of lines."""

    def __init__(self, lines: str, wording: Wording, rng: np.random.Generator) -> None:
        """Prepare the lines.

        Args:
            lines: name of a text file with a section for everything the agent says.
            wording: fills the fields noun, nouns, a_noun, called, use, used, kind and kinds.
            rng: says which line of each section comes first.
        """
        self._sections = sections_of(lines)
        self._words = _words_of(wording)
        self._rng = rng
        self._next: dict[str, int] = {}

    def say(
        self,
        section: str,
        intent: str,
        *,
        ranking: Sequence[str] | None = None,
        asks: Sequence[str] = (),
        fact: Fact | None = None,
        **fields: Filling,
    ) -> Utterance:
        """The next line of a section, as an utterance.

        Args:
            section: its name.
            intent: what the utterance does, a label of the paper.
            ranking: ids behind it, the best first.
            asks: slots that it asks for.
            fact: the text of the field "fact".
            fields: what is filled in.
        """
        draft, line = _Draft(), self._line(section, self._sections[section])
        if fact is not None:
            line = line.replace("{fact}", self._line(f"fact {fact.name}", fact.lines))
            fields |= {"value": fact.value, "attribute": fact.name}
        draft.write(line, {**self._words, **fields})
        slots = (*draft.slots, *(SlotValue(slot=slot) for slot in asks))
        return Utterance(
            speaker="system",
            text=draft.text,
            acts=(DialogueAct(intent=intent, slots=slots),),
            acts_by=ActOrigin.DECLARED,
            mentions=tuple(draft.mentions),
            ranking=None if ranking is None else tuple(ranking),
        )

    def _line(self, section: str, lines: Sequence[str]) -> str:
        turn = self._next.get(section)
        if turn is None:
            turn = int(self._rng.random() * len(lines))
        self._next[section] = turn + 1
        return lines[turn % len(lines)]


class _Draft:
    """A message being written."""

    def __init__(self) -> None:
        self.text = ""
        self.mentions: list[Mention] = []
        self.slots: list[SlotValue] = []

    def write(self, line: str, fields: Mapping[str, Filling]) -> None:
        for literal, name, style in _parts(line):
            self.text += literal
            if name:
                self._fill(fields[name], style)

    def _fill(self, filling: Filling, style: str) -> None:
        if isinstance(filling, str):
            self.text += filling
        elif isinstance(filling, Item):
            self._item(filling, filling.title if style == "short" else filling.title_with_year)
        elif isinstance(filling, Feature):
            self._slot(filling.attribute.upper(), filling.value)
        elif isinstance(filling, Numbered):
            for number, item in enumerate(filling.items, 1):
                self.text += f"\n{number}. "
                self._fill(item, style)
        else:
            several: Sequence[Item | Feature] = filling
            for place, one in enumerate(several):
                self.text += "" if place == 0 else " and " if place == len(several) - 1 else ", "
                self._fill(one, style)

    def _item(self, item: Item, written: str) -> None:
        start = len(self.text)
        self._slot(TITLE, written)
        self.mentions.append(
            Mention(
                title=item.title_with_year,
                item_id=item.id,
                start=start,
                end=start + len(written),
                origin=DECLARED,
                by=MentionedBy.DECLARED,
            )
        )

    def _slot(self, slot: str, value: str) -> None:
        start = len(self.text)
        self.text += value
        self.slots.append(SlotValue(slot=slot, value=value, start=start, end=len(self.text)))


@lru_cache(maxsize=4096)
def _parts(line: str) -> tuple[tuple[str, str, str], ...]:
    return tuple((literal, name or "", style or "") for literal, name, style, _ in Formatter().parse(line))


def _words_of(wording: Wording) -> dict[str, Filling]:
    return {
        name: getattr(wording, name) for name in ("noun", "nouns", "a_noun", "called", "use", "used", "kind", "kinds")
    }
