"""Where alignment is lost: strategy by strategy, in the mix of strategies, and turn by turn.

Rests on the same replies as ``behavior_alignment`` by default: the first strategies of both sides, first turns left out.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from trialogue.metaeval.answer import written
from trialogue.metaeval.findings import Section
from trialogue.metrics import Conversation, Undefined, get_metric
from trialogue.metrics.base import Summed
from trialogue.metrics.strategy_sets import CLASSES, Reading
from trialogue.records import Estimate, Record
from trialogue.seeds import rng_for
from trialogue.stats import bootstrap_sums, bounded_share, cluster_sums

Array = NDArray[np.float64]
RESAMPLES, SWAPS = 1_000, 200
MOST_CONFUSED = 3
STAGES: tuple[tuple[int, int], ...] = ((1, 1), (2, 2), (3, 4), (5, 7), (8, 12), (13, 10_000))
"""System turns of a conversation, from 1, that are looked at together."""


class Instead(Record):
    """What a system did in place of what people did."""

    strategy: str
    """The system's strategy."""
    n: int
    """How often."""


class StrategyRecall(Record):
    """One strategy of people."""

    strategy: str
    """What the human recommender did."""
    recall: Estimate
    """How often the system did the same there."""
    instead: tuple[Instead, ...]
    """What it did otherwise, most often first."""


class Stage(Record):
    """Some turns of conversations."""

    turns: str
    """Which, such as ``"3-4"``, from 1."""
    match: Estimate
    """Share of replies with the human's strategy there."""


class AlignmentProfile(Record):
    """Where one system's alignment is won and lost."""

    kind: ClassVar[str] = "alignment_profile"

    system: str
    """The system."""
    n: int
    """Replies with labels on both sides."""
    recalls: tuple[StrategyRecall, ...]
    """Every strategy that people used, the most frequent first."""
    human_mix: dict[str, float]
    """Share of each strategy in the references."""
    system_mix: dict[str, float]
    """Share of each strategy in the replies."""
    distance: Estimate
    """Jensen-Shannon distance of the two mixes, 0 (alike) to 1 (nothing in common); base 2, square root."""
    distance_by_chance: float
    """The mean distance where the two sides of each conversation are swapped at random: what would be there if they did not
    differ. A distance of few replies is never 0."""
    stages: tuple[Stage, ...]
    """Turn by turn."""


@dataclass(frozen=True, eq=False)
class _Pairs:
    human: NDArray[np.int64]
    system: NDArray[np.int64]
    turn: NDArray[np.int64]
    cluster: list[str]


def alignment_profiles(
    conversations: Iterable[Conversation], *, seed: int = 0, resamples: int = RESAMPLES
) -> tuple[AlignmentProfile, ...]:
    """The profile of each system, in alphabetical order; systems without any labelled pair have none.

    Args:
        conversations: replies to situations with references.
        seed: of intervals and swaps.
        resamples: bootstrap replicates of every interval; conversations are drawn.
    """
    by_system: dict[str, list[Conversation]] = {}
    for conversation in conversations:
        by_system.setdefault(conversation.system, []).append(conversation)
    found = ((system, _pairs(own)) for system, own in sorted(by_system.items()))
    return tuple(_profile(system, pairs, seed, resamples) for system, pairs in found if len(pairs.human))


def _pairs(conversations: Sequence[Conversation]) -> _Pairs:
    metric, reading = get_metric("behavior_alignment"), Reading()
    assert isinstance(metric, Summed)
    columns = {name: place for place, name in enumerate(CLASSES)}
    rows = []
    for conversation in conversations:
        for reply in conversation.replies:
            if isinstance(metric.statistics(reply), Undefined) or reply.reference is None:
                continue
            sides = [reading.of(one, whose="a side") for one in (reply.reference, reply.utterance)]
            human, system = (columns[side[0]] for side in sides if not isinstance(side, Undefined))
            rows.append((human, system, reply.turn + 1, conversation.cluster))
    table = np.array([row[:3] for row in rows], dtype=np.int64).reshape(-1, 3)
    return _Pairs(table[:, 0], table[:, 1], table[:, 2], [row[3] for row in rows])


