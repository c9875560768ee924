"""Detector of titles: spans of a text that are presented as titles, without any catalogue.

A title is recognised by what surrounds it and by how it is written, never by being known: quotation marks or emphasis, a
year in brackets behind it, an item of a list or a cell of a table, a value under a key such as "title"; in a sentence,
capitals behind words such as "recommend", "watch", "the movie". Names of people, platforms, genres and greetings are left
out: what a text presents otherwise would count as invented where a catalogue lacks it, so precision comes first.

English is assumed only for the words before titles in sentences; the other signs are those of any language. Measured in
``benchmarks/INVENTIONS.md``.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from trialogue.catalogue.layout import Layout, Part, layout_of, plain_text
from trialogue.catalogue.layout.fillings import filling_of
from trialogue.catalogue.linking.clauses import CALLED, JUDGED, SEEN
from trialogue.catalogue.linking.ordinary import is_ordinary, word_list, word_set
from trialogue.catalogue.linking.titles import common_form
from trialogue.catalogue.presenting.names import BEFORE_RESTART, SMALL, Word, is_titled, runs, words_of


class Sign(StrEnum):
    """What shows that a span is presented as a title."""

    SLOT = "slot"
    """It fills an item of a list, a cell or a value."""
    YEAR = "year"
    """A year in brackets stands behind it."""
    QUOTED = "quoted"
    """It stands in quotation marks or is emphasised."""
    CUE = "cue"
    """A word such as "recommend" or "movie" stands before it."""
    ROW = "row"
    """It is coordinated with another title."""


class Presented(NamedTuple):
    """A span that is presented as a title."""

    start: int
    """Offset of its first character in the text as it was written."""
    end: int
    """Offset behind its last character, the year left out."""
    title: str
    """Its words, in plain text."""
    year: int | None
    """The year in brackets behind it."""
    sign: Sign
    """The strongest sign."""


_YEAR_BEHIND = re.compile(r"[\"”’*_]{0,4}\s*[(\[]\s*(?P<year>(?:18|19|20)\d\d)\s*[)\]]")
_QUOTED = re.compile(
    r"\"([^\"\n]{2,80})\"|“([^”\n]{2,80})”|«\s?([^»\n]{2,80}?)\s?»|„([^“”\n]{2,80})[“”]|『([^』\n]{1,60})』"
    r"|《([^》\n]{1,60})》|\*+([^*\n]{2,80})\*+|(?<![\w])['‘]([A-Z0-9][^'‘’\n]{1,60})['’](?![\w])"
)
_ADVISED = word_set(
    "recommend recommended suggest suggested try watch consider check rewatch see seeing watching enjoy enjoyed love loved "
    "like liked prefer tried about with recommending suggesting suggestion recommendation choice pick option read reading "
    "listen play heard including include includes is are was be"
)
_STRONG = (SEEN | CALLED | JUDGED | word_set("recommend recommended suggest suggested try consider check recommending named "
    "suggesting book books novel album song game games series")) - word_set("show")  # fmt: skip
_BETWEEN = word_set(
    "the a an movie film movies films called titled named entitled out also maybe perhaps definitely really you to watch "
    "something like such as as and or is are would be with either both animated classic great good series book show comedy "
    "drama thriller horror action sci fi original new old recent first second sequel remake about how what checking watching"
)
_NOT_BEFORE = word_set(
    "by starring stars star actor actress actors actresses director directors directed cast featuring features with hello "
    "hi hey thanks thank dear from on via in at author writer singer band played plays role character named i i'm mr mrs ms"
)
_NO_TITLE = word_set(
    "netflix hulu amazon prime disney+ hbo max imdb youtube itunes rotten tomatoes google oscar oscars academy award awards "
    "golden globe emmy hollywood bollywood marvel dc pixar tv dvd english french german spanish italian japanese korean "
    "chinese hindi american british european monday tuesday wednesday thursday friday saturday sunday january february "
    "march april may june july august september october november december christmas halloween easter thanksgiving yes no "
    "ok okay sure thanks great good hello hi hey sorry absolutely definitely certainly awesome perfect nice well i i'm i'd "
    "i'll i've sci-fi scifi romcom rom-com r pg pg-13 nc-17 g us uk usa la nyc ny am pm cgi 3d imax lol omg haha bye goodbye"
)
_TITLE_KEYS = frozenset(
    [
        "title:",
        "titles:",
        "movie:",
        "movies:",
        "film:",
        "films:",
        "name:",
        "book:",
        "books:",
        "song:",
        "album:",
        "item:",
        "item_name:",
        "movie_title:",
        "product:",
        "recommendation:",
        "recommendations:",
        "recommended:",
        "suggestion:",
        "suggestions:",
    ]
)
_STOPPED = re.compile(r"[.!?;](?:\s|$)|\n")
_JOINER = re.compile(r",?\s+(?:and|or|&)\s+|,\s+|\s*/\s*", re.IGNORECASE)
_KINDS = word_set("movies films movie film fan fans genre genres type kind series actor actress director")
_MEASURE = re.compile(r"\d{1,2}|\d+[.,]\d+|\d+(?:s|th|st|nd|rd|am|pm|k)|'?\d0s|\d{5,}")
_COMPANY = word_set("with on by from at for in")
_PRONOUNS = word_set("i you we they he she")
FAR = 6  # words before a title in which a cue can stand


def presented_titles(text: str, *, is_no_title: Callable[[str], bool] = lambda _words: False) -> tuple[Presented, ...]:
    """Spans that are presented as titles, in order, without overlaps.

    Args:
        text: a reply.
        is_no_title: of words in small letters, joined by single spaces, whether they are something else for sure, such as
            a genre or an actor of the catalogue.

    >>> [each.title for each in presented_titles('I recommend The Silver Moon (2011), "Up" and Glass Harbor.')]
    ['The Silver Moon', 'Up', 'Glass Harbor']
    >>> presented_titles("I love movies with Tom Hanks. Do you like Comedy?")
    ()
    """
    plain = plain_text(text)
    laid_out = layout_of(plain.text)
    found: list[tuple[int, int, Sign]] = []
    for part in laid_out.parts:
        if part.layout is Layout.PROSE:
            found += _in_prose(laid_out.text, part, is_no_title)
    found += _in_slots(laid_out.text, laid_out.slots, is_no_title)
    kept: list[Presented] = []
    for start, end, sign in sorted(found):
        if kept and start < kept[-1].end:
            continue
        behind = _YEAR_BEHIND.match(laid_out.text, end)
        year = int(behind["year"]) if behind else None
        kept.append(Presented(start, end, laid_out.text[start:end], year, sign))
    if plain.edges is None:
        return tuple(kept)
    return tuple(
        each._replace(start=plain.original(each.start, each.end)[0], end=plain.original(each.start, each.end)[1])
        for each in kept
    )


def _in_slots(text: str, slots: Sequence[Part], is_no_title: Callable[[str], bool]) -> Iterator[tuple[int, int, Sign]]:
    """Fillings of lists of titles: those in which most are written as titles, and more than genres and answers."""
    groups: dict[tuple[Layout, str], list[tuple[int, int]]] = {}
    for part in slots:
        groups.setdefault((part.layout, part.group), []).append(_trimmed(text, *filling_of(text, part)))
    for (layout, group), spans in groups.items():
        titled = [_is_title_like(text, span, is_no_title) for span in spans]
        if layout is Layout.VALUE and group not in _TITLE_KEYS:
            continue
        if layout is Layout.LINE and (len(spans) < 2 or sum(titled) < len(spans)):
            continue
        dated = [_YEAR_BEHIND.match(text, end) is not None for _, end in spans]
        telling = any(dated) or any(
            len(words_of(text, *span)) > 1 or not is_ordinary(common_form(text[slice(*span)])) for span in spans
        )
        if sum(titled) * 2 > len(spans) and telling:
            yield from ((*span, Sign.SLOT) for span, good in zip(spans, titled, strict=True) if good)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """A span without quotes, stars and spaces around it, and without a last full stop or comma."""
    while start < end and text[start] in " \t\"'“”‘’«»*_`[(":
        start += 1
    while start < end and text[end - 1] in " \t\"'“”‘’«»*_`]),.;:":
        end -= 1
    return start, end


def _is_title_like(text: str, span: tuple[int, int], is_no_title: Callable[[str], bool]) -> bool:
    words = words_of(text, *span)
    if not is_titled(words):
        return False
    low = " ".join(word.low for word in words)
    return low not in _NO_TITLE and not is_no_title(low)


def _in_prose(text: str, part: Part, is_no_title: Callable[[str], bool]) -> Iterator[tuple[int, int, Sign]]:
    taken: list[tuple[int, int]] = []
    ends = {found.start(): Sign.YEAR for found in _YEAR_BEHIND.finditer(text, part.start, part.end)}
    for found in _QUOTED.finditer(text, part.start, part.end):
        group = next(place for place, inside in enumerate(found.groups(), 1) if inside is not None)
        span = _trimmed(text, *found.span(group))
        is_book = group in (5, 6)
        if is_book or _is_quoted_title(text, part, span, found, ends, is_no_title):
            taken.append(span)
            yield (*span, Sign.QUOTED)
        elif span[0] < span[1]:
            taken.append(span)
    words = words_of(text, part.start, part.end)
    if _is_shouted(words):
        return
    ends |= {end: Sign.QUOTED for _, end in taken}
    for first, behind in runs(text, words):
        start, end = words[first].start, words[behind - 1].end
        if any(start < other_end and other_start < end for other_start, other_end in taken):
            continue
        for span, sign in _of_run(text, words, first, behind, ends, is_no_title):
            taken.append(span)
            ends[span[1]] = sign
            yield (*span, sign)


def _is_shouted(words: Sequence[Word]) -> bool:
    """Whether capitals say nothing, because most words are written in them."""
    letters = [word.text for word in words if word.text.isalpha() and len(word.text) > 1]
    return len(letters) > 2 and 2 * sum(word.isupper() for word in letters) > len(letters)


def _is_quoted_title(
    text: str,
    part: Part,
    span: tuple[int, int],
    found: re.Match[str],
    ends: dict[int, Sign],
    is_no_title: Callable[[str], bool],
) -> bool:
    """Whether what is quoted is written as a title; a quoted sentence or a single word with nothing about films is not."""
    if not _is_title_like(text, span, is_no_title):
        return False
    words = words_of(text, *span)
    if _YEAR_BEHIND.match(text, found.end()) or _YEAR_BEHIND.match(text, span[1]):
        return True
    if text[found.end() - 1 : found.end()] == "*" and len(words) == 1 and is_ordinary(common_form(words[0].text)):
        return _is_led_to(text, part, span[0], ends)
    return len(words) > 1 or _is_led_to(text, part, span[0], ends)


def _is_led_to(text: str, part: Part, start: int, ends: dict[int, Sign]) -> bool:
    """Whether a cue or another title leads to a place."""
    return _cue_before(text, words_of(text, part.start, start)) is not None or _continues_row(text, start, ends)


def _of_run(
    text: str,
    words: Sequence[Word],
    first: int,
    behind: int,
    ends: dict[int, Sign],
    is_no_title: Callable[[str], bool],
) -> Iterator[tuple[tuple[int, int], Sign]]:
    """The titles that a run of capitals in a sentence holds."""
    dated = _YEAR_BEHIND.match(text, words[behind - 1].end) is not None
    begins = _begins_sentence(text, words, first)
    cue = _cue_before(text, words[:first])
    if begins and not dated:  # the first word of a sentence is a capital anyway: it may be the cue itself
        cue = None
        while (
            first < behind
            and words[first].low not in SMALL
            and (words[first].low in _ADVISED | _STRONG | _NO_TITLE | _NOT_BEFORE or is_ordinary(words[first].low))
        ):
            cue = words[first].low if words[first].low in _STRONG else None
            first += 1
            if cue is not None:
                break
        if first == behind:
            return
    if dated and begins:
        while first + 1 < behind and words[first].low in (_STRONG | _ADVISED | _NO_TITLE):
            first += 1
    row = cue is None and not begins and _continues_row(text, words[first].start, ends)
    if not (dated or cue is not None or row):
        return
    if (
        not dated
        and behind < len(words)
        and words[behind].low in _KINDS
        and not text[words[behind - 1].end : words[behind].start].strip()
    ):
        return  # "Science Fiction movies", "a Marvel fan"
    sign = Sign.YEAR if dated else Sign.CUE if cue is not None else Sign.ROW
    for one, other in _divided(words, first, behind):
        other = other if dated and other == behind else _without_company(words, one, other)
        span = (words[one].start, words[other - 1].end)
        if (dated and other == behind) or _is_free_title(words[one:other], is_no_title):
            yield span, sign


def _is_followed_by_kind(text: str, words: Sequence[Word], behind: int) -> bool:
    if behind == len(words) or words[behind].low not in _KINDS:
        return False
    return not text[words[behind - 1].end : words[behind].start].strip()


def _without_company(words: Sequence[Word], first: int, behind: int) -> int:
    """Where a title ends that goes on with who plays in it or where it runs: "Heat Wave with Tom Hanks", "Up on Netflix"."""
    for place in range(first + 1, behind - 1):
        after = words[place + 1].low
        if words[place].text in _COMPANY and (after in _NO_TITLE or common_form(after) in word_list("proper_names")):
            return place
    return behind


def _divided(words: Sequence[Word], first: int, behind: int) -> Iterator[tuple[int, int]]:
    """Parts of a run: "The Silver Moon and Glass Harbor" are two titles, "Pride and Prejudice" is one."""
    start = first
    for place in range(first + 1, behind - 1):
        is_joiner = (words[place].low in BEFORE_RESTART and words[place].text.islower()) or words[place].text == "&"
        if not is_joiner or words[place].text == "&":
            continue
        left, right = place - start, behind - place - 1
        if words[place].low == "or" or (left > 1 and right > 1) or words[place + 1].text in ("The", "A", "An"):
            yield start, place
            start = place + 1
    yield start, behind


def _is_free_title(words: Sequence[Word], is_no_title: Callable[[str], bool]) -> bool:
    """Whether a run without a year may be a title: no name of a person, no platform, no word that is always a capital."""
    if not words:
        return False
    low = [word.low for word in words]
    if is_no_title(" ".join(low)) or (low[0] in _NO_TITLE and len(low) < 3):
        return False
    if low[-1] in _PRONOUNS or (
        len(low) > 1 and low[1] in ("i", "you") and low[0] in ("can", "may", "do", "have", "what")
    ):
        return False
    names, makers = word_list("proper_names"), word_list("makers")
    content = [word for word in low if word not in SMALL]
    if not content or all(word in _NO_TITLE or _MEASURE.fullmatch(word) for word in content):
        return False
    if words[-1].text.endswith(("'s", "’s")):  # whose something is; titles that end so are rare
        return False
    if len(content) == 1:
        form = common_form(content[0])
        if form.isdigit():
            return False  # a year far more often than "1917"; in quotes, in a list or with a year it is found
        has_article = low[0] in ("the", "a", "an")
        return (has_article and len(low) > 1) or not (is_ordinary(form) or form in names or form in makers)
    return not (common_form(content[0]) in names and len(words) == len(content) <= 3)


def _begins_sentence(text: str, words: Sequence[Word], first: int) -> bool:
    if first == 0:
        return True
    return _STOPPED.search(text, words[first - 1].end, words[first].start) is not None


def _cue_before(text: str, before: Sequence[Word]) -> str | None:
    """The cue that leads to what follows, with only words between that may stand there; None for none."""
    behind: int | None = None
    for word in reversed(before[-FAR:]):
        if behind is not None and _STOPPED.search(text, word.end, behind):
            return None
        if word.low in _STRONG or (word.low == "about" and _asks_how(before, word)):
            return word.low
        if word.low in _NOT_BEFORE or word.low not in _BETWEEN:
            return None
        behind = word.start
    return None


def _asks_how(before: Sequence[Word], about: Word) -> bool:
    """Whether "about" is that of "how about" or "what about"."""
    place = before.index(about)
    return place > 0 and before[place - 1].low in ("how", "what")


def _continues_row(text: str, start: int, ends: dict[int, Sign]) -> bool:
    """Whether only a comma, "and" or "or" stands between a title and here."""
    for end in ends:
        gap = text[end:start]
        if 0 < len(gap) <= 16:
            dated = _YEAR_BEHIND.match(text, end)
            if _JOINER.fullmatch(text[dated.end() if dated else end : start].strip('"”“*')):
                return True
    return False
