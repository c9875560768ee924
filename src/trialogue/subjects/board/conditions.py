"""Conditions of a value: two values are comparable only if all of them are equal.

What differs is a typed reason, in a fixed order: the instrument first, then the estimand, the gate, and the population.
"""

import hashlib
from collections.abc import Iterator
from typing import Literal

from trialogue.records import JsonValue, PopulationKind, Raters, Reason, ReasonCode, Record, Scale

SHORT = 12  # hex digits of a key that a reader compares


class Met(Record):
    """What one run of a row met."""

    kind_of: PopulationKind
    """Whether these are situations, or dialogues with people or simulated users."""
    units: int
    """How many dialogues or situations."""
    sample: str | None
    """Fingerprint; for people, that of all dialogues of the run. None: unknown."""


class Conditions(Record):
    """Everything that two values must share to be comparable."""

    measure: str
    """Full name of the measure, with parameters, variant and version."""
    better: Literal["higher", "lower", "neither"]
    """Which values are better; ``neither``: the measure ranks nothing."""
    unit: str
    """Unit of the values."""
    labels_from: tuple[str, ...] = ()
    """Who made the labels or beliefs that it reads."""
    is_calibrated: bool = False
    """Whether it rests on a calibration fitted on other data."""
    counts_failures: bool = False
    """Whether failed dialogues count as the worst value; else they are left out."""
    scale: Scale | None = None
    """Scale of people's answers, where it was declared."""
    raters: tuple[Raters, ...] = ()
    """The kinds of those who rated."""
    users: str | None = None
    """The kind of simulated users."""
    user_models: tuple[str, ...] = ()
    """Language models that played the users."""
    excluded: tuple[str, ...] = ()
    """Rules by which dialogues were left out, as JSON."""
    blocks: tuple[str, ...] = ()
    """Threats that block a verdict beyond the usual ones."""
    met: tuple[Met, ...]
    """What each run met, in a fixed order; one entry a run."""

    @property
    def shared(self) -> "Conditions":
        """The conditions that values of several pooled runs share: the same needs or situations; of people, any.

        That people may differ is a threat (``ThreatCode.UNASSIGNED_PEOPLE``).
        """
        return self.model_copy(update={"met": tuple(_any_people(each) for each in self.met)})

    @property
    def of_any_sample(self) -> "Conditions":
        """The conditions without what was met, apart from its kind: pairs are formed of what both met."""
        return self.model_copy(update={"met": tuple(_any_units(each) for each in self.met)})

    @property
    def key(self) -> str:
        """Short hash of the shared conditions; values with different keys are never ranked together."""
        return hashlib.sha256(self.shared.model_dump_json().encode("utf-8", "surrogatepass")).hexdigest()[:SHORT]

    @property
    def are_known(self) -> bool:
        """Whether the population of every run is known."""
        return all(each.sample is not None for each in self.met)

    @property
    def instrument(self) -> "Conditions":
        """The conditions without the population and without who played the users: what pooled runs must share."""
        return self.model_copy(update={"met": (), "user_models": ()})


def differences(own: Conditions, others: Conditions) -> tuple[Reason, ...]:
    """Why a value is not comparable with others; () if it is.

    Args:
        own: conditions of the value.
        others: conditions of those that are ranked together.
    """
    return (*_of_instrument(own, others), *_of_gate(own, others), *_of_population(own, others))


def _of_instrument(own: Conditions, others: Conditions) -> Iterator[Reason]:
    if own.measure != others.measure:
        yield Reason.of(ReasonCode.BOARD_MEASURE_DIFFERS, own=own.measure, others=others.measure)
    elif own.scale == others.scale and (own.better, own.unit) != (others.better, others.unit):
        # a unit follows from the scale, which is a reason of its own below
        yield Reason.of(ReasonCode.BOARD_UNIT_DIFFERS, own=own.unit, others=others.unit)
    if own.labels_from != others.labels_from:
        yield Reason.of(
            ReasonCode.BOARD_LABELS_DIFFER,
            own=list(own.labels_from or ("none",)),
            others=list(others.labels_from or ("none",)),
        )
    if own.is_calibrated != others.is_calibrated:
        yield Reason.of(ReasonCode.BOARD_CALIBRATION_DIFFERS)
    if own.counts_failures != others.counts_failures:
        code = ReasonCode.BOARD_COUNTS_FAILURES if own.counts_failures else ReasonCode.BOARD_LEAVES_FAILURES_OUT
        yield Reason.of(code)
    if own.scale != others.scale:
        scales = [each.scale.words if each.scale is not None else "undeclared" for each in (own, others)]
        yield Reason.of(ReasonCode.BOARD_SCALE_DIFFERS, own=scales[0], others=scales[1])
    if own.raters != others.raters:
        yield Reason.of(
            ReasonCode.BOARD_RATERS_DIFFER,
            own=[each.value for each in own.raters],
            others=[each.value for each in others.raters],
        )


def _of_gate(own: Conditions, others: Conditions) -> Iterator[Reason]:
    if own.excluded != others.excluded:
        yield Reason.of(ReasonCode.BOARD_EXCLUSIONS_DIFFER)
    if own.blocks != others.blocks:
        yield Reason.of(ReasonCode.BOARD_BLOCKS_DIFFER)


def _of_population(own: Conditions, others: Conditions) -> Iterator[Reason]:
    if own.users != others.users:
        yield Reason.of(ReasonCode.BOARD_USERS_DIFFER, own=own.users or "none", others=others.users or "none")
    if own.user_models != others.user_models:
        yield Reason.of(
            ReasonCode.BOARD_USER_MODELS_DIFFER,
            own=_names(own.user_models),
            others=_names(others.user_models),
        )
    if not own.are_known:
        yield Reason.of(ReasonCode.BOARD_POPULATION_UNKNOWN)
    elif own.shared.met != others.shared.met:
        kinds = {each.kind_of for each in own.met}, {each.kind_of for each in others.met}
        if kinds[0] != kinds[1]:
            yield Reason.of(
                ReasonCode.BOARD_KIND_DIFFERS,
                own=sorted(each.value for each in kinds[0]),
                others=sorted(each.value for each in kinds[1]),
            )
        elif len(own.met) != len(others.met):
            yield Reason.of(ReasonCode.BOARD_RUN_COUNTS_DIFFER, own=len(own.met), others=len(others.met))
        else:
            units = [sum(each.units for each in one.met) for one in (own, others)]
            yield Reason.of(ReasonCode.BOARD_SAMPLE_DIFFERS, own=units[0], others=units[1])


def _any_people(met: Met) -> Met:
    if met.kind_of is not PopulationKind.PEOPLE or met.sample is None:
        return met
    return met.model_copy(update={"units": 0, "sample": "people"})


def _any_units(met: Met) -> Met:
    return met.model_copy(update={"units": 0, "sample": "any"})


def _names(names: tuple[str, ...]) -> list[JsonValue]:
    return list(names or ("none",))
