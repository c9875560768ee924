"""Recognise replies that repeat a reference: the whole of it, perhaps with words changed, or with others around it."""

from collections.abc import Iterable

PIECE = 5  # letters and digits of a piece
SHARED = 0.75  # of a reference's pieces: with a word in ten changed, four fifths are left
SHORTEST = 25  # letters and digits of a reference; a shorter one must be equal, as two people may say it alike
PROBES, PROBE = 5, 10  # parts of a reference and their length: a reply that has none of them does not repeat it


def repeats_any(reply: str, references: Iterable[str]) -> bool:
    """Whether a reply repeats one of the references.

    >>> said = "You should really see Heat, it is a tense and quiet film about a thief."
    >>> repeats_any(said + " Enjoy!", [said]), repeats_any("You should really see Ronin.", [said])
    (True, False)
    """
    own = _plain(reply)
    return bool(own) and any(_repeats(own, _plain(each)) for each in references)


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _repeats(own: str, other: str) -> bool:
    if len(other) < SHORTEST:
        return own == other
    if other in own:
        return True
    step = (len(other) - PROBE) // (PROBES - 1)
    if not any(other[at * step : at * step + PROBE] in own for at in range(PROBES)):
        return False
    pieces = {other[at : at + PIECE] for at in range(len(other) - PIECE + 1)}
    return sum(piece in own for piece in pieces) >= SHARED * len(pieces)