def _profile(system: str, pairs: _Pairs, seed: int, resamples: int) -> AlignmentProfile:
    frequent = Counter(pairs.human.tolist())
    order = sorted(frequent, key=lambda column: (-frequent[column], column))

    def share(mask: NDArray[np.bool_], name: str) -> Estimate:
        hits = pairs.human == pairs.system
        rows = np.column_stack([hits & mask, mask])[mask]
        clusters = [cluster for cluster, kept in zip(pairs.cluster, mask.tolist(), strict=True) if kept]
        rng = rng_for(seed, "alignment profile", system, name)
        found = bootstrap_sums(
            cluster_sums(rows, clusters), lambda sums: sums[..., 0] / sums[..., 1], rng=rng, resamples=resamples
        )
        return bounded_share(found)

    recalls = tuple(
        StrategyRecall(
            strategy=CLASSES[column],
            recall=share(pairs.human == column, CLASSES[column]),
            instead=_instead(pairs, column),
        )
        for column in order
    )
    stages = tuple(
        Stage(turns=_named(low, high), match=share(mask, f"turn {low}"))
        for low, high in STAGES
        if (mask := (pairs.turn >= low) & (pairs.turn <= high)).any()
    )
    return AlignmentProfile(
        system=system,
        n=len(pairs.human),
        recalls=recalls,
        human_mix=_mix(pairs.human),
        system_mix=_mix(pairs.system),
        distance=_distance(pairs, system, seed, resamples),
        distance_by_chance=_by_chance(pairs, system, seed),
        stages=stages,
    )


def _instead(pairs: _Pairs, column: int) -> tuple[Instead, ...]:
    others = Counter(pairs.system[(pairs.human == column) & (pairs.system != column)].tolist())
    order = sorted(others, key=lambda other: (-others[other], other))[:MOST_CONFUSED]
    return tuple(Instead(strategy=CLASSES[other], n=others[other]) for other in order)


def _named(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} and later" if high > 1_000 else f"{low}-{high}"


def _mix(columns: NDArray[np.int64]) -> dict[str, float]:
    shares = np.bincount(columns, minlength=len(CLASSES)) / len(columns)
    return {name: float(share) for name, share in zip(CLASSES, shares, strict=True) if share > 0}


def _counts(pairs: _Pairs) -> Array:
    """Each side's strategy, one-hot, shape (n, 2 * 14)."""
    both = np.eye(len(CLASSES))
    return np.concatenate([both[pairs.human], both[pairs.system]], axis=1)


