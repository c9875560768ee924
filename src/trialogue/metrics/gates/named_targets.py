"""Whether a user writes a name of an item that satisfies the need where the linker, for good reason, found none.

The linker has to decide among all titles of a catalogue, so it leaves out "brazil", "us", and titles that are everyday
words. Here the question is narrower: does the user write a name of one of the few items that they are looking for? A
title of three words is enough, in any case; a shorter one has to be written as in the catalogue, in mid-sentence and
beside no other capital, or in quotation marks; one rare word has to stand where something is named. Articles may be left
out of one of three words without them ("Name of Rose"), and a title of eight letters may be misspelt where a slip makes
no word ("Eternel Sunshne"). Other names are parts, models and initials (``title_forms``). Measured in
``benchmarks/GATES.md``.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from trialogue.catalogue.catalogue import Catalogue
from trialogue.catalogue.item import Item
from trialogue.catalogue.linking.evidence import PLAUSIBLE_YEARS
from trialogue.catalogue.linking.ordinary import is_ordinary, kind_of, word_list
from trialogue.catalogue.linking.titles import Token
from trialogue.catalogue.linking.variants import ARTICLES
from trialogue.long_work import PerObject
from trialogue.metrics.gates.phrases import Phrases, any_of, names_own, patterns
from trialogue.metrics.gates.repeats import is_slip
from trialogue.metrics.gates.title_forms import MIN_WORDS, RARE, Forms, How, Name, TitleNames, joined_tokens
from trialogue.records import Dialogue, Utterance

MIN_LETTERS = 8  # of a title that may be misspelt anywhere: one letter makes too many words of a shorter one
LEAST_LETTERS = 5  # of one word that may be misspelt where something is named
ALIKE = 0.82  # of the letters of both, those in common: two or three slips in a long title
LONGER = 2  # letters that slips put in or leave out
QUOTES = '"“”«»*'
NAMING = any_of("naming", r"(?:@)(?: (?:the|an?|that|some|just))? ?\W?\Z")
"""Words after which something is named."""
CALLED = any_of("called", r"(?:@) ?\W?\Z")
"""Words after which everyday words are a name, too."""
EVERYDAY = frozenset(f"{count} ordinary words" for count in (2, 3, 4))
"""Kinds of titles of several words that everybody uses."""
PLAIN = frozenset({"function word", "ordinary word", "2 ordinary words"})
HEDGES = frozenset(patterns("hedges"))
"""Words beside a name in a clause that only names it, and behind one, where none makes another name of it."""
GOES_ON = HEDGES.union(patterns("goes_on"))
_SENTENCE_END = re.compile(r"[.!?:\n]")
_CLAUSE_END = re.compile(r"[.,!?;:()\n]|\s[-–—]")


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Items that satisfy a need, by what they are called."""

    names: Mapping[str, Sequence[tuple[str, Name]]]
    """Their names by their longest words, each with the item's id."""
    bare: Sequence[tuple[str, Forms]]
    """Words without articles, of titles and their parts that may be written otherwise, with the items' ids."""
    words: frozenset[str]
    """One of every name, and of all that may be written without articles."""


def names_target(dialogue: Dialogue, catalogue: Catalogue) -> bool:
    """Whether the user writes such a name before anybody named the item; False without a need."""
    if dialogue.need is None:
        return False
    need, names = dialogue.need, _names_of(catalogue)
    ids, values = (*need.targets, *need.acceptable), (value for each in need.constraints for value in each.values)
    wanted = _wanted_by(names, ids, tuple(values))
    return any(
        not _was_named(item_id, names[item_id], dialogue.utterances[:place])
        for place, said in enumerate(dialogue.utterances)
        if said.speaker == "user"
        for item_id in _named_in(said, wanted, catalogue)
    )


def _was_named(item_id: str, names: Sequence[Name], earlier: Sequence[Utterance]) -> bool:
    """Whether an item's title was found in earlier messages, or the agent said one of its names."""
    if any(mention.item_id == item_id for said in earlier for mention in said.mentions or ()):
        return True
    return any(said.speaker != "user" and _is_heard(names, said.text) for said in earlier)


def _named_in(said: Utterance, wanted: _Wanted, catalogue: Catalogue) -> Iterator[str]:
    """The items that a user names, some of them several times."""
    words, forms = _words_in(said.text)
    if wanted.words.isdisjoint(forms) and not _bare_tokens(said.text)[1]:
        return
    for form in wanted.names.keys() & forms:
        yield from (item_id for item_id, name in wanted.names[form] if _occurs(name, catalogue[item_id], said, words))
    yield from _written_otherwise(wanted.bare, said)


def _is_heard(names: Sequence[Name], text: str) -> bool:
    """Whether a text of the agent holds one of an item's names."""
    words, forms = _words_in(text)
    return any(forms.issuperset(name.forms) and next(_places(name.forms, words), None) is not None for name in names)


