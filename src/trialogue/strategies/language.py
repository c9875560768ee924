"""Is this English? The models know no other language, and would label it all the same, wrongly and without a word."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from trialogue.errors import DataError, Problem

FREQUENT = frozenset(
    """
    a about all also am an and any are as at be because been but by can could did do does don't for from get go good
    had has have he her him his how i i'm if in into is it it's its just like me more movie my no not of on one or out
    really see she so some that that's the their them then there they think this to too very want was watch we well
    were what when which who will with would yes you you're your
    """.split()  # noqa: SIM905 - a list of words reads better as a text
)
"""The commonest words of English talk about films."""

LEAST_SHARE = (
    0.2  # INSPIRED's recommenders have .56, nine systems .38 to .61; German, French, Spanish, Dutch text up to .11
)
LEAST_WORDS = 100  # fewer say nothing about a corpus

_WORDS = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")


def share_of_english(texts: Iterable[str]) -> tuple[float | None, int]:
    """Share of words that are among the commonest of English, and the number of words; None where there are no words.

    >>> share_of_english(["Have you seen it?"]), share_of_english(["Hast du den gesehen?"]), share_of_english([])
    ((0.75, 4), (0.0, 4), (None, 0))
    """
    heard = _Heard()
    for text in texts:
        heard.add(text)
    return heard.share, heard.words


@dataclass
class _Heard:
    """Words of one speaker."""

    words: int = 0
    frequent: int = 0
    texts: set[str] = field(default_factory=set)
    """That were counted; what is said again counts once."""
    is_known: bool = False
    """Whether it is clear what language they are in."""

    @property
    def share(self) -> float | None:
        return self.frequent / self.words if self.words else None

    def add(self, text: str) -> None:
        words = _WORDS.findall(text.lower().replace("’", "'"))
        self.words += len(words)
        self.frequent += sum(word in FREQUENT for word in words)


class EnglishOnly:
    """Hears what everybody says, and stops at who turns out not to speak English."""

    def __init__(self) -> None:
        self._heard: defaultdict[str | None, _Heard] = defaultdict(_Heard)

    def hear(self, who: str | None, texts: Iterable[str]) -> None:
        """Take in what somebody says (None: nobody knows who); the same text counts once.

        Raises:
            DataError: it makes a hundred words or more, and too few of them are common English ones.
        """
        heard = self._heard[who]
        if heard.is_known:
            return
        for text in dict.fromkeys(texts):
            if text not in heard.texts:
                heard.texts.add(text)
                heard.add(text)
        if heard.words < LEAST_WORDS or heard.share is None:
            return
        heard.is_known = True
        heard.texts.clear()
        if heard.share < LEAST_SHARE:
            what = (
                f"{who or 'this'} does not look like English: {heard.share:.0%} of {heard.words} words are common English "
                "ones (people's chats have half). The model knows English only."
            )
            raise DataError(Problem(what, hint="To take it all the same: --any-language, or any_language=True."))