def jensen_shannon(sums: Array) -> Array:
    """Distance of the two mixes in counts of shape (..., 2 k), first side first; shape (...), 0 to 1.

    The square root of the mean of both divergences from their mean, base 2. Lin (1991); Endres & Schindelin (2003).

    >>> float(jensen_shannon(np.array([1.0, 0.0, 0.0, 1.0]))), float(jensen_shannon(np.array([1.0, 1.0, 5.0, 5.0])))
    (1.0, 0.0)
    """
    half = sums.shape[-1] // 2
    p, q = sums[..., :half], sums[..., half:]
    p, q = p / p.sum(axis=-1, keepdims=True), q / q.sum(axis=-1, keepdims=True)
    middle = (p + q) / 2

    def divergence(one: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(one > 0, one * np.log2(one / middle), 0.0)
        return np.asarray(terms.sum(axis=-1))

    return np.sqrt(np.clip((divergence(p) + divergence(q)) / 2, 0, 1))


def _distance(pairs: _Pairs, system: str, seed: int, resamples: int) -> Estimate:
    data = cluster_sums(_counts(pairs), pairs.cluster)
    rng = rng_for(seed, "mix", system)
    return bootstrap_sums(data, jensen_shannon, rng=rng, resamples=resamples, method="bca")


def _by_chance(pairs: _Pairs, system: str, seed: int) -> float:
    sums = cluster_sums(_counts(pairs), pairs.cluster).sums
    half = sums.shape[1] // 2
    swapped = np.concatenate([sums[:, half:], sums[:, :half]], axis=1)
    coins = rng_for(seed, "swaps", system).random((SWAPS, len(sums))) < 0.5
    return float(jensen_shannon(np.where(coins[:, :, None], swapped, sums).sum(axis=1)).mean())


def alignment_sections(profiles: Sequence[AlignmentProfile], *, figures: bool = False) -> tuple[Section, ...]:
    """The profiles as sections of a report; nothing for no profiles.

    Args:
        profiles: of the systems.
        figures: whether ``figures/alignment-mix.svg`` and ``figures/alignment-turns.svg`` are there to be linked.
    """
    if not profiles:
        return ()
    return (
        Section(
            title="Where people did one thing and systems another",
            sentences=tuple(_confused(one) for one in profiles),
            heads=("The human", *(one.system for one in profiles)),
            rows=_recall_rows(profiles),
        ),
        Section(
            title="How often each strategy is used",
            sentences=tuple(_mixed(one) for one in profiles),
            heads=("Strategy", "The human", *(one.system for one in profiles)),
            rows=_mix_rows(profiles),
            page="figures/alignment-mix.svg" if figures else None,
        ),
        Section(
            title="Alignment turn by turn",
            sentences=("Share of replies with the human's strategy, by the number of the system's turn.",),
            heads=("Turn", *(one.system for one in profiles)),
            rows=_stage_rows(profiles),
            page="figures/alignment-turns.svg" if figures else None,
        ),
    )


def _confused(profile: AlignmentProfile) -> str:
    """The commonest single mistake, in words."""
    worst = max(profile.recalls, key=lambda one: one.instead[0].n if one.instead else 0)
    if not worst.instead:
        return f"{profile.system} always did what the human did."
    human, system = worst.strategy.replace("_", " "), worst.instead[0].strategy.replace("_", " ")
    times = worst.instead[0].n
    return f"{profile.system}: of {worst.recall.n} times that the human used {human}, it used {system} {times} times."


def _mixed(profile: AlignmentProfile) -> str:
    gaps = {
        name: profile.system_mix.get(name, 0.0) - profile.human_mix.get(name, 0.0)
        for name in {*profile.system_mix, *profile.human_mix}
    }
    more = max(sorted(gaps), key=lambda name: gaps[name])
    less = min(sorted(gaps), key=lambda name: gaps[name])
    return (
        f"{profile.system}: distance of the mixes {written(profile.distance)} (Jensen-Shannon; by chance alone "
        f"{profile.distance_by_chance:.2f}); most overused {more.replace('_', ' ')} ({gaps[more]:+.0%}), most underused "
        f"{less.replace('_', ' ')} ({gaps[less]:+.0%})."
    )


def _strategies(profiles: Sequence[AlignmentProfile]) -> list[str]:
    """Every strategy that anybody used, by how often people did."""
    used = {name for one in profiles for name in (*one.human_mix, *one.system_mix)}
    return sorted(used, key=lambda name: (-max(one.human_mix.get(name, 0.0) for one in profiles), name))


def _recall_rows(profiles: Sequence[AlignmentProfile]) -> tuple[tuple[str, ...], ...]:
    known = [{each.strategy: each for each in one.recalls} for one in profiles]
    names = [name for name in _strategies(profiles) if any(name in one for one in known)]
    return tuple((name, *(_recall(one.get(name)) for one in known)) for name in names)


def _recall(found: StrategyRecall | None) -> str:
    if found is None:
        return "—"
    others = ", ".join(f"{each.strategy} {each.n}" for each in found.instead[:2])
    return f"{written(found.recall)} of {found.recall.n}" + (f"; {others}" if others else "")


def _mix_rows(profiles: Sequence[AlignmentProfile]) -> tuple[tuple[str, ...], ...]:
    most = max(profiles, key=lambda one: one.n)
    return tuple(
        (
            name,
            f"{most.human_mix.get(name, 0.0):.0%}",
            *(f"{one.system_mix.get(name, 0.0):.0%}" for one in profiles),
        )
        for name in _strategies(profiles)
    )


def _stage_rows(profiles: Sequence[AlignmentProfile]) -> tuple[tuple[str, ...], ...]:
    known = [{each.turns: each.match for each in one.stages} for one in profiles]
    names = [_named(*stage) for stage in STAGES if any(_named(*stage) in one for one in known)]
    return tuple((name, *(_stage(one.get(name)) for one in known)) for name in names)


def _stage(found: Estimate | None) -> str:
    return "—" if found is None else f"{written(found)} of {found.n}"
