"""Understand a user's utterance from text alone: titles, attribute values, years, signs, questions, a choice, an opinion.

Rules, no model: they are fast, deterministic and readable. The agent decides what the result means in the conversation.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache

from trialogue.catalogue import Catalogue, TitleLinker
from trialogue_recommenders.content import TYPO
from trialogue_recommenders.speech_acts import (
    QUOTES,
    Span,
    any_of,
    choice_in,
    mask_spans,
    patterns_for,
    query_in,
    spoken_against,
    stars_in,
    when_in,
    years_in,
)
from trialogue_recommenders.text_files import sections_of
from trialogue_recommenders.vocabulary import AnyOf, FoundFeature, Vocabulary
from trialogue_recommenders.wording import FILMS, Wording

LONGEST = 1000  # characters that are listened to; a megabyte of text has its say in the first of them
RECENT_YEARS, OLD_YEARS = (
    5,
    40,
)  # years before the catalogue's last one that are recent, and from which on things are old
BRIEF = 3  # words of a text that asks without a question: "movie genre", "and the actors"

# Titles that are words of talk: they are titles only where the linker says so, and not where a text begins with them.
ALSO_TITLES = frozenset(sections_of("queries")["not titles"])

_OF_IT = re.compile(r"^\W*(?:and |so |but )?(?:is|was|are|were|does|isnt) (?:it|this|that|they|the|§)(?!\w)")
_WHAT_ABOUT = re.compile(r"\bwhat(?:s|re)?\b.*\babout\W*$")
_SO_SO = re.compile(r"\b(?:so so|average|okay|ok|alright|not bad|decent)\b")


@dataclass(frozen=True, slots=True)
class NamedItem:
    """An item named by the user."""

    item_id: str
    """Item id."""
    against: bool
    """Whether they speak against it: "not Heat", "Heat was boring"."""


@dataclass(frozen=True, slots=True)
class ParsedText:
    """Parsed content of a text; parts that do not occur are empty or None."""

    text: str
    """The text, at most its first 1,000 characters."""
    titles: tuple[NamedItem, ...] = ()
    """Items named, in order."""
    wanted: frozenset[AnyOf] = frozenset()
    """Attribute values spoken for, or just named."""
    unwanted: frozenset[AnyOf] = frozenset()
    """Attribute values spoken against."""
    years: tuple[int, int] | None = None
    """First and last year they would like."""
    signs: frozenset[str] = frozenset()
    """See ``signs``."""
    asks: tuple[str, ...] = ()
    """Requested facts: names of attributes, "year", "plot", "rating", or "unanswerable" for facts that no catalogue has."""
    choice: int | None = None
    """The number they choose, from 1; -1: the last."""
    when: str = ""
    """When they want to do it, in their words."""
    opinion: float | None = None
    """From -1 (bad) over 0 (so-so) to 1 (good)."""
    query: str = ""
    """Possible title, for a search."""
    rest: str = ""
    """The text without titles."""

    @property
    def is_bare(self) -> bool:
        """Whether the text consists only of a possible title."""
        return self.query != "" and self.query == self.text.strip(f"{QUOTES} .!?")

    def says(self, *signs: str) -> bool:
        """Whether it has any of these signs."""
        return not self.signs.isdisjoint(signs)


class UserTextParser:
    """Deterministic parser of user texts about one catalogue.

    >>> from trialogue.catalogue import Item
    >>> films = Catalogue.from_items([Item(id="7", title="Alien", year=1979, attributes={"genre": ("Horror", "Drama")})])
    >>> heard = UserTextParser(films, TitleLinker(films)).hear("I loved Alien, something scary like that? No drama though!")
    >>> [named.item_id for named in heard.titles], sorted(heard.signs)
    (['7'], ['liked', 'question', 'similar'])
    >>> [one[0].value for one in heard.wanted], [one[0].value for one in heard.unwanted]
    (['Horror'], ['Drama'])
    """

    def __init__(self, catalogue: Catalogue, linker: TitleLinker, *, wording: Wording = FILMS) -> None:
        self._catalogue, self._linker = catalogue, linker
        self._vocabulary = Vocabulary(catalogue)
        self._patterns = patterns_for(wording)
        self._age = _age_pattern(wording)
        asked = _questions(catalogue, wording)
        self._questions = {
            name: re.compile(rf"(?<!\w){any_of(map(re.escape, words))}(?!\w)") for name, words in asked.items()
        }
        self._question_words = {word: name for name, words in asked.items() for word in words if " " not in word}
        self._other_facts = re.compile(rf"\bother {any_of(map(re.escape, self._question_words))}\b")
        years = [item.year for item in catalogue.values() if item.year is not None]
        self._span = (min(years), max(years)) if years else None
        self._kept = lru_cache(maxsize=1 << 14)(self._listen)

    def hear(self, text: str) -> ParsedText:
        """Parse a text; of a long one only its first 1,000 characters."""
        return self._kept(text[:LONGEST])

    def _listen(self, text: str) -> ParsedText:
        titles = self._titles(text)
        rest = mask_spans(text, [span for span, _ in titles])
        found = self._vocabulary.find(rest)
        plain = _plain(rest)
        signs = self._signs(text, plain)
        against = spoken_against(rest, [span for span, _ in titles] + [(one.start, one.end) for one in found])
        wanted = () if _OF_IT.search(plain) else found
        return ParsedText(
            text=text,
            titles=tuple(NamedItem(item_id, span in against) for span, item_id in titles),
            wanted=frozenset(one.features for one in wanted if (one.start, one.end) not in against),
            unwanted=frozenset(one.features for one in wanted if (one.start, one.end) in against),
            years=self._years(plain),
            signs=signs,
            asks=self._asks(plain, found, signs),
            choice=choice_in(plain),
            when=when_in(plain),
            opinion=_opinion(plain, signs),
            query=query_in(text),
            rest=rest.replace("§", ""),
        )

    def _signs(self, text: str, plain: str) -> frozenset[str]:
        signs = {sign for sign, pattern in self._patterns.items() if pattern.search(plain)}
        if "?" in text:
            signs.add("question")
        if "disliked" in signs:  # "I do not like it" holds "like it", too
            signs -= {"accept", "liked"}
        if self._other_facts.search(plain):  # "what other genres has it?" is no wish for another one
            signs.discard("other")
        if "unseen" in signs:
            signs -= {"seen"}
        return frozenset(signs)

    def _titles(self, text: str) -> list[tuple[Span, str]]:
        """Places and items of what the linker finds, or else of the one title that the text seems to be about."""
        found = [
            ((mention.start, mention.end), mention.item_id)
            for mention in self._linker.find(text)
            if mention.start is not None and mention.end is not None and mention.item_id is not None
        ]
        found = [(span, item_id) for span, item_id in found if not _is_reply(text, span)]
        query = "" if found else query_in(text)
        if not query or query.casefold() in ALSO_TITLES or choice_in(query.casefold()) or self._is_value(query):
            return found
        start = text.find(query)
        return [((start, start + len(query)), item.id) for item in self._catalogue.find_title(query)[:1] if start >= 0]

    def _is_value(self, query: str) -> bool:
        return any(one.start == 0 and one.end == len(query) for one in self._vocabulary.find(query))

    def _asks(self, plain: str, found: Sequence[FoundFeature], signs: frozenset[str]) -> tuple[str, ...]:
        """Requested facts, in the order of the question words; opinions and requests ask for none."""
        words = len(plain.split())
        if not signs & {"question", "tell"} and words > BRIEF:
            return ()
        if "tell" not in signs and words > BRIEF + 1 and signs & {"request", "similar", "other"}:
            return ()
        if "liked" in signs and "question" not in signs and words > BRIEF - 1:
            return ()
        if found and _OF_IT.search(plain):
            return tuple(dict.fromkeys(one.features[0].attribute for one in found))
        places = {name: match.start() for name, pattern in self._questions.items() if (match := pattern.search(plain))}
        if places:
            return tuple(sorted(places, key=lambda name: places[name]))
        return ("plot",) if _WHAT_ABOUT.search(plain) else self._misspelt(plain) if words <= BRIEF + 2 else ()

    def _misspelt(self, plain: str) -> tuple[str, ...]:
        """Fact requested by a long misspelt word."""
        words = (word for word in plain.split() if len(word) > 4)
        near = (get_close_matches(word, self._question_words, n=1, cutoff=TYPO) for word in words)
        return tuple(dict.fromkeys(self._question_words[found[0]] for found in near if found))

    def _years(self, plain: str) -> tuple[int, int] | None:
        years, age = years_in(plain), self._age.search(plain)
        if years or not age or not self._span:
            return years
        first, last = self._span
        return (last - RECENT_YEARS, last) if age["recent"] else (first, max(first, last - OLD_YEARS))


def _questions(catalogue: Catalogue, wording: Wording) -> dict[str, tuple[str, ...]]:
    """Question words by requested fact."""
    asked = {attribute: (attribute, f"{attribute}s") for attribute in catalogue.attributes} | dict(wording.asked)
    unanswerable = tuple(word for word in wording.unanswerable if word not in catalogue.attributes)
    return asked | ({"unanswerable": unanswerable} if unanswerable else {})


def _age_pattern(wording: Wording) -> re.Pattern[str]:
    things = any_of(map(re.escape, (wording.noun, wording.nouns, *wording.also, "one", "ones", "stuff", "releases")))
    recent = rf"recent|newer|newest|latest|modern|contemporary|just out|new {things}"
    old = rf"old(?:er)? {things}|oldies?|older|classical|vintage|black and white"
    return re.compile(rf"\b(?:(?P<recent>{recent})|(?P<old>{old}))\b")


def _is_reply(text: str, span: Span) -> bool:
    """Whether what looks like a title is rather a word of reply: "Nope" at the beginning, "IT" where all is in capitals."""
    return text[slice(*span)].casefold() in ALSO_TITLES and (span[0] == 0 or text.isupper())


def _plain(text: str) -> str:
    """Small letters, no apostrophes, single spaces."""
    return " ".join(text.casefold().replace("’", "").replace("'", "").replace("`", "").replace("-", " ").split())


def _opinion(plain: str, signs: frozenset[str]) -> float | None:
    stars = stars_in(plain)
    if stars is not None:
        return stars
    if "disliked" in signs:
        return -1.0
    if signs & {"liked", "accept"}:
        return 1.0
    return 0.0 if _SO_SO.search(plain) else None
