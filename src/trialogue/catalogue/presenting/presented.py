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
from trialogue.catalogue.linking.clauses import CALLED, FILM, FILM_PEOPLE, JUDGED, SEEN
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
    NAME = "name"
    """It is written as titles are and names of people are not: with an article, an owner or a subtitle."""


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
    r"|《([^》\n]{1,60})》|\*+([^*\n]{2,80})\*+|‘((?:[^‘’\n]|’(?=\w)){2,80})’(?!\w)"
    r"|(?<!\w)'([A-ZÀ-Þ0-9](?:[^'\n]|'(?=\w)){1,60})'(?!\w)"
)
_ADVISED = word_set(
    "recommend recommended suggest suggested try watch consider check rewatch see seeing watching enjoy enjoyed love loved "
    "like liked prefer tried about with recommending suggesting suggestion recommendation choice pick option read reading "
    "listen play heard including include includes is are was be"
)
_STRONG = (SEEN | CALLED | JUDGED | word_set("recommend recommended suggest suggested try consider check recommending named "
    "suggesting give meant book books novel album song game games series")) - word_set("show")  # fmt: skip
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
    "option video netflix mubi hulu amazon prime disney+ hbo max imdb youtube itunes rotten tomatoes google oscar oscars "
    "academy award awards "
    "golden globe emmy hollywood bollywood marvel dc pixar tv dvd english french german spanish italian japanese korean "
    "chinese hindi american british european monday tuesday wednesday thursday friday saturday sunday january february "
    "march april may june july august september october november december christmas halloween easter thanksgiving yes no "
    "ok okay sure thanks great good hello hi hey sorry absolutely definitely certainly awesome perfect nice well i i'm i'd "
    "i'll i've sci-fi scifi romcom rom-com r pg pg-13 nc-17 g us uk usa la nyc ny am pm cgi 3d imax lol omg haha bye goodbye"
)
_TITLE_KEYS = frozenset(
    [
        "title",
        "movie",
        "film",
        "name",
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
MOST_FOREIGN = 7  # words of a title in another language
_OPENERS = (_ADVISED | _STRONG | _NO_TITLE | _NOT_BEFORE | word_list("function_words") | word_set(
    "maybe perhaps also then try so or and but if because since well oh umm um hmm yeah remember my your our his her their "
    "this that these those it there here when while although though however both same some any another what which who how "
    "why where have did do does was were will would could should can may might just only even otherwise personally honestly "
    "start watch see how's let's next finally first second lastly alternatively surprisingly"
)) - SMALL  # fmt: skip
_INTERJECTIONS = _ADVISED | word_set(
    "maybe perhaps also then so or and but if because since well oh umm um hmm yeah remember try watch see like even "
    "finally start"
)
_YEAR_ALONE = re.compile(r"(?:18|19|20)\d\d\s+")
_LEADS = re.compile(
    r"\b(?:(?:start(?:ing)?|begin|go(?:ing)?|stick|settle|tempt\s+you|kick\s+things\s+off|follow(?:ed)?|reach|opt|nudge\s+you|"
    r"steer\s+you|point\s+you|lean|answer|pick|choice|bet|vote|favou?rites?|suggestion|recommendation|option|alternative|title|"
    r"thing|match|there)\s+(?:would\s+be|might\s+be|has\s+to\s+be|goes\s+to|with|by|for|towards?|is|was|are)|suit\s+you:|"
    r"such\s+as|(?:fans|people|those)\s+who\s+(?:liked|loved|enjoyed))\s*(?:also\s+|either\s+|definitely\s+)?\Z",
    re.IGNORECASE,
)
_PLACES = word_set(
    "new york los angeles san francisco las vegas london paris berlin tokyo hong kong united states america england ireland "
    "scotland africa asia europe world war ii iii cinema university college school street city award festival cannes"
) - {
    "new",
    "world",
    "war",
    "school",
    "street",
    "city",
    "paris",
    "london",
    "tokyo",
    "america",
    "berlin",
    "festival",
    "cinema",
    "college",
}
_ADDRESSES = frozenset(
    {"sir", "dame", "lord", "president", "professor", "king", "queen", "prince", "princess", "saint"}
)
_KINDS = word_set("movies films movie film fan fans genre genres type kind series actor actress director")
_MEASURE = re.compile(r"\d{1,2}|\d+[.,]\d+|\d+(?:s|th|st|nd|rd|am|pm|k)|'?\d0s|\d{5,}")
_COMPANY = word_set("with on by from at for in")
_PRONOUNS = word_set("i you we they he she it that there here what who let")
_RATING = re.compile(r"\d\d?[.,]\d+\s+(?=\S)")
_LISTED = word_set("directors actors actresses genres genre moods countries studios platforms writers")
LEAD = 120  # characters before a list in which it is announced
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
        groups.setdefault((part.layout, part.group), []).append(_trim(text, *filling_of(text, part)))
    for (layout, group), spans in groups.items():
        spans = [_without_rating(text, span) for span in spans]
        titled = [_is_title_like(text, span, is_no_title) for span in spans]
        if (layout is Layout.VALUE and group not in _TITLE_KEYS) or _lists_people(text, spans[0][0]):
            continue
        if layout is Layout.LINE and (len(spans) < 2 or 3 * sum(titled) < 2 * len(spans)):
            continue
        dated = [_YEAR_BEHIND.match(text, end) is not None for _, end in spans]
        telling = any(dated) or any(
            len(words_of(text, *span)) > 1 or not is_ordinary(common_form(text[slice(*span)])) for span in spans
        )
        if sum(titled) * 2 > len(spans) and telling:
            for span, good in zip(spans, titled, strict=True):
                words = words_of(text, *span)
                if good or (len(titled) > 1 and words and _is_foreign(text, words, span)):
                    yield (*span, Sign.SLOT)


def _without_rating(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """A span without the rating before it: "4.7 Heat"."""
    found = _RATING.match(text, *span)
    return (found.end(), span[1]) if found else span


def _lists_people(text: str, start: int) -> bool:
    """Whether the line before a list announces people or genres, and no films."""
    lead = [word.low for word in words_of(text, max(0, start - LEAD), start)]
    people = FILM_PEOPLE | _LISTED
    last = next((word for word in reversed(lead) if word in people or word in FILM), None)
    return last in people and last is not None


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
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
        span = _trim(text, *found.span(group))
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
    """Whether what is quoted is written as a title; a sentence, or an everyday word with nothing about films, is not."""
    words = words_of(text, *span)
    if not words or not (_is_title_like(text, span, is_no_title) or _is_foreign(text, words, span)):
        return False
    if (
        _YEAR_BEHIND.match(text, found.end())
        or _YEAR_BEHIND.match(text, span[1])
        or _is_led_to(text, part, span[0], ends)
    ):
        return True
    if len(words) == 1:
        form = common_form(words[0].text)
        return not (is_ordinary(form) or form in word_list("proper_names") or form in word_list("makers"))
    return not (_is_person(words) and common_form(words[0].text) in word_list("proper_names"))


def _is_foreign(text: str, words: Sequence[Word], span: tuple[int, int]) -> bool:
    """Whether words are written as a title of another language: a capital first, and no everyday English word in small
    letters."""
    if not words[0].is_capital or len(words) > MOST_FOREIGN or _STOPPED.search(text, *span):
        return False
    return all(word.is_capital or len(word.text) < 4 or not is_ordinary(common_form(word.text)) for word in words)


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
    if begins:  # the first word of a sentence is a capital anyway: it may be the cue itself
        cue = None
        while first + 1 < behind and words[first].low in (_INTERJECTIONS if dated else _OPENERS):
            cue = words[first].low if words[first].low in _STRONG else None
            first, begins = first + 1, False
        while first + 1 < behind and not words[first].is_capital:
            first += 1
    if first + 1 == behind and begins and not dated:
        return
    first, is_owned = _behind_labels(text, words, first, behind, is_no_title)
    row = cue is None and not begins and _continues_row(text, words[first].start, ends)
    if not dated and _is_followed_by_kind(text, words, behind):
        return  # "Science Fiction movies", "a Marvel fan"
    if dated and first and words[first - 1].low in _NOT_BEFORE and _is_person(words[first:behind]):
        return  # "with James Stewart (1956)"
    if cue is None and not begins and _LEADS.search(text[max(0, words[first].start - LEAD) : words[first].start]):
        cue = "lead"
    has_sign = cue is not None or row or is_owned
    sign = Sign.YEAR if dated else Sign.CUE if cue is not None or is_owned else Sign.ROW if row else Sign.NAME
    for one, other in _divide(words, first, behind):
        other = other if dated and other == behind else _without_company(words, one, other)
        own = words[one:other]
        if (dated and other == behind) or (
            _is_free_title(own, is_no_title) and (has_sign or _is_like_no_name(text, own))
        ):
            yield (own[0].start, own[-1].end), sign


def _behind_labels(
    text: str, words: Sequence[Word], first: int, behind: int, is_no_title: Callable[[str], bool]
) -> tuple[int, bool]:
    """(where the title begins behind a label ("Drama: ..."), a number or an owner ("Greta Gerwig's ..."); whether it is
    owned)."""
    is_owned = False
    for place in range(first, behind - 1):
        low, gap = words[place].low, text[words[place].end : words[place + 1].start]
        before = " ".join(word.low for word in words[first : place + 1])
        if gap.startswith(":") and (is_no_title(before) or before in _NO_TITLE):
            first = place + 1
        elif low.endswith(("'s", "’s")) and place > first and _is_person(words[first : place + 1]):
            first, is_owned = place + 1, True
    while (
        first + 1 < behind
        and words[first].text.isdigit()
        and len(words[first].text) == 4
        and words[first + 1].is_capital
    ):
        first += 1
    return first, is_owned


def _is_person(words: Sequence[Word]) -> bool:
    """Whether two or three words are likely a person's name: the first one is a first name, or none is an everyday word."""
    low = [common_form(word.text.removesuffix("'s").removesuffix("’s")) for word in words]
    if not 1 < len(low) <= 3 or any(word.low in SMALL for word in words):
        return False
    return low[0] in word_list("proper_names") or not any(map(is_ordinary, low))


def _is_like_no_name(text: str, words: Sequence[Word]) -> bool:
    """Whether words in capitals are a title by their look alone: "The Moose Inspector of Duluth", "Hell's Accountant"."""
    low = [word.low for word in words]
    content = [word for word in low if word not in SMALL]
    if any(word in _NO_TITLE or word in _PLACES or word in _KINDS for word in low) or low[0] in _ADDRESSES:
        return False
    everyday = sum(is_ordinary(common_form(word.removesuffix("'s").removesuffix("’s"))) for word in content)
    is_headed = low[0] == "the" and words[0].is_capital and len(content) > 1
    is_owned = low[0].endswith(("'s", "’s")) and low[0][:-2] not in _PRONOUNS and len(content) > 1
    has_subtitle = ": " in text[words[0].start : words[-1].end] and len(content) > 2
    return everyday > 0 and (is_headed or is_owned or has_subtitle) and not _is_person(words)


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


def _divide(words: Sequence[Word], first: int, behind: int) -> Iterator[tuple[int, int]]:
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
    if not content or all(word in _NO_TITLE or _MEASURE.fullmatch(word) or word.isdigit() for word in content):
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
