"""Inter-rater agreement, with every coefficient that the data allow."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.stats import cohen_kappa, fleiss_kappa, krippendorff_alpha, percent_agreement, reliability
from trialogue.stats.raters.kappa import gwet_ac1
from trialogue.subjects.people.records import Agreement

SHARED = 10  # things that two raters must share before their kappa is counted
RESAMPLES = 2_000

Table = Mapping[Hashable, Mapping[str, Any]]
"""For each rated thing what each rater gave it."""


def pack_ratings(table: Table) -> list[list[Any]]:
    """One row per item: its ratings, padded with None; raters are interchangeable."""
    most = max((len(given) for given in table.values()), default=0)
    return [[*given.values(), *[None] * (most - len(given))] for given in table.values()]


def numeric_agreement(
    table: Table, groups: Mapping[Hashable, Hashable], *, rng: np.random.Generator
) -> tuple[Agreement, ...]:
    """Agreement coefficients for scale ratings.

    Args:
        table: ratings.
        groups: what things belong together (replies to one situation): whole groups are drawn.
        rng: source of randomness.
    """
    rows = pack_ratings(table)
    clusters = [groups[thing] for thing in table]
    if not any(len(given) >= 2 for given in table.values()):
        why = Reason.of(ReasonCode.NOTHING_RATED_TWICE)
        return (Agreement(name="Krippendorff's alpha, ordinal", estimate=Estimate(value=None, why=why)),)
    alpha = krippendorff_alpha(rows, level="ordinal", clusters=clusters, rng=rng, resamples=RESAMPLES)
    single = [(thing, rater, value) for thing, given in table.items() for rater, value in given.items()]
    parts = reliability([one[2] for one in single], [one[0] for one in single], [one[1] for one in single])
    return (
        Agreement(name="Krippendorff's alpha, ordinal", estimate=alpha, note="every rating, gaps allowed"),
        Agreement(
            name="Krippendorff's alpha, interval",
            estimate=krippendorff_alpha(rows, level="interval", clusters=clusters, rng=rng, resamples=RESAMPLES),
        ),
        _fleiss(table, groups, rng),
        _cohen(table, groups, rng, weights="quadratic"),
        Agreement(
            name="ICC(2,1)",
            estimate=parts.single,
            note="one rating; variance components of a mixed model, gaps allowed",
        ),
        Agreement(
            name="ICC(2,k)",
            estimate=parts.mean,
            note=f"mean of the {parts.raters:.3g} ratings per unit (harmonic mean)",
        ),
        Agreement(
            name="Correlation within raters",
            estimate=parts.within_rater,
            note="correlation of two ratings of different units by one person: above 0, ratings are not independent",
        ),
        Agreement(
            name="Correlation within raters, one-way",
            estimate=parts.within_rater_one_way,
            note="variance between persons / (that + residual), without a term for units"
            + ("" if parts.design_effect is None else f"; design effect 1 + (m - 1) ICC = {parts.design_effect:.3g}"),
        ),
    )


def nominal_agreement(
    table: Table, groups: Mapping[Hashable, Hashable], *, rng: np.random.Generator
) -> tuple[Agreement, ...]:
    """Agreement coefficients for nominal labels."""
    rows = pack_ratings(table)
    clusters = [groups[thing] for thing in table]
    if not any(len(given) >= 2 for given in table.values()):
        why = Reason.of(ReasonCode.NOTHING_JUDGED_TWICE)
        return (Agreement(name="Krippendorff's alpha, nominal", estimate=Estimate(value=None, why=why)),)
    alpha = krippendorff_alpha(rows, level="nominal", clusters=clusters, rng=rng, resamples=RESAMPLES)
    return (
        Agreement(name="Krippendorff's alpha, nominal", estimate=alpha, note="every judgement, gaps allowed"),
        _fleiss(table, groups, rng),
        _cohen(table, groups, rng, weights="none"),
        Agreement(
            name="Gwet's AC1",
            estimate=gwet_ac1(rows, clusters=clusters, rng=rng, resamples=RESAMPLES),
            note="defines chance agreement differently; stays high where one label dominates",
        ),
        Agreement(
            name="Equal pairs",
            estimate=percent_agreement(rows, clusters=clusters, rng=rng, resamples=RESAMPLES),
            note="share of pairs of judgements of the same unit that are equal, not corrected for chance",
        ),
    )


def _fleiss(table: Table, groups: Mapping[Hashable, Hashable], rng: np.random.Generator) -> Agreement:
    """Over the things that have the commonest number of ratings, since it takes no other."""
    sizes = Counter(len(given) for given in table.values() if len(given) >= 2)
    size = max(sizes, key=lambda count: (sizes[count], count))
    chosen = {thing: given for thing, given in table.items() if len(given) == size}
    estimate = fleiss_kappa(
        pack_ratings(chosen), clusters=[groups[thing] for thing in chosen], rng=rng, resamples=RESAMPLES
    )
    left = sum(sizes.values()) - len(chosen)
    note = f"the {len(chosen):,} units with {size} judgements" + (f"; {left:,} others left out" if left else "")
    return Agreement(name="Fleiss' kappa", estimate=estimate, note=note)


def _cohen(table: Table, groups: Mapping[Hashable, Hashable], rng: np.random.Generator, *, weights: Any) -> Agreement:
    """Cohen's kappa of two raters; of more, the mean over pairs with enough common units (Light 1971)."""
    name = "Cohen's kappa" + (", quadratic weights" if weights == "quadratic" else "")
    shared: dict[tuple[str, str], list[Hashable]] = defaultdict(list)
    for thing, given in table.items():
        for pair in combinations(sorted(given), 2):
            shared[pair].append(thing)
    usable = {pair: things for pair, things in shared.items() if len(things) >= SHARED}
    if not usable:
        why = Reason.of(ReasonCode.NO_SHARED_ITEMS, items=SHARED)
        return Agreement(name=name, estimate=Estimate(value=None, why=why))
    # Exactly two raters: Cohen's kappa itself, which has an interval.
    if len(usable) == 1 and len(shared) == 1:
        ((a, b), things) = next(iter(usable.items()))
        estimate = cohen_kappa(
            [table[thing][a] for thing in things],
            [table[thing][b] for thing in things],
            weights=weights,
            clusters=[groups[thing] for thing in things],
            rng=rng,
            resamples=RESAMPLES,
        )
        return Agreement(name=name, estimate=estimate, note=f"two raters, {len(things):,} units")
    # Several raters: pairs share raters and units, so the mean of their kappas gets no interval, and says so.
    found = [
        (cohen_kappa([table[t][a] for t in things], [table[t][b] for t in things], weights=weights).value, len(things))
        for (a, b), things in sorted(usable.items())
    ]
    values = [(value, count) for value, count in found if value is not None]
    if not values:
        return Agreement(name=name, estimate=Estimate(value=None, why=Reason.of(ReasonCode.RATERS_USED_ONE_LABEL)))
    total = sum(count for _, count in values)
    mean = sum(value * count for value, count in values) / total
    why = Reason.of(ReasonCode.MEAN_OF_RATER_PAIRS, pairs=len(values))
    return Agreement(
        name=name,
        estimate=Estimate(value=mean, n=total, why=why),
        note=f"mean over the {len(values)} pairs of raters who share at least {SHARED} units (Light 1971)",
    )
