"""Titles in lists: items, cells, values and lines that are filled with them."""

from collections.abc import Callable, Iterator, Sequence

from trialogue.catalogue.layout import Layout, Part
from trialogue.catalogue.layout.fillings import filling_of
from trialogue.catalogue.linking.clauses import FILM, FILM_PEOPLE
from trialogue.catalogue.linking.ordinary import is_ordinary
from trialogue.catalogue.linking.titles import common_form
from trialogue.catalogue.presenting import words as known
from trialogue.catalogue.presenting.looks import is_foreign, is_name_sized, is_title_like, is_uncased
from trialogue.catalogue.presenting.names import words_of
from trialogue.catalogue.presenting.words import Sign


def in_slots(
    text: str, slots: Sequence[Part], is_no_title: Callable[[str], bool], is_title: Callable[[str], bool]
) -> Iterator[tuple[int, int, Sign]]:
    """Fillings of lists of titles: those in which most are written as titles, and more than genres and answers; or those in
    which half are titles, however they are written."""
    groups: dict[tuple[Layout, str], list[tuple[int, int]]] = {}
    for part in slots:
        if part.layout is not Layout.VALUE or part.group in known.TITLE_KEYS:
            groups.setdefault((part.layout, part.group), []).append(trim(text, *filling_of(text, part)))
    for (layout, _), spans in groups.items():
        spans = _behind_labels(text, [_without_rating(text, span) for span in spans], is_title)
        titled = [is_title_like(text, span, is_no_title) and not is_uncased(text, span) for span in spans]
        if _lists_people(text, spans[0][0]):
            continue
        if layout is Layout.LINE and (len(spans) < 2 or 3 * sum(titled) < 2 * len(spans)):
            continue
        dated = [known.YEAR_BEHIND.match(text, end) is not None for _, end in spans]
        telling = any(dated) or any(
            len(words_of(text, *span)) > 1 or not is_ordinary(common_form(text[slice(*span)])) for span in spans
        )
        sized = [] if any(titled) else [span for span in spans if is_name_sized(text, span, is_no_title)]
        if sized and len(spans) > 1:
            sure = [at or is_title(text[slice(*span)]) for at, span in zip(dated, spans, strict=True)]
            if 2 * sum(sure) >= len(spans):
                yield from ((*span, Sign.SLOT) for span in sized)
        if sum(titled) * 2 > len(spans) and telling:
            for span, good in zip(spans, titled, strict=True):
                words = words_of(text, *span)
                if good or (len(titled) > 1 and words and is_foreign(text, words, span)):
                    yield (*span, Sign.SLOT)


def _behind_labels(text: str, spans: list[tuple[int, int]], is_title: Callable[[str], bool]) -> list[tuple[int, int]]:
    """Spans behind their labels, where each has one and something behind one is a title: "Option A: Heat"."""
    found = []
    for _, end in spans:
        labelled = known.LABELLED.match(text, end)
        if labelled is None:
            return spans
        found.append(trim(text, *labelled.span("behind")))
    return found if any(is_title(text[slice(*span)]) for span in found) else spans


def _without_rating(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """A span without the rating before it: "4.7 Heat"."""
    found = known.RATING.match(text, *span)
    return (found.end(), span[1]) if found else span


def _lists_people(text: str, start: int) -> bool:
    """Whether the line before a list announces people or genres, and no films."""
    lead = [word.low for word in words_of(text, max(0, start - known.LEAD), start)]
    people = FILM_PEOPLE | known.LISTED
    last = next((word for word in reversed(lead) if word in people or word in FILM), None)
    return last in people and last is not None


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """A span without quotes, stars and spaces around it, and without a last full stop or comma."""
    while start < end and text[start] in " \t\"'“”‘’«»*_`[(":
        start += 1
    dated = known.DATED.search(text, start, end)
    end = dated.start() if dated and dated.start() > start else end
    while start < end and text[end - 1] in " \t\"'“”‘’«»*_`]),.;:":
        end -= 1
    return start, end
