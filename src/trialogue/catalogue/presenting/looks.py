"""Whether words are written as a title, or as something else: a person, a place, a sentence, a shout."""

from collections.abc import Callable, Sequence
from functools import lru_cache

from trialogue.catalogue.linking.ordinary import is_ordinary, word_list
from trialogue.catalogue.linking.titles import common_form
from trialogue.catalogue.presenting import words as known
from trialogue.catalogue.presenting.names import SMALL, Word, is_titled, words_of


def is_title_like(text: str, span: tuple[int, int], is_no_title: Callable[[str], bool]) -> bool:
    """Whether a span is written as a title and is nothing else that is written so."""
    words = words_of(text, *span)
    if not is_titled(words):
        return False
    low = " ".join(word.low for word in words)
    return low not in known.NEVER_TITLES and not is_no_title(low) and not _is_of_places(words)


def _is_of_places(words: Sequence[Word]) -> bool:
    """Whether two words or more are names of people or places, joined: "France or Japan"."""
    content = [common_form(word.low) for word in words if word.low not in SMALL]
    return len(content) > 1 and len(words) > len(content) and word_list("proper_names").issuperset(content)


@lru_cache(maxsize=256)
def is_english(text: str) -> bool:
    """Whether a text is English, as far as a few words tell: else capitals and words before them say nothing."""
    words = [word.text for word in words_of(text)]
    if not text.isascii():
        uncased = sum(len(word) for word in words if word[0].isalpha() and word.lower() == word.upper())
        if 2 * uncased > sum(map(len, words)):
            return False
    kinds = [_everydayness(word) for word in words if word.islower()]
    return len(kinds) < known.FEW_WORDS or 5 * kinds.count(2) >= len(kinds) >= 2 * kinds.count(0)


@lru_cache(maxsize=1 << 14)
def _everydayness(word: str) -> int:
    """2 for a function word, 1 for another everyday word, 0 for others."""
    form = common_form(word)
    return 2 if form in word_list("function_words") else int(is_ordinary(form))


def is_uncased(text: str, span: tuple[int, int]) -> bool:
    """Whether a span begins with a letter of a script without capitals."""
    first = text[span[0] : span[0] + 1]
    return first.isalpha() and first.lower() == first.upper()


def is_name_sized(text: str, span: tuple[int, int], is_no_title: Callable[[str], bool]) -> bool:
    """Whether a span is as short as titles are, and no sentence or genre, in whatever letters it is written."""
    words = words_of(text, *span)
    low = " ".join(word.low for word in words)
    if not words or known.STOPPED.search(text, *span) or low in known.NO_TITLE or is_no_title(low):
        return False
    return len(words) <= known.MOST_FOREIGN and (not is_uncased(text, span) or span[1] - span[0] <= known.MOST_UNCASED)


def is_foreign(text: str, words: Sequence[Word], span: tuple[int, int]) -> bool:
    """Whether words are written as a title of another language: a capital first, and no everyday English word in small
    letters."""
    if not words[0].is_capital or len(words) > known.MOST_FOREIGN or known.STOPPED.search(text, *span):
        return False
    names = word_list("proper_names")
    if all(
        word.low in known.NEVER_TITLES or (form := common_form(word.low)) in names or form in SMALL for word in words
    ):
        return False
    return all(word.is_capital or len(word.text) < 4 or not is_ordinary(common_form(word.text)) for word in words)


def is_shouted(words: Sequence[Word]) -> bool:
    """Whether capitals say nothing, because most words are written in them."""
    loud = sum([word.text.isupper() and word.text.isalpha() and len(word.text) > 1 for word in words])
    return loud > 1 and 2 < sum(word.text.isalpha() and len(word.text) > 1 for word in words) < 2 * loud


def is_person(words: Sequence[Word]) -> bool:
    """Whether two or three words are likely a person's name: the first one is a first name, or none is an everyday word."""
    low = [common_form(word.text.removesuffix("'s").removesuffix("’s")) for word in words]
    if not 1 < len(low) <= 4 or any(word.text in SMALL for word in words):
        return False
    return low[0] in word_list("proper_names") or not any(map(is_ordinary, low))


def is_like_no_name(text: str, words: Sequence[Word]) -> bool:
    """Whether words in capitals are a title by their look alone: "The Moose Inspector of Duluth", "Hell's Accountant"."""
    low = [word.low for word in words]
    content = [word for word in low if word not in SMALL]
    if low[0] in known.NO_TITLE or low[0] in known.ADDRESSES or not known.IN_NO_NAME.isdisjoint(low):
        return False
    everyday = sum(is_ordinary(common_form(word.removesuffix("'s").removesuffix("’s"))) for word in content)
    is_headed = low[0] == "the" and words[0].is_capital and len(content) > 1
    if (
        is_headed
        and any(word == "of" or word.endswith(("'s", "’s")) for word in low)
        and not known.ORGANISED.intersection(low)
    ):
        return True  # "The Ides of Carthage"
    is_owned = low[0].endswith(("'s", "’s")) and low[0][:-2] not in known.PRONOUNS and len(content) > 1
    has_subtitle = ": " in text[words[0].start : words[-1].end] and len(content) > 2
    return everyday > 0 and (is_headed or is_owned or has_subtitle or _is_of_words(words)) and not is_person(words)


def _is_of_words(words: Sequence[Word]) -> bool:
    """Whether words in capitals are everyday ones, as those of titles are and those of other names are not: two at least,
    or three of which one is ("Tin Saints", "Six Liars at Breakfast")."""
    content = [common_form(word.low.removesuffix("'s").removesuffix("’s")) for word in words if word.text not in SMALL]
    if len(content) < 2 or any(word in known.ORGANISED for word in content):
        return False
    if (
        content[-1] in word_list("function_words")
        or words[0].low[:2] in ("it", "i'")
        or (words[0].text.isupper() and len(words[0].text) > 1)
        or all(word.text.isupper() for word in words)
    ):
        return False
    head = next((place for place, word in enumerate(words) if word.text in known.COMPANY), 0)
    if head and not any(map(is_ordinary, content[:head])):  # "Jim from The Office"
        return False
    everyday = [is_ordinary(word) and not word.isdigit() for word in content]
    if len(content) == 2:
        return everyday[-1] and not word_list("proper_names").intersection(content)
    return any(everyday[1:])


def is_free_title(words: Sequence[Word], is_no_title: Callable[[str], bool]) -> bool:
    """Whether a run without a year may be a title: no name of a person, no platform, no word that is always a capital."""
    if not words:
        return False
    low = [word.low for word in words]
    if is_no_title(" ".join(low)) or (low[0] in known.NO_TITLE and len(low) < 3):
        return False
    if low[-1] in known.PRONOUNS or (
        len(low) > 1 and low[1] in ("i", "you") and low[0] in ("can", "may", "do", "have", "what")
    ):
        return False
    names, makers = word_list("proper_names"), word_list("makers")
    content = [word for word in low if word not in SMALL]
    if low[-1] in ("movies", "films", "fans", "genres"):
        return False
    if not content or all(
        word in known.NO_TITLE or (word[0].isdigit() and (word.isdigit() or known.MEASURE.fullmatch(word)))
        for word in content
    ):
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
