"""Where alignment is won and lost, as records, and as sections of a report."""

from collections.abc import Sequence
from typing import ClassVar

from trialogue.metaeval.answer import written
from trialogue.metaeval.findings import Section
from trialogue.records import Estimate, Record

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
    """Jensen-Shannon distance of the two mixes, 0 (alike) to 1 (nothing in common); base 2, square root; without what
    sampling adds."""
    distance_by_chance: float
    """The mean distance where the two sides of each conversation are swapped at random: what would be there if they did not
    differ."""
    stages: tuple[Stage, ...]
    """Turn by turn."""


def named(low: int, high: int) -> str:
    """Turns in words.

    >>> named(3, 4), named(1, 1), named(13, 10_000)
    ('3-4', '1', '13 and later')
    """
    return str(low) if low == high else f"{low} and later" if high > 1_000 else f"{low}-{high}"


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
    names = [named(*stage) for stage in STAGES if any(named(*stage) in one for one in known)]
    return tuple((name, *(_stage(one.get(name)) for one in known)) for name in names)


def _stage(found: Estimate | None) -> str:
    return "—" if found is None else f"{written(found)} of {found.n}"
