"""Titles in sentences: in quotation marks, with a year behind them, behind words that lead to them, or in rows."""

import re
from collections.abc import Callable, Iterator, Sequence

from trialogue.catalogue.layout import Part
from trialogue.catalogue.linking.clauses import FILM, JUDGED, KINDS_OF_FILM
from trialogue.catalogue.linking.ordinary import is_ordinary, word_list
from trialogue.catalogue.linking.titles import common_form
from trialogue.catalogue.presenting import words as known
from trialogue.catalogue.presenting.looks import (
    is_english,
    is_foreign,
    is_free_title,
    is_like_no_name,
    is_name_sized,
    is_person,
    is_shouted,
    is_title_like,
    is_uncased,
)
from trialogue.catalogue.presenting.names import BEFORE_RESTART, SMALL, Word, runs, words_of
from trialogue.catalogue.presenting.slots import trim
from trialogue.catalogue.presenting.words import Sign


def in_prose(text: str, part: Part, is_no_title: Callable[[str], bool]) -> Iterator[tuple[int, int, Sign]]:
    """Titles in a part of prose, quoted ones first: (start, end, sign). Outside of quotation marks, those of other languages
    than English have a year behind them: capitals say little there, and the words before them nothing."""
    taken: list[tuple[int, int]] = []
    dates = [*known.YEAR_BEHIND.finditer(text, part.start, part.end)]
    ends = {found.start(): Sign.YEAR for found in dates}
    bracketed = {found.start() for found in dates if found["year"]}
    for found in known.QUOTED.finditer(text, part.start, part.end):
        group = next(place for place, inside in enumerate(found.groups(), 1) if inside is not None)
        span = trim(text, *found.span(group))
        is_book = found.lastgroup is not None
        if is_book or _is_quoted_title(text, part, span, found, ends, is_no_title):
            taken.append(span)
            ends[span[1]] = Sign.QUOTED
            yield (*span, Sign.QUOTED)
        elif span[0] < span[1]:
            taken.append(span)
    words = words_of(text, part.start, part.end)
    if is_shouted(words):
        return
    if not any(word.is_capital and word.text[0].isalpha() and word.text != "I" for word in words):
        yield from _in_small(text, part, taken)
    yield from _dated_in_small(text, words, bracketed, taken)
    ends |= {end: Sign.QUOTED for _, end in taken}
    for first, behind in runs(text, words):
        start, end = words[first].start, words[behind - 1].end
        if any(start < other_end and other_start < end for other_start, other_end in taken):
            continue
        if end not in ends and not is_english(text):
            continue
        for span, sign in _of_run(text, words, first, behind, ends, is_no_title):
            taken.append(span)
            ends[span[1]] = sign
            yield (*span, sign)


def _in_small(text: str, part: Part, taken: list[tuple[int, int]]) -> Iterator[tuple[int, int, Sign]]:
    """Titles in a text without any capital: words that are no everyday talk, between words that lead to titles or end a
    sentence and what is said of films."""
    start = part.start
    for mark in (*known.SEGMENT.finditer(text, part.start, part.end), None):
        end = part.end if mark is None else mark.start()
        words = words_of(text, start, end)
        while words and words[0].low in BEFORE_RESTART:
            words = words[1:]
        content = [word.low for word in words if word.low not in SMALL]
        span = (words[0].start, words[-1].end) if words else (start, start)
        if (
            len(content) > 1
            and len(words) <= known.MOST_FOREIGN
            and words[0].low not in known.NOT_FIRST
            and not known.GENERIC.intersection(content)
            and not any("'" in word and not word.endswith("'s") for word in content)
            and (
                known.LEADS_SMALL.search(text[max(0, span[0] - known.LEAD) : span[0]])
                or known.SAID_SMALL.match(text, span[1])
            )
            and not any(begin < span[1] and span[0] < stop for begin, stop in taken)
            and not is_person(words)
        ):
            taken.append(span)
            yield (*span, Sign.CUE)
        start = part.end if mark is None else mark.end()


