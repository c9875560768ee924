"""Is this English? The models know no other language, and would label it all the same, wrongly and without a word."""

import re
from collections.abc import Iterable

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
    frequent = total = 0
    for text in texts:
        words = _WORDS.findall(text.lower().replace("’", "'"))
        total += len(words)
        frequent += sum(word in FREQUENT for word in words)
    return (frequent / total if total else None), total
