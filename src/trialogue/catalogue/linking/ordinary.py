"""Word lists that estimate how often a form is not a title: common words, names of people, places and makers, numbers.

Five lists of our own are stored beside this module: ``ordinary_words.txt``, words that occur in lower case in everyday
conversation (mostly about films); ``function_words.txt``, the most frequent ones, which are hardly ever titles;
``proper_names.txt``, names of people and places, always capitalised; ``makers.txt``, names of studios and channels;
``stock_phrases.txt``, everyday phrases that are also titles, one per line.
"""

from functools import cache, lru_cache
from importlib.resources import files

from trialogue.catalogue.linking.variants import ARTICLES

ENDINGS = ("ings", "ing", "ers", "er", "ed", "es", "s", "ly")  # tried in this order, the first that fits only


TELLING = frozenset(
    {"3 ordinary words", "4 ordinary words", "4 words with a name", "words with a rare one", "rare word"}
)
"""Kinds of words that a piece of a title, or a translation of it, has to be of to be looked for at all."""


def word_set(words: str) -> frozenset[str]:
    """Set of the words in a text."""
    return frozenset(words.split())


@cache
def word_list(name: str) -> frozenset[str]:
    """Load a word list: ``ordinary_words``, ``function_words``, ``proper_names``, ``makers`` or ``stock_phrases``."""
    text = files("trialogue.catalogue").joinpath(f"{name}.txt").read_text(encoding="utf-8")
    return frozenset(text.splitlines() if name == "stock_phrases" else text.split())


@lru_cache(maxsize=1 << 14)
def is_ordinary(form: str) -> bool:
    """Whether a word, or its stem without a common ending, is an everyday English word."""
    known = word_list("ordinary_words")
    if form in known or form in word_list("function_words") or len(form) < 3:
        return True
    for ending in ENDINGS:
        stem = form.removesuffix(ending)
        if stem != form and len(stem) > 2:
            return stem in known or f"{stem}e" in known or (stem[-1] == stem[-2] and stem[:-1] in known)
    return False


@lru_cache(maxsize=1 << 14)
def kind_of(forms: tuple[str, ...]) -> str:
    """Kind of a form by its ambiguity with ordinary words; a leading article is ignored.

    >>> kind_of(("up",)), kind_of(("the", "help")), kind_of(("love", "actually")), kind_of(("zombieland",))
    ('function word', 'function word', '2 ordinary words', 'rare word')
    """
    if len(forms) == 2 and forms[0] in ARTICLES:
        forms = forms[1:]
    if all(form.isdigit() for form in forms):
        return "digits"
    if len(forms) == 1:
        return _kind_of_word(forms[0])
    if " ".join(forms) in word_list("stock_phrases"):
        return "stock phrase"
    if all(is_ordinary(form) or form.isdigit() for form in forms):
        return f"{min(len(forms), 4)} ordinary words"
    names, makers = word_list("proper_names"), word_list("makers")
    if all(is_ordinary(form) or form in names or form in makers or form.isdigit() for form in forms):
        return f"{min(len(forms), 4)} words with a name"
    return "words with a rare one"


def _kind_of_word(form: str) -> str:
    if form in word_list("function_words"):
        return "function word"
    if form in word_list("makers"):
        return "maker"
    if form in word_list("proper_names"):
        return "name"
    return "ordinary word" if is_ordinary(form) else "rare word"