def _dated_in_small(
    text: str, words: Sequence[Word], ends: set[int], taken: list[tuple[int, int]]
) -> Iterator[tuple[int, int, Sign]]:
    """Titles in small letters with a year behind them: "watch glass harbor (2011)"."""
    for place, word in enumerate(words if ends else ()):
        if word.end not in ends or word.is_capital or any(start < word.end <= end for start, end in taken):
            continue
        first = place
        while first and place - first < known.MOST_FOREIGN and _goes_on(text, words[first - 1], words[first]):
            first -= 1
        while first < place and words[first].low in known.BETWEEN - SMALL:
            first += 1
        taken.append((words[first].start, word.end))
        yield words[first].start, word.end, Sign.YEAR


def _goes_on(text: str, one: Word, other: Word) -> bool:
    """Whether a title in small letters may begin before ``other``: no mark stands there, and no word that leads to it."""
    return (
        one.low not in known.STRONG
        and one.low not in known.NOT_BEFORE
        and one.low not in known.INTERJECTIONS
        and not text[one.end : other.start].strip()
    )


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
    if is_name_sized(text, span, is_no_title) and words[0].text[0].islower():
        before = words_of(text, part.start, span[0])
        cue = _cue_before(text, before, len(before))
        is_led = (cue is not None and cue not in JUDGED) or _continues_row(text, span[0], ends)
        return is_led or known.YEAR_BEHIND.match(text, found.end()) is not None
    if not words or not (is_title_like(text, span, is_no_title) or is_foreign(text, words, span)):
        return False
    if is_uncased(text, span) or words[0].low in known.SPEAKERS:
        return is_name_sized(text, span, is_no_title) and (len(words) < 3 or words[0].low not in known.SPEAKERS)
    if (
        known.YEAR_BEHIND.match(text, found.end())
        or known.YEAR_BEHIND.match(text, span[1])
        or _is_led_to(text, part, span[0], ends)
    ):
        return True
    if len(words) == 1:
        form = common_form(words[0].text)
        return not (is_ordinary(form) or form in word_list("proper_names") or form in word_list("makers"))
    return not (is_person(words) and common_form(words[0].text) in word_list("proper_names"))


def _is_led_to(text: str, part: Part, start: int, ends: dict[int, Sign]) -> bool:
    """Whether a cue or another title leads to a place."""
    before = words_of(text, part.start, start)
    return _cue_before(text, before, len(before)) is not None or _continues_row(text, start, ends)


def _of_run(
    text: str,
    words: Sequence[Word],
    first: int,
    behind: int,
    ends: dict[int, Sign],
    is_no_title: Callable[[str], bool],
) -> Iterator[tuple[tuple[int, int], Sign]]:
    """The titles that a run of capitals in a sentence holds."""
    for place in range(first + 1, behind - 1):  # "The Silver Moon from 2011"
        if words[place].low in ("from", "in") and known.FOUR.fullmatch(words[place + 1].text):
            behind = place
            break
    begins, end = _begins_sentence(text, words, first), words[behind - 1].end
    dated = is_last_dated = known.YEAR_BEHIND.match(text, end) is not None
    is_said = known.SAID.match(text, end) is not None
    if first + 1 == behind and begins and not dated and not is_said:
        return  # most words that begin a sentence
    cue, is_inside, at = None, not begins, first
    if begins:  # the first word of a sentence is a capital anyway: it may be the cue itself
        while first + 1 < behind and words[first].low in (known.INTERJECTIONS if dated else known.OPENERS):
            cue = words[first].low if words[first].low in known.STRONG else None
            first, begins = first + 1, False
        if begins and not dated and first + 2 < behind and words[first].low in known.COMPANY:
            first, begins = first + 1, False  # "In Second Cousin to the King he is"
        while first + 1 < behind and not words[first].is_capital:
            first += 1
    if first + 1 == behind and begins and not dated and not is_said:
        return
    first, is_owned = _behind_labels(text, words, first, behind, is_no_title)
    start = words[first].start
    lead = max(0, start - known.LEAD)
    if not dated and words[first].low not in KINDS_OF_FILM and words[first].low not in FILM:
        dated = known.YEAR_AHEAD.search(text, lead, start) is not None
    titles = [
        (one, other)
        for one, until in _divide(words, first, behind)
        for other in (until if is_last_dated and until == behind else _without_company(words, one, until),)
        if (dated and other == behind) or is_free_title(words[one:other], is_no_title)
    ]
    if not titles:
        return
    if is_inside:
        cue = _cue_before(text, words, at)
    row = cue is None and not begins and _continues_row(text, start, ends)
    if not dated and (_is_followed_by_kind(text, words, behind) or known.ANNOUNCES.match(text, end)):
        return  # "Science Fiction movies", "a Marvel fan"
    if dated and first and words[first - 1].low in known.NOT_BEFORE and is_person(words[first:behind]):
        return  # "with James Stewart (1956)"
    if cue is None and not begins:
        leading = words[first - known.LEADING].start if first >= known.LEADING else lead
        cue = "lead" if known.LEADS.search(text, leading, start) else None
    is_said = is_said and (begins or behind - first > 1)
    is_weak = cue in JUDGED and not is_said and not known.MAY.search(text, lead, start)
    has_sign = (cue is not None and not is_weak) or row or is_owned or is_said
    sign = Sign.YEAR if dated else Sign.CUE if cue is not None or is_owned else Sign.ROW if row else Sign.NAME
    for one, other in titles:
        own = words[one:other]
        if (dated and other == behind) or (
            (has_sign or is_like_no_name(text, own))
            and not (is_said and cue is None and common_form(own[0].text) in word_list("proper_names"))
        ):
            yield (own[0].start, own[-1].end), sign


