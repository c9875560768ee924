"""Reword what real users said, so that simulated ones do not copy it: interchangeable words, and words to begin with.

Short messages ("Anything else?") recur between people and stay. Longer ones were one person's, and a simulated user who
writes them word for word is a copy of that person.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

LONG = 5
"""Words of a message that two people hardly write alike (the passport counts copies from this length on)."""
MAX_REWORDINGS = 8
"""Rewordings of one message."""

_GROUPS = """
can you | could you | will you
recommend me | suggest me | find me
recommend | suggest
show me | give me
i want | i would like | i'd like
i am looking for | i'm looking for | i need
i am | i'm
do not | don't | dont
did not | didn't
have not | haven't
what is | what's
thank you so much | thanks a lot | many thanks
thanks a lot | thank you very much
thank you | thanks
okay | ok
another | a different | one more
another one | something different
something else | anything else | something different
anything else | something else
really like | quite like
i like | i enjoy
i liked | i enjoyed
i loved | i really liked
i love | i really like
search for | look for
tell me about | tell me something about
tell me more about | i want to know more about
yes | yeah
no | nope
hello | hi
maybe | perhaps
because | since | as
like to watch | like to see
want to watch | want to see
plan to watch | plan to see
should i watch | should i see
already seen | already watched
i have seen | i've seen | i have watched
i haven't seen | i haven't watched | i have not seen
have you got | do you have
do you have | have you got | is there
is there | do you have
any other | some other
more | some more
some | a few
good | nice | decent
great | really good
very | really
film | movie
films | movies
movie | film
movies | films
which | what
right now | now
tonight | this evening
how about | what about
what about | how about
i will | i'll
i'll | i will
it is | it's
that is | that's
suggestions | recommendations
suggestion | recommendation
recommendations | suggestions
recommendation | suggestion
also | too
just | simply
the same | these
those | these
"""
_STARTS = ("ok, ", "well, ", "so ", "hmm, ")
_START = re.compile(r"^(?:ok|okay|well|so|hmm|yes|yeah|wow|ah|lol)\b[\s.,!]*(?=\S)", re.IGNORECASE)
_SLOT = re.compile(r"\{[^{}]*\}")


@cache
def _rules() -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    """What is replaced, and by what; longer wordings first, so that a part of one is not replaced by itself."""
    found = []
    for line in _GROUPS.strip().splitlines():
        words, *others = [each.strip() for each in line.split("|")]
        found.append((re.compile(rf"(?<![\w'{{]){re.escape(words)}(?![\w'}}])", re.IGNORECASE), tuple(others)))
    return tuple(sorted(found, key=lambda rule: -len(rule[0].pattern)))


@cache
def rewordings(text: str) -> tuple[str, ...]:
    """Other wordings of a message or template, none of which is the message itself; slots stay as they are.

    As many words as it can at a time are replaced, each in turn by its alternatives; where nothing can be replaced, the
    message begins with another word, or without the one it began with.

    >>> rewordings("can you recommend me another {thing}")[:2]
    ('could you suggest me a different {thing}', 'will you find me one more {thing}')
    """
    found = [wording for wording in _replacements(text) if wording.lower() != text.lower()]
    if not found:
        shorter = _START.sub("", text)
        found = [shorter] if shorter != text else [f"{start}{_lower_first(text)}" for start in _STARTS]
    return tuple(dict.fromkeys(found))[:MAX_REWORDINGS]


def is_long(text: str) -> bool:
    """Whether a text is long enough to be a copy, slots being a word each."""
    return len(text.split()) >= LONG


def _replacements(text: str) -> Iterator[str]:
    """All alternatives at once, the first of each, then the second; then one replacement alone."""
    rules = [(pattern, others) for pattern, others in _rules() if pattern.search(text)]
    for turn in range(max((len(others) for _, others in rules), default=0)):
        yield _with(text, rules, turn)
    for rule in rules:
        yield _with(text, [rule], 0)


def _with(text: str, rules: Sequence[tuple[re.Pattern[str], tuple[str, ...]]], turn: int) -> str:
    """A text with every rule applied where no longer one was."""
    spans: list[tuple[int, int, str]] = [(slot.start(), slot.end(), slot[0]) for slot in _SLOT.finditer(text)]
    for pattern, others in rules:
        for place in pattern.finditer(text):
            if all(place.end() <= start or place.start() >= end for start, end, _ in spans):
                spans.append((place.start(), place.end(), _as_cased(place[0], others[turn % len(others)])))
    pieces, at = [], 0
    for start, end, words in sorted(spans):
        pieces += [text[at:start], words]
        at = end
    return "".join([*pieces, text[at:]])


def _as_cased(before: str, after: str) -> str:
    return after[0].upper() + after[1:] if before[0].isupper() else after


def _lower_first(text: str) -> str:
    return text if text[:2] in ("I ", "I'") else text[:1].lower() + text[1:]
