"""Plain-text rendering of a judge's votes on pairs of dialogues."""

from collections.abc import Sequence

from trialogue.judges.tallies import PairTally
from trialogue.report.numbers import count
from trialogue.report.table import Table
from trialogue.report.terminal import columns, draw_cells, wrap_sentences

NARROWEST, WIDEST = 60, 130
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
    width = columns(width, least=NARROWEST, most=WIDEST)
    heads = ("Judge", "Aspect", "A", "B", "A better", "B better", "Tie", "Missing", "Decided by order")
    rows = tuple(
        (
            each.judge,
            each.aspect,
            each.a,
            each.b,
            *(str(number) for number in (each.a_better, each.b_better, each.ties, each.missing, each.contradictory)),
        )
        for each in tallies
    )
    decided = sum(each.contradictory for each in tallies)
    voted = sum(each.a_better + each.b_better + each.ties for each in tallies)
    lines = [UNCORRECTED]
    lines.append(
        "The users of each pair had the same need."
        if matched
        else "No two systems share a need, so dialogues were paired at random."
    )
    if decided:
        first = sum(each.first_won for each in tallies)
        lines.append(
            f"In {decided} of {count(voted, 'vote')} the order decided, which counts as a tie: the dialogue shown first won "
            f"{first} of them in both orders."
        )
    return "\n\n".join([wrap_sentences(lines, width), draw_cells(Table(heads, rows), width), NEXT])
