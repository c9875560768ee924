"""Preference agreement: how often a measure prefers the response that people prefer.

Yang et al. (SIGIR 2024, sec. 4.1, figure 2) compare a metric's choice between two responses (A, B, same) with people's by
Cohen's kappa. A metric hardly ever gives both sides exactly the same value, so "same" needs a margin, and kappa depends on
it. Two rules are offered, and every result states which one was used:

* ``matched`` (default): the margin at which the measure calls as many pairs "same" as people do. It uses how many ties there
  are, never which ones.
* a number: that margin, in the measure's own unit; 0: only equal values are the same.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Literal, TypeAlias

import numpy as np

from trialogue.errors import UsageError
from trialogue.findings.resampling import DEFAULT, Resampling
from trialogue.options import TieMargin
from trialogue.records import Estimate, Preference, Reason, ReasonCode, Score
from trialogue.stats import bootstrap_sums, cluster_sums, cohen_kappa
from trialogue.stats.resampling.bootstrap import mean_of
from trialogue.subjects.agreement.records import PreferenceAgreement
from trialogue.subjects.agreement.score_pairs import Floats

Side: TypeAlias = tuple[str, str | None, str | None]
"""(system, dialogue, situation)."""

CHOICES = ("a", "b", "tie")
CEILING = "noise ceiling"


@dataclass(frozen=True)
class Pairs:
    """People's choices between two sides that measures can score, with their raters."""

    votes: tuple[Preference, ...]
    clusters: tuple[str, ...]
    """Resampling units: the person, or the pair if the person is unknown or several people judged it."""

    def values(self, by_side: Mapping[Side, float]) -> tuple[Floats, Floats]:
        """A measure's values of both sides, NaN where missing, shape (n,) each."""
        sides = [(side_of(vote, "a"), side_of(vote, "b")) for vote in self.votes]
        a, b = ([by_side.get(pair[place], np.nan) for pair in sides] for place in (0, 1))
        return np.array(a), np.array(b)


def side_of(vote: Preference, which: Literal["a", "b"]) -> Side:
    """One side of a vote: a dialogue of a system, or its response to a situation."""
    system, dialogue = (vote.a, vote.dialogue_a) if which == "a" else (vote.b, vote.dialogue_b)
    return (system, dialogue, None) if vote.situation_id is None else (system, None, vote.situation_id)


def pairs_of(preferences: Sequence[Preference]) -> Pairs:
    """Choices between recorded dialogues or responses; votes that only name systems are excluded."""
    votes = tuple(
        vote for vote in preferences if vote.situation_id is not None or (vote.dialogue_a and vote.dialogue_b)
    )
    several = len({_pair(vote) for vote in votes}) < len(votes)
    return Pairs(votes, tuple(vote.rater if vote.rater and not several else _pair(vote) for vote in votes))


def _pair(vote: Preference) -> str:
    return "\x1f".join(sorted(map(str, (side_of(vote, "a"), side_of(vote, "b")))))


def values_by_side(scores: Sequence[Score]) -> dict[str, dict[Side, float]]:
    """Values of dialogues and responses, by measure and side; mean human ratings count as measures."""
    found: dict[str, dict[Side, list[float]]] = defaultdict(lambda: defaultdict(list))
    for score in scores:
        if score.value is None or score.system is None:
            continue
        if score.level == "dialogue":
            found[score.measure][score.system, score.dialogue_id, None].append(score.value)
        elif score.level == "response":
            found[score.measure][score.system, None, score.situation_id].append(score.value)
    return {
        measure: {side: float(np.mean(values)) for side, values in sides.items()} for measure, sides in found.items()
    }


def preference_agreement(
    pairs: Pairs,
    measure: str,
    by_side: Mapping[Side, float],
    *,
    lower: bool = False,
    margin: TieMargin = "matched",
    resampling: Resampling = DEFAULT,
) -> PreferenceAgreement:
    """Agreement of a measure's choices with people's.

    Args:
        pairs: what people chose.
        measure: its name.
        by_side: its value for each side.
        lower: whether lower values are better.
        margin: which differences are ties, see above.
        resampling: seed, resamples, confidence.

    Raises:
        UsageError: the margin is negative.
    """
    a, b = pairs.values(by_side)
    gaps = (b - a if lower else a - b).astype(np.float64)
    known = np.flatnonzero(~np.isnan(gaps))
    gaps, chosen = gaps[known], [pairs.votes[place].choice for place in known.tolist()]
    clusters = [pairs.clusters[place] for place in known.tolist()]
    width, rule = _margin(gaps, chosen, margin)
    own = choices_of(gaps, width)
    kappa = _kappa(own, chosen, clusters, resampling)
    missing = [place for place in range(len(pairs.votes)) if place not in set(known.tolist())]
    return PreferenceAgreement(
        measure=measure,
        votes=len(pairs.votes),
        scored=len(known),
        margin=width,
        margin_rule=rule,
        ties=own.count("tie") / len(own) if own else 0.0,
        kappa=kappa,
        accuracy=_accuracy(gaps, chosen, clusters, resampling),
        **_penalties(pairs, missing, gaps, own, chosen, clusters, resampling),
    )


