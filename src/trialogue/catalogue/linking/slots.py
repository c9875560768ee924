"""Slots and rows: what titles fill the items of a list, and whether a list is one of titles.

A title that is all of a list's item ("2. Up"), but for a year and a description behind it, is trusted where the same word
in a sentence is not, if the list looks like one of titles: half of its items are, or one that is hardly anything else. Lists
of genres or of answers ("Yes", "No") do not. Titles that are coordinated ("Heat, Up and Alien") support each other, too.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from trialogue.catalogue.layout import Layout
from trialogue.catalogue.layout.fillings import YEAR, filling_of, stop_behind
from trialogue.catalogue.linking.clauses import JOINING, LINKS, TextEvidence
from trialogue.catalogue.linking.evidence import WEAK_KINDS, is_name
from trialogue.catalogue.linking.index import Match
from trialogue.catalogue.linking.ordinary import kind_of, word_set

ANSWERS = word_set("yes no maybe ok okay sure thanks hello hi bye none neither both other others more next back")
"""Words of one-word answers, which as items of lists are options rather than titles."""

FILLS_SLOT, EMPHASISED = "fills a slot", "emphasised"
IN_LONG_ROW, IN_ROW, IN_WEAK_ROW = "in a long row of titles", "in a row of titles", "in a row of weak words"

_EMPHASIS_ENDS = re.compile(rf"[.,:!?…\"'”’]*{YEAR}[.,:!?…\"'”’]*\*")
_SEPARATOR = re.compile(r"[.!?…]?[\s,;/|&•+>→*\"'“”‘’«»()\[\]]*\Z")


@dataclass
class ReadPart:
    """A part of a reply with the matches of titles in it."""

    around: TextEvidence
    matches: tuple[Match, ...]
    no_titles: Collection[str]
    """What is no title where things of its like are listed or emphasised: genres, in the common form without spaces."""
    is_trusted: bool = False
    """Whether what fills this slot can be trusted to be a title."""
    is_described: bool = False
    """Whether a colon behind what fills it begins a description rather than a subtitle."""

    @cached_property
    def rows(self) -> dict[tuple[int, int], str]:
        """Observations of matches that are coordinated with others, by the indices of their words (first, behind)."""
        return _rows_in(self)

    def observations_of(self, match: Match) -> Iterator[str]:
        """What the layout says about a match."""
        if self.is_trusted and fills_slot(self.around, match):
            yield FILLS_SLOT
        elif len(self.matches) > 1 and (row := self.rows.get((match.first, match.behind))) is not None:
            yield row
        if _is_emphasised(self.around, match) and not self.is_option(match.entries[0].forms):
            yield EMPHASISED

    def is_option(self, forms: tuple[str, ...]) -> bool:
        """Whether words are a genre or an answer as well as a title."""
        words = "".join(forms)
        return words in ANSWERS or words in self.no_titles


def _is_emphasised(around: TextEvidence, match: Match) -> bool:
    """Whether exactly these words are in bold, italics, code or a link, and begin with a capital or a digit."""
    if not (around.gap(match.first).endswith("*") and not around.word(match.first)[:1].islower()):
        return False
    return _EMPHASIS_ENDS.match(around.text, around.tokens[match.behind - 1].end, around.part.end) is not None


def fills_slot(around: TextEvidence, match: Match) -> bool:
    """Whether a match is all of a slot, but for marks around it and a year and a description behind it."""
    if match.first or around.part.layout is Layout.PROSE:
        return False
    stop = stop_behind(around.text, around.part, around.tokens[match.behind - 1].end)
    return stop is not None and not is_name(around.text[stop : around.part.end])


def with_trust(parts: list[ReadPart]) -> list[ReadPart]:
    """Decide for each group of slots whether titles in it can be trusted."""
    groups: dict[tuple[Layout, str], list[ReadPart]] = defaultdict(list)
    for part in parts:
        if part.around.tokens and not _is_number_of_row(part):
            groups[part.around.part.layout, part.around.part.group].append(part)
    for (layout, _), group in groups.items():
        if layout is not Layout.PROSE:
            _judge_group(group)
    return parts


def _is_number_of_row(part: ReadPart) -> bool:
    """Whether a cell holds no more than a number that is no title."""
    return len(part.around.tokens) == 1 and part.around.form(0).isdigit() and not part.matches


def _judge_group(group: Sequence[ReadPart]) -> None:
    forms = [_filling(part) for part in group]
    telling = [words is not None and kind_of(words) not in WEAK_KINDS for words in forms]
    share = sum(words is not None for words in forms) / len(group)
    n_telling, is_line = sum(telling), group[0].around.part.layout is Layout.LINE
    is_of_titles = share >= 0.5 or any(_looks_titled(part.around) for part in group)
    described = sum(words is not None and _has_colon(part) for part, words in zip(group, forms, strict=True)) > 1
    for place, (part, words) in enumerate(zip(group, forms, strict=True)):
        if words is None:
            continue
        part.is_described = described  # "Heat: Crime" and "Up: Animation", but one "Frozen: The Return"
        supported = n_telling > telling[place]
        if part.is_option(words):
            part.is_trusted = supported
        elif is_line:
            part.is_trusted = share >= 0.5 and len(group) > 1 and (supported or _is_great(part))
        elif _is_great(part):
            part.is_trusted = supported or is_of_titles
        else:
            part.is_trusted = supported or (share >= 0.5 and len(group) > 2)


def _has_colon(part: ReadPart) -> bool:
    return any(fills_slot(part.around, match) and ":" in part.around.gap(match.behind) for match in part.matches)


def _filling(part: ReadPart) -> tuple[str, ...] | None:
    """Words of the longest title that fills a slot; "One" does not, where only "The One" is known."""
    filling = [match for match in part.matches if fills_slot(part.around, match)]
    if not filling:
        return None
    entries = max(filling, key=lambda match: match.behind).entries
    is_another = all(entry.bare and kind_of(entry.forms) in WEAK_KINDS for entry in entries)
    return None if is_another else entries[0].forms


def _is_great(part: ReadPart) -> bool:
    first = part.around.word(0)[:1]
    return not first.islower()


def _looks_titled(around: TextEvidence) -> bool:
    """Whether two great words or more fill a slot, so that it is one of titles even if none of them is known."""
    filling = around.text[slice(*filling_of(around.text, around.part))]
    return " " in filling.strip() and is_name(filling)


def _rows_in(part: ReadPart) -> dict[tuple[int, int], str]:
    around = part.around
    members: list[Match] = []
    behind = 0
    for match in sorted(part.matches, key=lambda match: (match.first, -match.behind)):
        is_great = not around.word(match.first)[:1].islower()
        if match.first < behind or not is_great or not _stands_apart(around, match):
            continue
        if not part.is_option(match.entries[0].forms):
            members.append(match)
            behind = match.behind
    seen: dict[tuple[int, int], str] = {}
    row: list[Match] = []
    for member in (*members, None):
        if member is not None and (not row or _are_coordinated(around, row[-1], member)):
            row.append(member)
            continue
        if len(row) > 1:
            seen |= _row_observations(row)
        row = [] if member is None else [member]
    return seen


def _row_observations(row: Sequence[Match]) -> dict[tuple[int, int], str]:
    """What a row of coordinated matches says about each, by the others."""
    forms = [match.entries[0].forms for match in row]
    telling = [kind_of(words) not in WEAK_KINDS for words in forms]
    solid = [own or len(words) > 1 for own, words in zip(telling, forms, strict=True)]
    seen, n_telling, n_solid = {}, sum(telling), sum(solid)
    for match, is_telling, is_solid in zip(row, telling, solid, strict=True):
        is_long = len(row) > 2 and 2 * (n_solid - is_solid) >= len(row) - 1
        name = IN_LONG_ROW if is_long else IN_ROW if n_telling > is_telling else IN_WEAK_ROW
        seen[match.first, match.behind] = name
    return seen


def _stands_apart(around: TextEvidence, match: Match) -> bool:
    """Whether no other words of a name are next to a match: "Brain" in "The Female Brain", "Spider" in "Spider-Man"."""
    before, after = around.gap(match.first), around.gap(match.behind)
    if (
        before.endswith(("-", "("))
        or after.startswith("-")
        or (not before.strip() and around.has_capital(match.first - 1))
    ):
        return False
    if after.strip(" '’") or match.behind == len(around.tokens):
        return True
    return around.form(match.behind) in JOINING or _goes_on_small(around, match)


def _goes_on_small(around: TextEvidence, match: Match) -> bool:
    """Whether a sentence goes on behind a match that is more than a pronoun: "Click was good", not "It was good"."""
    small = around.word(match.behind)[:1].islower() and around.form(match.behind) not in LINKS
    return small and kind_of(match.entries[0].forms) != "function word"


def _are_coordinated(around: TextEvidence, before: Match, after: Match) -> bool:
    """Whether nothing stands between two matches but a year, marks and "and"."""
    place = before.behind
    if place < after.first and around.form(place).isdigit() and len(around.form(place)) == 4:
        place += 1
    while place < after.first:
        if not _SEPARATOR.match(around.gap(place)) or around.form(place) not in JOINING:
            return False
        place += 1
    gap = around.gap(after.first)
    return _SEPARATOR.match(gap) is not None and bool(
        gap.strip(" .!?…\"'()") or around.form(after.first - 1) in JOINING
    )