@lru_cache(maxsize=1_024)  # needs are the same for many systems
def _wanted_by(names: TitleNames, ids: tuple[str, ...], asked_values: tuple[str, ...]) -> _Wanted:
    values = [*map(_forms_of, asked_values)]
    asked = {word for value in values for word in value}
    found: dict[str, list[tuple[str, Name]]] = {}
    bare: dict[tuple[str, Forms], None] = {}
    for item_id in dict.fromkeys(ids):
        whole = names.forms.get(item_id, ())
        if not whole or whole in values:
            continue
        for name in names[item_id]:
            if name.forms == whole or not asked.issuperset(name.forms):
                found.setdefault(max(name.forms, key=len), []).append((item_id, name))
        for forms in dict.fromkeys(name.forms for name in names[item_id] if name.how in (How.WHOLE, How.PART)):
            without = tuple([form for form in forms if form not in ARTICLES])
            least = LEAST_LETTERS if len(without) == 1 and forms == whole else MIN_LETTERS
            if len(without) >= MIN_WORDS or len("".join(without)) >= least:
                bare[item_id, without] = None
    return _Wanted(found, tuple(bare), frozenset((*found, *(forms[0] for _, forms in bare))))


_names_of = PerObject(TitleNames, 1)
_forms_of = lru_cache(maxsize=1_024)(TitleNames.forms_of)


@lru_cache(maxsize=20_000)
def _words_in(text: str) -> tuple[tuple[Token, ...], frozenset[str]]:
    """(words of a text, their forms; of "am90s" also the one without its s)."""
    words = joined_tokens(text)
    forms = frozenset(token.form for token in words)
    return words, forms | {form[:-1] for form in forms if _is_plural(form)}


def _is_plural(form: str) -> bool:
    return form[-1:] == "s" and form[-2:-1].isdigit()


def _places(forms: Forms, words: Sequence[Token]) -> Iterator[int]:
    """Where the words of a name stand in a row."""
    for place in range(len(words) - len(forms) + 1):
        if all(
            form == word.form or (_is_plural(word.form) and form == word.form[:-1])
            for form, word in zip(forms, words[place:], strict=False)
        ):
            yield place


def _occurs(name: Name, item: Item, said: Utterance, words: Sequence[Token]) -> bool:
    """Whether an utterance contains a name, outside of the titles that were found in it."""
    taken = _places_of(said, but=item.id)
    for place in _places(name.forms, words):
        behind = place + len(name.forms)
        start, end = words[place].start, words[behind - 1].end
        if any(begin < end and start < stop for begin, stop in taken) or (
            name.how is not How.MODEL and _is_sequel(said.text, words, behind)
        ):
            continue
        if _is_name(name, item.title, said.text, words, place):
            return True
    return False


def _is_sequel(text: str, words: Sequence[Token], behind: int) -> bool:
    """Whether a number follows that makes another title of it; "one" is none."""
    after = words[behind] if behind < len(words) else None
    if after is None or not after.form.isdigit() or int(after.form[:9]) in PLAUSIBLE_YEARS:
        return False
    return text[after.start : after.end].lower() != "one" and text[words[behind - 1].end : after.start].isspace()


def _is_name(name: Name, title: str, text: str, words: Sequence[Token], place: int) -> bool:
    """Whether what stands at a place is written as a name has to be."""
    behind = place + len(name.forms)
    start, end = words[place].start, words[behind - 1].end
    written = text[start:end]
    if name.how is How.MODEL:
        return True
    if name.how is How.INITIALS:
        return any(map(str.isdigit, written)) or (written.rstrip("s").isupper() and not text.isupper())
    if name.how is How.WORD:
        return _is_where_named(text, words, place, behind)
    if _is_quoted(text, start, end):
        return True
    if _is_enough(name.forms):
        is_words = written.islower() and text[:1].isupper() and kind_of(name.forms) in EVERYDAY
        return not is_words or _is_where_named(text, words, place, behind)
    if written in title and written[:1].isupper() and _is_alone(text, words, place, behind):
        return True
    frames = CALLED if kind_of(name.forms) in PLAIN else NAMING
    return len(name.forms) > 1 and _is_where_named(text, words, place, behind, frames)


def _is_alone(text: str, words: Sequence[Token], place: int, behind: int) -> bool:
    """Whether capitals are neither those of a sentence nor some of several in a name."""
    if not place or names_own(text[: words[place].start]):
        return False
    before = words[place - 1]
    if before.form not in ARTICLES:  # behind one, even at the beginning of a sentence, a capital is the name's own
        if _SENTENCE_END.search(text, before.end, words[place].start):
            return False
        if place > 1 and _is_capital(text, before):  # the first word of a message has a capital of its own
            return False
    if behind == len(words) or _SENTENCE_END.search(text, words[behind - 1].end, words[behind].start):
        return True
    if place == behind - 1 and words[behind].form in ("and", "of") and behind + 1 < len(words):
        behind += 1  # "Pride and Prejudice"
    return not _is_capital(text, words[behind])


