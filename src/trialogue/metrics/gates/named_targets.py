"""Whether a user writes the title of an item that satisfies the need where the linker, for good reason, found none.

The linker has to decide among all titles of a catalogue, so it leaves out "brazil", "us", and titles that are everyday
words. Here the question is narrower: does the user write the title of one of the few items that they are looking for? A
title of three words is enough, in any case; a shorter one has to be written as in the catalogue, in mid-sentence and
beside no other capital, or in quotation marks. Measured in ``benchmarks/GATES.md``.
"""

from collections.abc import Sequence
from functools import lru_cache

from trialogue.catalogue.catalogue import Catalogue
from trialogue.catalogue.linking.ordinary import word_list
from trialogue.catalogue.linking.titles import Token, tokens
from trialogue.long_work import PerObject
from trialogue.metrics.gates.phrases import names_own
from trialogue.records import Dialogue, Utterance

MIN_WORDS = 3
QUOTES = '"“”«»*'


def names_target(dialogue: Dialogue, catalogue: Catalogue) -> bool:
    """Whether the user writes such a title before anybody named the item; False without a need."""
    need = dialogue.need
    if need is None:
        return False
    spoken = frozenset[str]().union(*(_forms_in(said.text) for said in dialogue.utterances if said.speaker == "user"))
    known = _titles_of(catalogue)
    titles = {
        item_id: forms
        for item_id in (*need.targets, *need.acceptable)
        if (forms := known.get(item_id)) and spoken.issuperset(forms)
    }
    values = {_forms(value) for each in need.constraints for value in each.values} if titles else set()
    starting: dict[str, list[str]] = {}
    for item_id, forms in titles.items():
        if forms not in values:
            starting.setdefault(forms[0], []).append(item_id)
    for said in dialogue.utterances if starting else ():
        named = [
            item_id
            for first in starting.keys() & _forms_in(said.text)
            for item_id in starting[first]
            if item_id in titles and _occurs(catalogue[item_id].title, titles[item_id], said)
        ]
        if named and said.speaker == "user":
            return True
        for gone in (*named, *(mention.item_id for mention in said.mentions or ())):
            titles.pop(gone or "", None)
    return False


def _forms(text: str) -> tuple[str, ...]:
    return tuple(token.form for token in _tokens(text))


@lru_cache(maxsize=20_000)
def _tokens(text: str) -> tuple[Token, ...]:
    return tuple(tokens(text))


def _titles_in(catalogue: Catalogue) -> dict[str, tuple[str, ...]]:
    return {item.id: _forms(item.title) for item in catalogue.values()}


_titles_of = PerObject(_titles_in, 1)
"""The words of the titles of a catalogue, by its items' ids."""


@lru_cache(maxsize=20_000)
def _forms_in(text: str) -> frozenset[str]:
    return frozenset(_forms(text))


def _occurs(title: str, forms: tuple[str, ...], said: Utterance) -> bool:
    """Whether an utterance contains a title, outside of the titles that were found in it."""
    words = _tokens(said.text)
    spoken = [token.form for token in words]
    taken = [(each.start, each.end) for each in said.mentions or () if each.start is not None and each.end is not None]
    for place in range(len(words) - len(forms) + 1):
        if tuple(spoken[place : place + len(forms)]) != forms:
            continue
        start, end = words[place].start, words[place + len(forms) - 1].end
        if any(begin < end and start < stop for begin, stop in taken):
            continue
        if _is_enough(forms) or _is_quoted(said.text, start, end):
            return True
        beside = [
            said.text[token.start : token.end]
            for token in (*words[max(0, place - 1) : place], *words[place + len(forms) :][:1])
        ]
        if said.text[start:end] == title and place and _is_alone(said.text[:start], beside, is_second=place == 1):
            return True
    return False


def _is_enough(forms: tuple[str, ...]) -> bool:
    return len(forms) >= MIN_WORDS and " ".join(forms) not in word_list("stock_phrases")


def _is_quoted(text: str, start: int, end: int) -> bool:
    return start > 0 and end < len(text) and text[start - 1] in QUOTES and text[end] in QUOTES


def _is_alone(text_before: str, beside: Sequence[str], *, is_second: bool) -> bool:
    """Whether a capital is neither that of a sentence nor one of several in a name."""
    if text_before.rstrip()[-1:] in (".", "!", "?", ":") or names_own(text_before):
        return False
    neighbours = beside[1:] if is_second else beside  # the first word of a message has a capital of its own
    return not any(word[:1].isupper() and word != "I" for word in neighbours)
