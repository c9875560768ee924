"""Tables of votes: strengths in numbers, and who won against whom."""

from trialogue.findings import Strength, Votes
from trialogue.render.document import Column, Table
from trialogue.render.numbers import MISSING, number, ranks, with_decimals
from trialogue.render.table import Cell
from trialogue.subjects.evaluation.pages.league import Systems


def strengths_table(votes: Votes) -> Table[Strength]:
    """Strength and Elo of each system with their ranks, and the share of votes won."""
    return Table(
        "Strengths in numbers",
        votes.strengths,
        [
            Column("System", lambda each: each.system),
            Column("Strength [interval]", lambda each: each.strength, with_decimals(0)),
            Column("Rank", lambda each: ranks(each.rank_low, each.rank_high) or None),
            Column("Ties as half wins", lambda each: each.strength_half, with_decimals(0)),
            Column("Elo", lambda each: number(each.elo, 0)),
            Column("Rank by Elo", lambda each: ranks(each.elo_rank_low, each.elo_rank_high)),
            Column("Win rate [interval]", lambda each: each.win_rate, with_decimals(2)),
        ],
    )


def wins_table(votes: Votes, systems: Systems) -> Table[str]:
    """Votes won by the row against the column."""

    def won(a: str, b: str) -> Cell | str:
        ours, theirs = votes.wins.get(a, {}).get(b), votes.wins.get(b, {}).get(a)
        if a == b or (ours is None and theirs is None):
            return "" if a == b else MISSING
        text = f"{ours or 0:g}"
        return Cell(text, href=systems.links.pair(a, b, ""), what=f"{text}: dialogues of {a} and {b}")

    return Table(
        "Votes won",
        systems.names if votes.wins else (),
        [
            Column(" ", lambda name: name),
            *(Column(each, lambda name, each=each: won(name, each)) for each in systems.names),  # type: ignore[misc]
        ],
        lead="Votes won by the row against the column; a tie is half a vote for each.",
    )
