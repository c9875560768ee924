"""Rankings from pairwise preferences: order-independent strengths, with Elo for comparison."""

from collections.abc import Sequence

from trialogue.findings.league_verdicts import rank_range, verdict
from trialogue.findings.records import Strength, Votes
from trialogue.findings.standings import Contrast
from trialogue.records import Preference, Reason, ReasonCode
from trialogue.records.kinds.origins import kinds_of
from trialogue.seeds import rng_for
from trialogue.stats import bonferroni, bradley_terry, elo_order_dependence, win_rates
from trialogue.stats.ranking.bradley_terry import Gap

SHUFFLES = 1_000  # orders of the votes that Elo is tried under
DUPLICATE = "(duplicate)"  # how a reader marks, in ``source``, a vote that its corpus holds twice


def votes_of(
    preferences: Sequence[Preference], *, seed: int = 0, resamples: int = 2_000, alpha: float = 0.05
) -> Votes | None:
    """Strengths of systems from pairwise votes; None if there are none.

    Votes that a corpus holds twice are counted once here, and both times in published tables. Votes between two dialogues
    of the same system rank nothing and are left out.
    """
    votes = [vote for vote in preferences if vote.a != vote.b and DUPLICATE not in (vote.source or "")]
    if not votes:
        return None
    doubled = sum(DUPLICATE in (vote.source or "") for vote in preferences)
    # Davidson's model treats ties as an outcome of their own; half wins (the field's habit) and Elo stand beside it,
    # because published tables use them.
    model = bradley_terry(votes, rng=rng_for(seed, "votes", "davidson"), resamples=resamples)
    half = {each.name: each.rating.value for each in bradley_terry(votes, ties="half").strengths}
    spread = {each.name: each for each in elo_order_dependence(votes, rng=rng_for(seed, "elo"), shuffles=SHUFFLES)}
    rates = {each.name: each.rate for each in win_rates(votes)}
    contrasts = _contrasts(model.gaps, alpha)
    ranks = {each.name: rank_range(each.name, contrasts, len(model.strengths)) for each in model.strengths}
    strengths = tuple(
        Strength(
            system=each.name,
            strength=each.rating,
            strength_half=half[each.name],
            rank_low=ranks[each.name][0],
            rank_high=ranks[each.name][1],
            elo=spread[each.name].rating,
            elo_rank_low=spread[each.name].rank_low,
            elo_rank_high=spread[each.name].rank_high,
            win_rate=rates[each.name],
        )
        for each in model.strengths
    )
    return Votes(
        strengths=strengths,
        votes=len(votes),
        ties=sum(vote.choice == "tie" for vote in votes),
        raters=len({vote.rater for vote in votes if vote.rater}),
        rater_kinds=kinds_of(vote.raters for vote in votes),
        wins=_wins(votes),
        contrasts=contrasts,
        why=model.why,
        left_out=Reason.of(ReasonCode.DUPLICATE_VOTES, votes=doubled) if doubled else None,
        method=(
            "Bradley-Terry model with ties (Davidson 1970), maximum likelihood, on the Elo scale (mean "
            f"1000); intervals from {resamples} resamples of raters with all their votes. Pairs by Wald's t test with "
            "the spread of the resamples, Bonferroni-corrected; ranks are those that these tests leave possible. Elo "
            f"(K = 16) depends on the order of the votes; its rank range is over {SHUFFLES} shuffled orders. "
            "A tie counts as half a win in win rates."
        ),
    )


def _contrasts(gaps: Sequence[Gap], alpha: float) -> tuple[Contrast, ...]:
    """Every pair, with p corrected after Bonferroni over all of them."""
    return tuple(
        Contrast(
            a=gap.a,
            b=gap.b,
            difference=gap.points,
            p_adjusted=p,
            verdict=verdict(gap.points.value, p, better="higher", alpha=alpha),
        )
        for gap, p in zip(gaps, bonferroni([gap.points.p for gap in gaps]), strict=True)
    )


def _wins(votes: Sequence[Preference]) -> dict[str, dict[str, float]]:
    wins: dict[str, dict[str, float]] = {}
    for vote in votes:
        share = {"a": 1.0, "b": 0.0, "tie": 0.5}[vote.choice]
        for winner, loser, won in ((vote.a, vote.b, share), (vote.b, vote.a, 1 - share)):
            row = wins.setdefault(winner, {})
            row[loser] = row.get(loser, 0.0) + won
    return {winner: dict(sorted(row.items())) for winner, row in sorted(wins.items())}
