"""Verdicts on pairs of systems, and the rank ranges they imply."""

from collections.abc import Iterable, Sequence, Set
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialogue.findings.standings import Contrast, Standing, Verdict


def verdict(difference: float | None, p_adjusted: float | None, *, better: str, alpha: float) -> "Verdict":
    """The better side at a level; measures without a direction give none."""
    if difference is None or p_adjusted is None:
        return "undefined"
    if p_adjusted > alpha or difference == 0 or better == "neither":
        return "inconclusive"
    return "a" if (difference > 0) == (better == "higher") else "b"


def with_ranks(
    standings: "Sequence[Standing]", contrasts: "Sequence[Contrast]", *, better: str, without: Set[str] = frozenset()
) -> "tuple[Standing, ...]":
    """Add the rank ranges implied by the contrasts to standings; none if nothing is ranked.

    Args:
        standings: standings of systems.
        contrasts: contrasts of every pair.
        better: the measure's direction.
        without: systems that have no rank, and take part in nobody's.
    """
    ranked = [each for each in standings if each.estimate.value is not None and each.system not in without]
    # A threat that blocks a system's rank can leave verdicts against it; counted here, they would push others above rank 1.
    among = [each for each in contrasts if each.a not in without and each.b not in without]
    return tuple(_with_rank(standing, among, len(ranked), better=better, without=without) for standing in standings)


def _with_rank(
    standing: "Standing", contrasts: "Sequence[Contrast]", systems: int, *, better: str, without: Set[str]
) -> "Standing":
    is_ranked = standing.estimate.value is not None and standing.system not in without and better != "neither"
    low, high = rank_range(standing.system, contrasts, systems) if is_ranked else (None, None)
    return standing.model_copy(update={"rank_low": low, "rank_high": high})


def rank_range(system: str, contrasts: "Sequence[Contrast]", systems: int) -> tuple[int | None, int | None]:
    """Ranks that the verdicts on pairs leave possible for one of so many systems; None where no pair of it was tested."""
    if not is_compared(system, contrasts):
        return None, None
    beaten_by, beats = count_better_and_worse(system, contrasts)
    return 1 + beaten_by, systems - beats


def is_compared(system: str, contrasts: "Iterable[Contrast]") -> bool:
    """Whether any difference to another system was tested."""
    return any(system in (each.a, each.b) and each.verdict != "undefined" for each in contrasts)


def count_better_and_worse(system: str, contrasts: "Iterable[Contrast]") -> tuple[int, int]:
    """(Number of significantly better systems, number of significantly worse systems)."""
    better = worse = 0
    for contrast in contrasts:
        if system not in (contrast.a, contrast.b) or contrast.verdict not in ("a", "b"):
            continue
        winner = contrast.a if contrast.verdict == "a" else contrast.b
        worse, better = (worse + 1, better) if winner == system else (worse, better + 1)
    return better, worse
