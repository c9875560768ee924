"""Whether a user's message is an assistant's: phrases of recommenders, talk of the part that a model plays, its
refusals, and text for a program; and whether it tells a need as it was given to it.

English only, but for text for programs. Written from what language models are known to say when they leave the user's part,
and tested on messages by authors who had not seen the phrases, and on real users: see ``benchmarks/GATES.md``.
"""

import re
from functools import lru_cache

from trialogue.llm.machine_text import is_machine_text
from trialogue.metrics.gates.phrases import Phrases, any_of, patterns

MIN_HINTS, MIN_MOVES = 2, 2
_QUOTED = re.compile(r"(?<!\w)[\"“][^\"“”]{6,}[\"”]")
SIGNS = any_of("assistant_signs")
"""Phrases of assistants, and of models that speak of their part, that seekers do not use: one is enough."""
HINTS, ANY_HINT = tuple(Phrases([each]) for each in patterns("assistant_hints")), any_of("assistant_hints")
"""Phrases that people say now and then when they chat with a recommender: two different ones in a message count."""
MOVES, ANY_MOVE = tuple(Phrases([each]) for each in patterns("assistant_moves")), any_of("assistant_moves")
"""What recommenders do to seekers, by its kind: people do one of these now and then, rarely two."""
QUESTIONS = any_of("questions_to_others")

TOLD = any_of("told_needs")
"""Phrases of a user who tells what was written about them."""


@lru_cache(maxsize=20_000)
def role_in(text: str) -> tuple[bool, frozenset[int]]:
    """Whether a message alone shows that its user leaves their part; which moves it makes, in any case."""
    moves, asks = moves_in(text)
    return asks or is_assistant(text) or reads_out_need(text), moves


@lru_cache(maxsize=20_000)
def is_assistant(text: str) -> bool:
    """Whether a message sounds like an assistant's, refuses as models do, speaks of their instructions, or is no speech.

    >>> is_assistant("How can I help you today?"), is_assistant("Can you help me find a film?")
    (True, False)
    """
    return is_machine_text(text) or SIGNS.search(_spoken_part(text)) is not None or len(hints_in(text)) >= MIN_HINTS


def moves_in(text: str) -> tuple[frozenset[int], bool]:
    """Which moves a message makes, each in words of its own; whether other words of it ask about the other side.

    >>> len(moves_in("It depends on your level. Shall I reserve it for you?")[0])
    2
    """
    said = _spoken_part(text)
    if ANY_MOVE.search(said) is None:
        return frozenset(), False
    spans = [(found.end(), found.start(), kind) for kind, each in enumerate(MOVES) if (found := each.search(said))]
    moves, last = set(), 0
    for end, start, kind in sorted(spans):
        if start >= last:
            moves.add(kind)
            last = end
    asks = QUESTIONS.search(said)
    apart = asks and any(end <= asks.start() or start >= asks.end() for end, start, _ in spans)
    return frozenset(moves), bool(apart)


def reads_out_need(text: str) -> bool:
    """Whether a message reads out its user's need, profile or instructions, which nobody who looks for something has.

    >>> reads_out_need("According to my profile, I like comedies."), reads_out_need("My goal for tonight is to laugh.")
    (True, False)
    """
    return TOLD.search(text) is not None


def hints_in(text: str) -> frozenset[int]:
    """Which of the phrases a message holds that people say now and then, outside of quotations.

    >>> hints_in('A clerk told me: "If you liked Heat, I would suggest Ronin."')
    frozenset()
    """
    said = _spoken_part(text)
    if ANY_HINT.search(said) is None:
        return frozenset()
    return frozenset(place for place, each in enumerate(HINTS) if each.search(said) is not None)


def _spoken_part(text: str) -> str:
    """A message without what others said, or a title."""
    return _QUOTED.sub("", text) if '"' in text or "“" in text else text