def _is_capital(text: str, word: Token) -> bool:
    return text[word.start].isupper() and text[word.start : word.end] != "I"


def _is_where_named(text: str, words: Sequence[Token], place: int, behind: int, frames: Phrases = NAMING) -> bool:
    """Whether words stand where something is named: behind "put on", and no noun follows; or as a clause of their own."""
    clause = _clause(text, words, place, behind)
    if all(word.form in HEDGES for word in clause):
        return True
    goes_on = behind == len(words) or words[behind].form in GOES_ON or _CLAUSE_END.match(text, words[behind - 1].end)
    return bool(goes_on) and frames.search(text[: words[place].start]) is not None


def _clause(text: str, words: Sequence[Token], place: int, behind: int) -> list[Token]:
    """The words beside some in their clause."""
    first, last = place, behind
    while first and not _CLAUSE_END.search(text, words[first - 1].end, words[first].start):
        first -= 1
    while last < len(words) and not _CLAUSE_END.search(text, words[last - 1].end, words[last].start):
        last += 1
    return [*words[first:place], *words[behind:last]]


def _written_otherwise(titles: Sequence[tuple[str, Forms]], said: Utterance) -> Iterator[str]:
    """Items whose titles stand in a message without their articles, or with slips, outside of other titles found in it."""
    words, strange, forms = _bare_tokens(said.text)
    for item_id, bare in titles:
        if not (strange or forms.issuperset(bare)):
            continue
        if len(bare) == 1 and len(bare[0]) < MIN_LETTERS:
            if any(
                _is_short_slip(bare, said, words, place) for place in range(len(words)) if words[place].form in strange
            ):
                yield item_id
        elif any(
            _is_enough(part) if part == bare else _is_misspelt(bare, part, strange)
            for part in _parts(words, bare, _places_of(said, but=item_id))
        ):
            yield item_id


def _is_short_slip(title: Forms, said: Utterance, words: Sequence[Token], place: int) -> bool:
    """Whether a word is no other one, and one slip away from a title of one word, where something is named."""
    form = words[place].form
    if not is_slip(form, *title) or f"{form}s" in title or form in (f"{title[0]}s", *title) or kind_of((form,)) != RARE:
        return False
    taken = _places_of(said, but="")
    if any(begin < words[place].end and words[place].start < end for begin, end in taken):
        return False
    return _is_where_named(said.text, words, place, place + 1)


def _places_of(said: Utterance, *, but: str) -> list[tuple[int, int]]:
    """Where titles were found in an utterance, but for those of one item."""
    return [
        (each.start, each.end)
        for each in said.mentions or ()
        if each.start is not None and each.end is not None and each.item_id != but
    ]


def _parts(words: Sequence[Token], title: Forms, taken: Sequence[tuple[int, int]]) -> Iterator[Forms]:
    """Words in a row that begin as a title and are about as many, outside of some places, that no number makes another."""
    size, letter = len(title), title[0][:1]
    for first in range(len(words)):
        if words[first].form[:1] != letter:
            continue
        for behind in range(first + max(1, size - 1), min(first + size + 1, len(words)) + 1):
            after = words[behind].form if behind < len(words) else ""
            start, end = words[first].start, words[behind - 1].end
            is_sequel = after.isdigit() and int(after[:9]) not in PLAUSIBLE_YEARS
            if not is_sequel and not any(begin < end and start < stop for begin, stop in taken):
                yield tuple([word.form for word in words[first:behind]])


def _is_misspelt(title: Forms, part: Forms, strange: frozenset[str]) -> bool:
    wanted, written = "".join(title), "".join(part)
    if wanted[:1] != written[:1] or abs(len(wanted) - len(written)) > LONGER or len(wanted) < MIN_LETTERS:
        return False
    if strange.isdisjoint(part) or [*filter(str.isdigit, title)] != [*filter(str.isdigit, part)]:
        return False
    plurals = {f"{word}s" for word in title}  # which are no slips
    if not any(word not in (*title, *plurals) and f"{word}s" not in title for word in strange.intersection(part)):
        return False
    matcher = SequenceMatcher(None, wanted, written, autojunk=False)
    return matcher.quick_ratio() >= ALIKE and matcher.ratio() >= ALIKE


@lru_cache(maxsize=20_000)
def _bare_tokens(text: str) -> tuple[tuple[Token, ...], frozenset[str], frozenset[str]]:
    """(words without articles, those that are no everyday words, all of them)."""
    words = tuple(token for token in _words_in(text)[0] if token.form not in ARTICLES)
    forms = frozenset(word.form for word in words)
    return words, frozenset(form for form in forms if not is_ordinary(form)), forms


def _is_enough(forms: Forms) -> bool:
    return len(forms) >= MIN_WORDS and " ".join(forms) not in word_list("stock_phrases")


def _is_quoted(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    return before == "#" or (before != "" and after != "" and before in QUOTES and after in QUOTES)