OPPOSITE = {"a": "b", "b": "a", "tie": "a"}
"""The wrong choice that a missing one counts as."""


def _penalties(
    pairs: Pairs,
    missing: Sequence[int],
    gaps: Floats,
    own: Sequence[str],
    chosen: Sequence[str],
    clusters: Sequence[str],
    resampling: Resampling,
) -> dict[str, Estimate]:
    """Kappa and the share of decisive choices over all choices, missing ones counting as wrong; nothing if none is."""
    if not missing:
        return {}
    people = [pairs.votes[place].choice for place in missing]
    wrong = np.array([{"a": -1.0, "b": 1.0, "tie": 0.0}[choice] for choice in people])
    everyone = [*clusters, *(pairs.clusters[place] for place in missing)]
    return {
        "kappa_penalised": _kappa(
            [*own, *(OPPOSITE[each] for each in people)], [*chosen, *people], everyone, resampling
        ),
        "accuracy_penalised": _accuracy(np.concatenate([gaps, wrong]), [*chosen, *people], everyone, resampling),
    }


def choices_of(gaps: Floats, margin: float) -> list[str]:
    """Convert differences a - b to a, b or tie.

    >>> choices_of(np.array([0.3, -0.3, 0.1]), 0.1)
    ['a', 'b', 'tie']
    """
    return ["tie" if abs(gap) <= margin else "a" if gap > 0 else "b" for gap in gaps.tolist()]


def _margin(gaps: Floats, chosen: Sequence[str], margin: TieMargin) -> tuple[float, str]:
    if margin != "matched":
        if not margin >= 0:
            raise UsageError(f"margin must be 0 or more, or 'matched', got {margin!r}.")
        return float(margin), "given"
    ties = sum(choice == "tie" for choice in chosen)
    if not ties or not len(gaps):
        return 0.0, "matched: people rate no pair as a tie"
    sizes = np.sort(np.abs(gaps))
    return float(sizes[ties - 1]), f"matched: as many ties as people gave ({ties} of {len(gaps)})"


def _kappa(one: Sequence[str], other: Sequence[str], clusters: Sequence[str], resampling: Resampling) -> Estimate:
    return cohen_kappa(
        one,
        other,
        levels=CHOICES,
        clusters=clusters,
        rng=resampling.rng("preference", "kappa"),
        resamples=resampling.resamples,
        confidence=resampling.confidence,
    )


def _share(rows: Sequence[tuple[str, float]], why: Reason, resampling: Resampling) -> Estimate:
    """Mean of values of clusters."""
    if not rows:
        return Estimate(value=None, why=why)
    data = cluster_sums([[value, 1.0] for _, value in rows], [cluster for cluster, _ in rows])
    rng = resampling.rng("preference", "accuracy")
    return bootstrap_sums(data, mean_of, rng=rng, resamples=resampling.resamples, confidence=resampling.confidence)


def _accuracy(gaps: Floats, chosen: Sequence[str], clusters: Sequence[str], resampling: Resampling) -> Estimate:
    """Share of decisive votes on whose side the measure is."""
    rows = [
        (cluster, 0.5 if gap == 0 else float((gap > 0) == (choice == "a")))
        for gap, choice, cluster in zip(gaps.tolist(), chosen, clusters, strict=True)
        if choice != "tie"
    ]
    return _share(rows, Reason.of(ReasonCode.NO_DECISIVE_VOTE_WITH_VALUES), resampling)


def noise_ceiling(pairs: Pairs, *, resampling: Resampling = DEFAULT) -> PreferenceAgreement | None:
    """Agreement between two people's choices on the same pair, the upper bound for any measure.

    Every two people of every pair count, once in each order. None where no pair was judged by two people.
    """
    rows = [
        (pair, one, other)
        for pair, given in sorted(_group_by_pair(pairs).items())
        for one, other in permutations([given[rater] for rater in sorted(given)], 2)
    ]
    if not rows:
        return None
    decisive = [(pair, float(one == other)) for pair, one, other in rows if "tie" not in (one, other)]
    return PreferenceAgreement(
        measure=CEILING,
        votes=len(pairs.votes),
        scored=len(rows) // 2,
        margin=0.0,
        margin_rule="people",
        ties=sum(one == "tie" for _, one, _ in rows) / len(rows),
        kappa=_kappa(
            [one for _, one, _ in rows], [other for *_, other in rows], [pair for pair, *_ in rows], resampling
        ),
        accuracy=_share(decisive, Reason.of(ReasonCode.NO_PAIR_CHOSEN_TWICE), resampling),
    )


def _group_by_pair(pairs: Pairs) -> dict[str, dict[str, str]]:
    """Choices by pair and person, with the two sides always in the same order."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for vote in pairs.votes:
        if vote.rater:
            turned = str(side_of(vote, "a")) > str(side_of(vote, "b"))
            choice = {"a": "b", "b": "a", "tie": "tie"}[vote.choice] if turned else vote.choice
            found[_pair(vote)][vote.rater] = choice
    return found
