"""Whether a user writes the title of an item that satisfies the need where the linker, for good reason, found none.

The linker has to decide among all titles of a catalogue, so it leaves out "brazil", "us", and titles that are everyday
words. Here the question is narrower: does the user write the title of one of the few items that they are looking for? A
title of three words is enough, in any case; a shorter one has to be written as in the catalogue, in mid-sentence and
beside no other capital, or in quotation marks. Articles may be left out of one of three words without them ("Name of
Rose"), and a title of eight letters may be misspelt where a slip makes no word ("Eternel Sunshne"). Measured in
``benchmarks/GATES.md``.
"""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from trialogue.catalogue.catalogue import Catalogue
from trialogue.catalogue.linking.evidence import PLAUSIBLE_YEARS
from trialogue.catalogue.linking.ordinary import is_ordinary, word_list
from trialogue.catalogue.linking.titles import Token, tokens
from trialogue.long_work import PerObject
from trialogue.metrics.gates.phrases import names_own
from trialogue.records import Dialogue, Utterance

MIN_WORDS = 3
MIN_LETTERS = 8  # of a title that may be misspelt: one letter makes too many words of a shorter one
ALIKE = 0.82  # of the letters of both, those in common: two or three slips in a long title
LONGER = 2  # letters that slips put in or leave out
ARTICLES = frozenset(("the", "a", "an"))
QUOTES = '"“”«»*'


def names_target(dialogue: Dialogue, catalogue: Catalogue) -> bool:
    """Whether the user writes such a title before anybody named the item; False without a need."""
    need = dialogue.need
    if need is None:
        return False
    known = _titles_of(catalogue)
    values = {_forms(value) for each in need.constraints for value in each.values}
    titles = {
        item_id: known[item_id]
        for item_id in (*need.targets, *need.acceptable)
        if item_id in known and known[item_id][0] not in values
    }
    for said in dialogue.utterances:
        is_user, spoken = said.speaker == "user", _forms_in(said.text)
        named = [
            item_id
            for item_id, (forms, bare) in titles.items()
            if (spoken.issuperset(forms) and _occurs(catalogue[item_id].title, forms, said))
            or (is_user and _is_written_otherwise(item_id, bare, said))
        ]
        if named and is_user:
            return True
        for gone in (*named, *(mention.item_id for mention in said.mentions or ())):
            titles.pop(gone or "", None)
    return False


def _forms(text: str) -> tuple[str, ...]:
    return tuple(token.form for token in _tokens(text))


@lru_cache(maxsize=20_000)
def _tokens(text: str) -> tuple[Token, ...]:
    return tuple(tokens(text))


def _titles_in(catalogue: Catalogue) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    titles = {item.id: forms for item in catalogue.values() if (forms := _forms(item.title))}
    return {name: (forms, tuple(form for form in forms if form not in ARTICLES)) for name, forms in titles.items()}


_titles_of = PerObject(_titles_in, 1)
"""The words of the titles of a catalogue, with and without articles, by its items' ids."""


@lru_cache(maxsize=20_000)
def _forms_in(text: str) -> frozenset[str]:
    return frozenset(_forms(text))


def _occurs(title: str, forms: tuple[str, ...], said: Utterance) -> bool:
    """Whether an utterance contains a title, outside of the titles that were found in it."""
    words = _tokens(said.text)
    spoken = [token.form for token in words]
    taken = _places_of(said)
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


def _is_written_otherwise(item_id: str, bare: tuple[str, ...], said: Utterance) -> bool:
    """Whether an utterance contains a title without its articles, or with slips, outside of other titles found in it."""
    if len(bare) < MIN_WORDS and len("".join(bare)) < MIN_LETTERS:
        return False
    words, strange = _bare_tokens(said.text)
    if not (strange or _forms_in(said.text).issuperset(bare)):
        return False
    return any(
        _is_enough(part) if part == bare else _is_misspelt(bare, part, strange)
        for part in _parts(words, len(bare), _places_of(said, but=item_id))
    )


def _places_of(said: Utterance, *, but: str = "") -> list[tuple[int, int]]:
    """Where titles were found in an utterance, but for those of one item."""
    return [
        (each.start, each.end)
        for each in said.mentions or ()
        if each.start is not None and each.end is not None and each.item_id != but
    ]


def _parts(words: Sequence[Token], size: int, taken: Sequence[tuple[int, int]]) -> Iterator[tuple[str, ...]]:
    """Words of about a title's number in a row, outside of some places, that no number makes another title."""
    for first in range(len(words)):
        for behind in range(first + max(1, size - 1), min(first + size + 1, len(words)) + 1):
            after = words[behind].form if behind < len(words) else ""
            start, end = words[first].start, words[behind - 1].end
            is_sequel = after.isdigit() and int(after[:9]) not in PLAUSIBLE_YEARS
            if not is_sequel and not any(begin < end and start < stop for begin, stop in taken):
                yield tuple([word.form for word in words[first:behind]])


def _is_misspelt(title: tuple[str, ...], part: tuple[str, ...], strange: frozenset[str]) -> bool:
    wanted, written = "".join(title), "".join(part)
    if wanted[:1] != written[:1] or abs(len(wanted) - len(written)) > LONGER or len(wanted) < MIN_LETTERS:
        return False
    if strange.isdisjoint(part) or [*filter(str.isdigit, title)] != [*filter(str.isdigit, part)]:
        return False
    plurals = {f"{word}s" for word in title}  # which are no slips
    if not any(word not in (*title, *plurals) and f"{word}s" not in title for word in strange.intersection(part)):
        return False
    return SequenceMatcher(None, wanted, written, autojunk=False).ratio() >= ALIKE


@lru_cache(maxsize=20_000)
def _bare_tokens(text: str) -> tuple[tuple[Token, ...], frozenset[str]]:
    """(words without articles, those that are no everyday words)."""
    words = tuple(token for token in _tokens(text) if token.form not in ARTICLES)
    return words, frozenset(word.form for word in words if not is_ordinary(word.form))


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
