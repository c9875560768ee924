"""Plain-text rendering of a judge's votes on pairs of dialogues."""

from collections.abc import Iterator, Sequence

from trialogue.judges.pair_judge import PairTally
from trialogue.render.document import Column, Sentences, Table
from trialogue.render.media.terminal import parts_text
from trialogue.render.numbers import count

UNCORRECTED = (
    "These are votes of a model, not of people: they show what the model prefers, and no label corrects its error."
)
NEXT = "trialogue evaluate ranks systems by these votes if they are given together with the dialogues."


def pairs_text(tallies: Sequence[PairTally], *, matched: bool, width: int | None = None) -> str:
    """Render votes by pair of systems, and how often the order decided.

    Args:
        tallies: votes by judge, aspect and pair of systems.
        matched: whether the users of each pair wanted the same.
        width: columns of the terminal; its own by default.
    """
    votes = Table(
        "Votes by pair of systems",
        tallies,
        [
            Column("Judge", lambda row: row.judge),
            Column("Aspect", lambda row: row.aspect),
            Column("A", lambda row: row.a),
            Column("B", lambda row: row.b),
            Column("A better", lambda row: row.a_better),
            Column("B better", lambda row: row.b_better),
            Column("Tie", lambda row: row.ties),
            Column("Missing", lambda row: row.missing),
            Column("Decided by order", lambda row: row.contradictory),
        ],
    )
    return parts_text([Sentences(list(_sentences(tallies, matched=matched))), votes, Sentences([NEXT])], width=width)


def _sentences(tallies: Sequence[PairTally], *, matched: bool) -> Iterator[str]:
    yield UNCORRECTED
    if matched:
        yield "The users of each pair had the same need."
    else:
        yield "No two systems share a need, so dialogues were paired at random."
    decided = sum(each.contradictory for each in tallies)
    if decided:
        voted = sum(each.a_better + each.b_better + each.ties for each in tallies)
        first = sum(each.first_won for each in tallies)
        yield (
            f"In {decided} of {count(voted, 'vote')} the order decided, which counts as a tie: the dialogue shown first won "
            f"{first} of them in both orders."
        )
