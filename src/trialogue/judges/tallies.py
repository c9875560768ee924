"""Votes of judges, counted by pair of systems, with how often the order of the pair decided."""

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from trialogue.judges.judgement import Comparison
from trialogue.records import Record
from trialogue.records.completion import UNNAMED


class PairTally(Record):
    """Votes of one judge on two systems."""

    kind: ClassVar[str] = "pair_tally"

    judge: str
    """The judge."""
    aspect: str
    """What was compared."""
    a: str
    """The one system."""
    b: str
    """The other."""
    a_better: int
    """Pairs of dialogues in which ``a`` is better."""
    b_better: int
    """Pairs in which ``b`` is better."""
    ties: int
    """Pairs in which neither is, contradictory answers among them."""
    contradictory: int
    """Pairs in which the dialogue shown first won in both orders, or the one shown second did."""
    first_won: int
    """Those of them in which it was the one shown first."""
    missing: int
    """Pairs without a vote."""


def tallies_of(comparisons: Sequence[Comparison], aspects: Sequence[str]) -> list[PairTally]:
    """Votes by judge, aspect and pair of systems, in order of appearance."""
    groups: dict[tuple[str, str, str, str], Counter[str]] = {}
    for each in comparisons:
        for aspect in aspects:
            counts = groups.setdefault((each.judge, aspect, each.a or UNNAMED, each.b or UNNAMED), Counter())
            counts[each.choices.get(aspect, "missing")] += 1
            first, second = set(each.first_shown.get(aspect, ())), set(each.second_shown.get(aspect, ()))
            if (first, second) in (({"a"}, {"b"}), ({"b"}, {"a"})):
                counts["contradictory"] += 1
                counts["first_won"] += first == {"a"}
    return [
        PairTally(
            judge=judge,
            aspect=aspect,
            a=a,
            b=b,
            a_better=counts["a"],
            b_better=counts["b"],
            ties=counts["tie"],
            contradictory=counts["contradictory"],
            first_won=counts["first_won"],
            missing=counts["missing"],
        )
        for (judge, aspect, a, b), counts in groups.items()
    ]
