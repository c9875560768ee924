"""Records of alignment profiles, and their report sections."""

from collections.abc import Sequence
from typing import ClassVar

from trialogue.findings.records import CellValue, Noted, Section, Values, columns
from trialogue.findings.wording import render_estimate
from trialogue.records import Estimate, Record

STAGES: tuple[tuple[int, int], ...] = ((1, 1), (2, 2), (3, 4), (5, 7), (8, 12), (13, 10_000))
"""System turns of a conversation, from 1, that are looked at together."""


class Substitution(Record):
    """A system's strategy in place of the human one."""

    strategy: str
    """Strategy that the system used in place of the human's."""
    n: int
    """Number of replies in which it did."""


class StrategyRecall(Record):
    """Recall of one human strategy."""

    strategy: str
    """Strategy of the human recommender."""
    recall: Estimate
    """Share of these replies in which the system used the same strategy."""
    instead: tuple[Substitution, ...]
    """Other strategies of the system, most frequent first."""


class TurnRange(Record):
    """A range of turns."""

    turns: str
    """Range of turns, from 1, such as ``"3-4"``."""
    match: Estimate
    """Share of replies with the human's strategy there."""


class StrategyRate(Record):
    """Rate of one strategy, corrected with people's labels."""

    strategy: str
    """Name of the strategy, such as ``opinion_inquiry``."""
    human: Estimate
    """Share of references with it."""
    system: Estimate
    """Share of replies with it."""
    difference: Estimate | None
    """The system's share minus the human's; None where one of them has no estimate."""
    modelled_human: float
    """The model's mean probability of it in the references, uncorrected."""
    modelled_system: float
    """The same in the replies."""
    labels: int
    """Replies with labels of people."""


class AlignmentProfile(Record):
    """Alignment profile of one system."""

    kind: ClassVar[str] = "alignment_profile"

    system: str
    """Name of the system."""
    n: int
    """Replies with labels on both sides."""
    recalls: tuple[StrategyRecall, ...]
    """Every strategy that people used, the most frequent first."""
    human_mix: dict[str, float]
    """Share of each strategy in the references."""
    system_mix: dict[str, float]
    """Share of each strategy in the replies."""
    distance: Estimate
    """Jensen-Shannon distance of the two mixes, 0 (alike) to 1 (nothing in common); base 2, square root; without what
    sampling adds."""
    distance_by_chance: float
    """The mean distance where the two sides of each conversation are swapped at random: what would be there if they did not
    differ."""
    stages: tuple[TurnRange, ...]
    """Share of matches by range of turns, in order; ranges without a pair are missing."""
    rates: tuple[StrategyRate, ...] = ()
    """Rate of each strategy, corrected with people's labels; empty without a model's probabilities or with fewer than ten
    labels on a side."""


def turn_range(low: int, high: int) -> str:
    """Turn range in words.

    >>> turn_range(3, 4), turn_range(1, 1), turn_range(13, 10_000)
    ('3-4', '1', '13 and later')
    """
    return str(low) if low == high else f"{low} and later" if high > 1_000 else f"{low}-{high}"


def alignment_sections(profiles: Sequence[AlignmentProfile], *, figures: bool = False) -> tuple[Section, ...]:
    """Report sections of the profiles; none without profiles.

    A cell of several lines has its number in the first.

    Args:
        profiles: profiles of the systems.
        figures: whether ``figures/alignment-mix.svg`` and ``figures/alignment-turns.svg`` are there to be linked.
    """
    if not profiles:
        return ()
    return (
        Section(
            title="Which strategies systems use where people used a different one",
            sentences=(
                *(_describe_confusions(one) for one in profiles),
                (
                    "Each cell: how often the system used the strategy where the human did, as a share and as a "
                    "count, and what it used most often instead."
                ),
            ),
            file="strategy-recall",
            columns=columns("The human", *(one.system for one in profiles)),
            rows=_recall_rows(profiles),
        ),
        Section(
            title="How often each strategy is used",
            sentences=(
                *(_describe_mixes(one) for one in profiles),
                "Distances are Jensen–Shannon distances, from 0 (the same mix) to 1 (nothing in common).",
            ),
            file="strategy-mix",
            columns=columns("Strategy", "The human", *(one.system for one in profiles), values=Values.SHARES),
            rows=_mix_rows(profiles),
            page="figures/alignment-mix.svg" if figures else None,
        ),
        *_rate_sections(profiles),
        Section(
            title="Alignment turn by turn",
            sentences=("Share of replies with the human's strategy, by the system's turn number.",),
            file="strategy-turns",
            columns=columns("Turn", *(one.system for one in profiles)),
            rows=_stage_rows(profiles),
            page="figures/alignment-turns.svg" if figures else None,
        ),
    )


