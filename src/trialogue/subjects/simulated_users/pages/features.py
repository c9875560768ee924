"""Features of dialogues by which simulated users may be told from real ones, as a table."""

from collections.abc import Sequence

from trialogue.records import Estimate
from trialogue.render.document import EVERYWHERE, Column, Medium, Table
from trialogue.render.numbers import column_decimals, estimate_text, signed_text
from trialogue.subjects.simulated_users.realism.records import Gap

LEAD = (
    "The last column is the probability that a simulated dialogue has more of it than a real one: at .50 the feature "
    "reveals nothing."
)


def features_table(
    gaps: Sequence[Gap],
    *,
    lead: str,
    where: frozenset[Medium] = EVERYWHERE,
    in_files: Sequence[Column[Gap]] = (),
) -> Table[Gap]:
    """Each feature of real and of simulated users, which share their decimals, and how much it gives away."""
    return Table(
        "Features, real and simulated",
        gaps,
        [
            Column("Feature", lambda gap: gap.title),
            Column("Real", lambda gap: _in_row(gap, gap.real)),
            Column("Simulated", lambda gap: _in_row(gap, gap.simulated)),
            Column("Difference", lambda gap: gap.difference, signed_text),
            Column("Giveaway", lambda gap: gap.giveaway),
            *in_files,
        ],
        lead=f"{lead} {LEAD}",
        where=where,
    )


def _in_row(gap: Gap, value: Estimate) -> str:
    return estimate_text(value, column_decimals([gap.real, gap.simulated]))