def _behind_labels(
    text: str, words: Sequence[Word], first: int, behind: int, is_no_title: Callable[[str], bool]
) -> tuple[int, bool]:
    """(where the title begins behind a label ("Drama: ..."), a number or an owner ("Greta Gerwig's ..."); whether it is
    owned)."""
    is_owned = False
    for place in range(first, behind - 1):
        low = words[place].low
        if text.startswith(":", words[place].end) and _is_label(words[first : place + 1], is_no_title):
            first = place + 1
        elif low.endswith(("'s", "’s")) and place > first and is_person(words[first : place + 1]):
            first, is_owned = place + 1, True
    while (
        first + 1 < behind
        and words[first].text.isdigit()
        and len(words[first].text) == 4
        and words[first + 1].is_capital
    ):
        first += 1
    return first, is_owned


def _is_label(words: Sequence[Word], is_no_title: Callable[[str], bool]) -> bool:
    low = " ".join([word.low for word in words])
    return low in known.NO_TITLE or is_no_title(low)


def _is_followed_by_kind(text: str, words: Sequence[Word], behind: int) -> bool:
    if behind == len(words) or words[behind].low not in known.KINDS:
        return False
    return not text[words[behind - 1].end : words[behind].start].strip()


def _without_company(words: Sequence[Word], first: int, behind: int) -> int:
    """Where a title ends that goes on with who plays in it or where it runs: "Heat Wave with Tom Hanks", "Up on Netflix"."""
    for place in range(first + 1, behind - 1):
        after = words[place + 1].low
        if words[place].text in known.COMPANY and (
            after in known.NO_TITLE
            or common_form(after) in word_list("proper_names")
            or (words[place].text in ("by", "with") and (len(after) == 1 or is_person(words[place + 1 : behind])))
        ):
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


def _begins_sentence(text: str, words: Sequence[Word], first: int) -> bool:
    if first == 0:
        return True
    return _is_stopped(text, words[first - 1].end, words[first].start)


def _is_stopped(text: str, end: int, start: int) -> bool:
    """Whether a sentence ends between two words."""
    return text[end:start] != " " and known.STOPPED.search(text, end, start) is not None


def _cue_before(text: str, words: Sequence[Word], first: int) -> str | None:
    """The cue that leads to a word, with only words between that may stand there; None for none."""
    for place in range(first - 1, max(-1, first - 1 - known.FAR), -1):
        low = words[place].low
        if place + 1 < first and _is_stopped(text, words[place].end, words[place + 1].start):
            return None
        if low in known.STRONG or (low == "about" and place and words[place - 1].low in ("how", "what")):
            return low
        if low in known.NOT_BEFORE or low not in known.BETWEEN:
            return None
    return None


def _continues_row(text: str, start: int, ends: dict[int, Sign]) -> bool:
    """Whether only a comma, "and" or "or" stands between a title and here."""
    for end in ends:
        if 0 < start - end <= 16:
            dated = known.YEAR_BEHIND.match(text, end)
            if known.JOINER.fullmatch(text[dated.end() if dated else end : start].strip('"”“*')):
                return True
    return False
