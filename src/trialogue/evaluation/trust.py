"""May the implicit estimate be believed here? Where people labelled some replies, theirs is the test."""

from collections.abc import Iterable, Iterator

import numpy as np

from trialogue.evaluation.labelling import by_people
from trialogue.metrics import Conversation, Undefined
from trialogue.metrics.base import Array
from trialogue.metrics.behavior_alignment import BehaviorAlignment
from trialogue.metrics.implicit_alignment import GRID, likeliest_share, on_grid, same_strategy
from trialogue.records import Estimate
from trialogue.seeds import rng_for
from trialogue.stats import bootstrap_sums, cluster_sums

LEAST_PAIRS = 20  # labelled pairs of a system from which the two are compared
EDGE = 0.005  # estimates this near to 0 or 1 sit at the end of the scale


def doubts(conversations: Iterable[Conversation], *, seed: int = 0, resamples: int = 1_000) -> Iterator[str]:
    """A sentence for each system whose implicit estimate is contradicted by people's labels, or sits at an end.

    Args:
        conversations: replies with beliefs; those with labels of people on both sides are the test.
        seed: of the interval of the gap.
        resamples: bootstrap replicates.
    """
    metric = BehaviorAlignment()
    by_system: dict[str, list[Conversation]] = {}
    for conversation in conversations:
        by_system.setdefault(conversation.system, []).append(conversation)
    for system, own in sorted(by_system.items()):
        chances, clusters, matches, labelled = _pairs(own, metric)
        if not len(chances):
            continue
        rows = np.column_stack([on_grid(chances), matches])[labelled]
        value = float(likeliest_share(on_grid(chances).sum(axis=0)))
        if len(rows) >= LEAST_PAIRS:
            kept = [cluster for cluster, is_kept in zip(clusters, labelled.tolist(), strict=True) if is_kept]
            rng = rng_for(seed, "doubts", system)
            gap = bootstrap_sums(cluster_sums(rows, kept), _gap, rng=rng, resamples=resamples)
            if _contradicted(gap):
                truth, said = float(rows[:, -1].mean()), float(likeliest_share(rows[:, :-1].sum(axis=0)))
                yield (
                    f"{system}: on {len(rows)} replies that people labelled too, the model estimates {said:.2f} where "
                    f"people say {truth:.2f}. Do not rely on implicit alignment here; explicit alignment, or labels of "
                    "people with implicit_alignment@ppi, do not depend on the model being right."
                )
                continue
        if len(chances) >= LEAST_PAIRS and not EDGE < value < 1 - EDGE:
            yield (
                f"{system}: the implicit estimate sits at {value:.0f}, the end of the scale. Mostly that means texts of "
                "another kind than those the model was calibrated on; have some labelled (--label-file)."
            )


def _pairs(
    conversations: Iterable[Conversation], metric: BehaviorAlignment
) -> tuple[Array, list[str], Array, np.ndarray]:
    """Probability, cluster, match and whether people labelled it, of every counted pair."""
    rows: list[tuple[float, str, float, bool]] = []
    for conversation in conversations:
        for reply in conversation.replies:
            found = metric.statistics(reply)
            if isinstance(found, Undefined) or reply.reference is None:
                continue
            chance = same_strategy(reply.reference.strategy_distribution, reply.utterance.strategy_distribution)
            if not isinstance(chance, Undefined):
                people = by_people(reply.reference) and by_people(reply.utterance)
                rows.append((chance, conversation.cluster, found[0], people))
    return (
        np.array([row[0] for row in rows]),
        [row[1] for row in rows],
        np.array([row[2] for row in rows]),
        np.array([row[3] for row in rows], dtype=bool),
    )


def _gap(sums: Array) -> Array:
    """The model's estimate minus people's share of matches, shape (...) from (..., 65 + 1)."""
    grid = sums[..., : len(GRID)]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(likeliest_share(grid) - sums[..., -1] / grid.sum(axis=-1))


def _contradicted(gap: Estimate) -> bool:
    interval = gap.interval
    return interval is not None and not interval.contains(0.0)