def _rate_sections(profiles: Sequence[AlignmentProfile]) -> tuple[Section, ...]:
    """Corrected rates, one table for all systems; () where no system has any."""
    known = [one for one in profiles if one.rates]
    if not known:
        return ()
    names = list(dict.fromkeys(rate.strategy for one in known for rate in one.rates))
    by_name = [{rate.strategy: rate for rate in one.rates} for one in known]
    labels = sorted({rate.labels for one in known for rate in one.rates})
    counts = f"{labels[0]}" if len(labels) == 1 else f"{labels[0]} to {labels[-1]}"
    return (
        Section(
            title="How often each strategy is used, corrected with labels",
            sentences=(
                f"Shares of replies and of references, estimated from a model's probabilities for all and people's labels "
                f"for {counts} replies of each system (prediction-powered, 95% intervals over dialogues). Each strategy is "
                "estimated separately, so shares need not sum to 1, and intervals hold individually. The uncorrected share "
                "is the model's mean probability.",
            ),
            file="strategy-rates",
            columns=columns(
                "Strategy",
                *(
                    head
                    for one in known
                    for head in (f"The human, for {one.system}", one.system, f"{one.system}, uncorrected")
                ),
            ),
            rows=tuple(
                (
                    plain(name),
                    *(
                        cell
                        for rates in by_name
                        for cell in (
                            (rates[name].human, rates[name].system, rates[name].modelled_system)
                            if name in rates
                            else (None, None, None)
                        )
                    ),
                )
                for name in names
            ),
        ),
    )


def _describe_confusions(profile: AlignmentProfile) -> str:
    """Overall recall and the most frequent confusion, which good systems have, too."""
    same = sum(_hits(one.recall) for one in profile.recalls)
    said = f"{profile.system} used the human's strategy in {same} of {profile.n} replies"
    worst = max(profile.recalls, key=lambda one: one.instead[0].n if one.instead else 0)
    if not worst.instead:
        return f"{said}."
    human, system, times = plain(worst.strategy), plain(worst.instead[0].strategy), worst.instead[0].n
    return (
        f"{said}. Its most common deviation: {system} where the human used {human}, {times} of {worst.recall.n} times."
    )


def plain(strategy: str) -> str:
    """Readable name of a strategy.

    >>> plain("experience_inquiry")
    'experience inquiry'
    """
    return strategy.replace("_", " ")


def _hits(share: Estimate) -> int:
    """Number of units counted by a share."""
    return round((share.value or 0.0) * share.n)


def _describe_mixes(profile: AlignmentProfile) -> str:
    """Distance between the strategy mixes and the largest differences, in percentage points."""
    gaps = {
        name: profile.system_mix.get(name, 0.0) - profile.human_mix.get(name, 0.0)
        for name in {*profile.system_mix, *profile.human_mix}
    }
    more = max(sorted(gaps), key=lambda name: gaps[name])
    less = min(sorted(gaps), key=lambda name: gaps[name])
    said = (
        f"{profile.system}: its strategy mix has distance {render_estimate(profile.distance)} from the human's "
        f"({profile.distance_by_chance:.2f} expected by chance)"
    )
    if gaps[more] < 1e-9:
        return f"{said}; it uses every strategy equally often."
    over, under = (f"{plain(name)}, by {_points(abs(gaps[name]))}" for name in (more, less))
    return f"{said}. Most overused: {over}; most underused: {under}."


def _points(share: float) -> str:
    """A difference of two shares.

    >>> _points(0.089), _points(0.01), _points(0.002)
    ('9 percentage points', '1 percentage point', 'less than 1 percentage point')
    """
    points = round(100 * share)
    return "less than 1 percentage point" if points < 1 else f"{points} percentage point{'s' if points > 1 else ''}"


def _strategies(profiles: Sequence[AlignmentProfile]) -> list[str]:
    """Every strategy that anybody used, by how often people did."""
    used = {name for one in profiles for name in (*one.human_mix, *one.system_mix)}
    return sorted(used, key=lambda name: (-max(one.human_mix.get(name, 0.0) for one in profiles), name))


def _recall_rows(profiles: Sequence[AlignmentProfile]) -> tuple[tuple[CellValue, ...], ...]:
    known = [{each.strategy: each for each in one.recalls} for one in profiles]
    names = [name for name in _strategies(profiles) if any(name in one for one in known)]
    return tuple((plain(name), *(_recall(one.get(name)) for one in known)) for name in names)


def _recall(found: StrategyRecall | None) -> CellValue:
    if found is None:
        return None
    return _share_cell(found.recall, *(f"{plain(each.strategy)} {each.n}" for each in found.instead[:2]))


def _share_cell(share: Estimate, *others: str) -> Noted:
    """A share of few things, its count and what the others were; of what has no interval the count alone."""
    note = "\n".join(part for part in (f"{_hits(share)} of {share.n}", ", ".join(others)) if part)
    return Noted(value=None if share.interval is None else share, note=note)


def _mix_rows(profiles: Sequence[AlignmentProfile]) -> tuple[tuple[CellValue, ...], ...]:
    most = max(profiles, key=lambda one: one.n)
    mixes = (most.human_mix, *(one.system_mix for one in profiles))
    return tuple((plain(name), *(mix.get(name, 0.0) for mix in mixes)) for name in _strategies(profiles))


def _stage_rows(profiles: Sequence[AlignmentProfile]) -> tuple[tuple[CellValue, ...], ...]:
    known = [{each.turns: each.match for each in one.stages} for one in profiles]
    names = [turn_range(*stage) for stage in STAGES if any(turn_range(*stage) in one for one in known)]
    shares = [[one.get(name) for one in known] for name in names]
    return tuple(
        (name.replace("-", "–"), *(share and _share_cell(share) for share in row))
        for name, row in zip(names, shares, strict=True)
    )
