"""Whether a user describes an item that satisfies the need by facts that hold for it alone.

Facts are those that a catalogue has: people and characters, the exact year, rare words of the description. Two people are
enough, or one with the year or two such words. What the agent said or asks for, what the need asks for, and what is true of
a title in the same turn is not counted; nor is a list of people most of whom had no part in the item. Facts of several turns
are not added up. Measured in ``benchmarks/GATES.md``.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from trialogue.catalogue.facts import Fact, FactIndex, FactKind, StatedFact
from trialogue.catalogue.item import ASKED, YEARS, names_of
from trialogue.catalogue.linking.titles import tokens
from trialogue.records import Dialogue, Need, Utterance

MIN_NAMES = 2
MIN_WORDS = 2  # of the description, beside one name


@dataclass(frozen=True, slots=True)
class Description:
    """An item that a user described, with the facts that hold for no other one."""

    item_id: str
    facts: frozenset[Fact]


def description_in(dialogue: Dialogue, index: FactIndex) -> Description | None:
    """The first item satisfying the need that the user describes before anybody named it; None: none.

    Args:
        dialogue: a dialogue whose user has a need; without one, nothing is found.
        index: facts of the catalogue that the need is of.
    """
    need = dialogue.need
    if need is None or not any(said.speaker == "user" and _may_name(index, said.text) for said in dialogue.utterances):
        return None
    wanted = frozenset((*need.targets, *need.acceptable))
    turns = [(speaker, tuple(run)) for speaker, run in groupby(dialogue.utterances, key=lambda said: said.speaker)]
    if not any(speaker == "user" and _may_describe(turn, wanted, index) for speaker, turn in turns):
        return None
    given = set(_facts_of_need(need, index))
    asked: frozenset[str] = frozenset()
    named: set[str] = set()
    for speaker, turn in turns:
        stated = tuple(_facts_in(turn, index))
        facts = {each.fact for each in stated}
        titles = {mention.item_id for said in turn for mention in said.mentions or () if mention.item_id is not None}
        named |= titles
        if speaker != "user":
            given |= facts
            asked = _words_in(turn)
            continue
        given |= {fact for fact in facts if _is_answer(fact, asked, turn, index)}
        new = facts.difference(given, *map(index.facts_of, titles))
        people = {each.fact for each in stated if each.is_whole and each.fact.kind is FactKind.NAME}
        for item_id in sorted(_with_names(new, index) & wanted - named):
            held = new & index.facts_of(item_id)
            if _is_enough(held) and _is_about(held, people & new) and _holds_for_one(held, index):
                return Description(item_id, frozenset(held))
    return None


_may_name = lru_cache(maxsize=20_000)(FactIndex.may_name)


def _may_describe(turn: Sequence[Utterance], wanted: frozenset[str], index: FactIndex) -> bool:
    """Whether a turn states a name of one of the items, and anything else."""
    facts = [each.fact for said in turn for each in index.find(said.text)]
    return len(facts) > 1 and not wanted.isdisjoint(_with_names(facts, index))


def _with_names(facts: Iterable[Fact], index: FactIndex) -> frozenset[str]:
    """Items in which anybody took part who is among some facts."""
    return frozenset[str]().union(*(index.items_with(fact) for fact in facts if fact.kind is FactKind.NAME))


def _facts_in(turn: Sequence[Utterance], index: FactIndex) -> Iterator[StatedFact]:
    """Facts stated in a turn outside of titles."""
    for said in turn:
        places = [
            (each.start, each.end) for each in said.mentions or () if each.start is not None and each.end is not None
        ]
        for stated in index.find(said.text):
            if not any(start < stated.end and stated.start < end for start, end in places):
                yield stated


def _facts_of_need(need: Need, index: FactIndex) -> Iterator[Fact]:
    """Facts that the need itself asks for."""
    for value in (value for each in need.constraints for value in each.values):
        forms = [token.form for token in tokens(value)]
        yield Fact(FactKind.NAME, " ".join(forms))
        yield from (Fact(kind, form) for form in forms for kind in (FactKind.WORD, FactKind.YEAR))
        yield from (each.fact for each in index.find(value))


def _words_in(turn: Sequence[Utterance]) -> frozenset[str]:
    return frozenset(token.form for said in turn for token in tokens(said.text))


def _is_answer(fact: Fact, asked: Collection[str], turn: Sequence[Utterance], index: FactIndex) -> bool:
    """Whether the agent's turn before asked about an attribute, or at least spoke of it."""
    if fact.kind is FactKind.YEAR:
        return not YEARS.isdisjoint(asked) or "when" in asked or _asked_attributes(turn) & YEARS != set()
    if fact.kind is FactKind.WORD:
        return False
    attributes = index.attributes_of(fact)
    if "who" in asked or "whom" in asked or attributes & _asked_attributes(turn):
        return True
    return any(not frozenset(names_of(each)).isdisjoint(asked) for each in attributes)


def _asked_attributes(turn: Sequence[Utterance]) -> set[str]:
    """Attributes that the user's program heard a question about."""
    lists = [asked for said in turn if isinstance(asked := said.meta.get(ASKED), list)]
    return {str(name) for names in lists for name in names}


def _is_enough(facts: Collection[Fact]) -> bool:
    counts = {kind: sum(fact.kind is kind for fact in facts) for kind in FactKind}
    if counts[FactKind.NAME] >= MIN_NAMES:
        return True
    return counts[FactKind.NAME] > 0 and (counts[FactKind.YEAR] > 0 or counts[FactKind.WORD] >= MIN_WORDS)


def _is_about(held: Collection[Fact], people: Collection[Fact]) -> bool:
    """Whether fewer people are named in full who had no part in the item than people who had one: else they are listed."""
    own = sum(fact.kind is FactKind.NAME for fact in held)
    return own > sum(fact not in held for fact in people)


def _holds_for_one(facts: Iterable[Fact], index: FactIndex) -> bool:
    return len(frozenset.intersection(*map(index.items_with, facts))) == 1
