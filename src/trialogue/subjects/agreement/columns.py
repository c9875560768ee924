"""Agreement between the columns of a league table: measured, simulated and human-judged values, pairwise.

Each column orders the systems. The agreement of two is the rank correlation of their values over the systems that both have,
with an interval from resamples of dialogues or people, where both columns have them; below five systems nothing is
concluded, since even identical orders occur by chance too often (``system_orders``). The interval is about these systems,
the p-value about the orders of others like them: two columns are reported to agree only if both are conclusive, with the
p-values of all pairs of columns corrected together (Bonferroni).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from trialogue.findings.records import CellValue, Section, SectionColumn, Values, columns
from trialogue.findings.resampling import DEFAULT, Resampling
from trialogue.records import Estimate, Reason, ReasonCode, Record
from trialogue.stats import bonferroni
from trialogue.subjects.agreement.score_pairs import Floats
from trialogue.subjects.agreement.system_orders import SystemMeans, correlations_of, mean_replicates, order_p, refusal

Kind = Literal["judged", "simulated", "measured"]
KINDS: tuple[Kind, ...] = ("judged", "measured", "simulated")
Unit = tuple[str, str]
"""(system, dialogue or situation)."""
TITLE = "Do the three agree?"
COLUMNS = (
    *columns("Columns", "Kinds", "Systems in both", "Spearman's ρ", "Kendall's τ"),
    SectionColumn(head="p, Bonferroni", values=Values.P_VALUES),
)
LEVEL = 0.05  # of the corrected p-values
FIXED = Reason.of(ReasonCode.COLUMN_WITHOUT_ERROR)
NONE_SHARED = "no system occurs in both (an agent and the system of a conversation are matched by name)"


@dataclass(frozen=True)
class Column:
    """One measure's system values, and the unit values behind them."""

    kind: Kind
    """Whose column it is."""
    title: str
    source: str
    """Origin of the units; columns of one source are resampled together."""
    values: dict[str, float]
    """Value of each system, as shown; the higher, the better (values of measures that go down have changed their sign)."""
    units: dict[Unit, float]
    """Value of each unit, likewise; {}: the values are taken as they are, without resampling."""
    clusters: dict[Unit, str]
    """Cluster of each unit; units without an entry are clusters of their own."""


class ColumnAgreement(Record):
    """Agreement of two columns."""

    kind: ClassVar[str] = "column_agreement"

    kinds: tuple[str, str]
    """Kinds of the two columns."""
    titles: tuple[str, str]
    """Display names of the two columns."""
    systems: int
    """Systems that both hold."""
    spearman: Estimate | None
    """Rank correlation of the systems' values; None with fewer than two systems."""
    kendall: Estimate | None
    """Kendall's tau-b of the systems' values; None with fewer than two systems."""
    p: float | None = Field(ge=0, le=1)
    """Two-sided, under random orders of the systems."""
    refusal: Reason | None
    """Why nothing can be concluded; None if it can."""


def column_agreements(columns: Sequence[Column], *, resampling: Resampling = DEFAULT) -> list[ColumnAgreement]:
    """Agreement of all column pairs of different kinds: judged-measured, judged-simulated, measured-simulated."""
    pairs = [(one, other) for one, other in combinations(_sort_by_kind(columns), 2) if one.kind != other.kind]
    return [_agreement(one, other, resampling) for one, other in sorted(pairs, key=_place)]


def _sort_by_kind(columns: Sequence[Column]) -> list[Column]:
    return sorted(columns, key=lambda column: KINDS.index(column.kind))


def _place(pair: tuple[Column, Column]) -> tuple[int, int]:
    return KINDS.index(pair[0].kind), KINDS.index(pair[1].kind)


def _agreement(one: Column, other: Column, resampling: Resampling) -> ColumnAgreement:
    systems = sorted(set(one.values) & set(other.values))
    spearman = kendall = p = None
    if len(systems) > 1:
        sides = [_means(column, beside, systems, resampling) for column, beside in ((one, other), (other, one))]
        found = correlations_of(*sides, confidence=resampling.confidence)
        spearman, kendall = found["spearman"], found["kendall"]
        if any(
            np.ptp(side.drawn, axis=0).max() == 0 for side in sides
        ):  # an interval of the other's error alone is too short
            spearman, kendall = (
                each.model_copy(update={"interval": None, "why": FIXED}) for each in (spearman, kendall)
            )
        p = order_p(sides[0].values, sides[1].values, resampling.rng("orders"))
    return ColumnAgreement(
        kinds=(one.kind, other.kind),
        titles=(one.title, other.title),
        systems=len(systems),
        spearman=spearman,
        kendall=kendall,
        p=p,
        refusal=refusal(len(systems)),
    )


def _means(column: Column, beside: Column, systems: Sequence[str], resampling: Resampling) -> SystemMeans:
    """Values of some systems as shown, with the error that the means of their units have in resamples."""
    shown = np.array([column.values[system] for system in systems])
    units = [unit for unit in column.units if unit[0] in systems]
    if column.source == beside.source and beside.units:
        units = [unit for unit in units if unit in beside.units]  # the same units, so that the resamples are the same
    if {system for system, _ in units} != set(systems):
        return SystemMeans(tuple(systems), shown, np.tile(shown, (resampling.resamples, 1)))
    own = mean_replicates(
        np.array([column.units[unit] for unit in units]),
        [system for system, _ in units],
        clusters=[column.clusters.get(unit, f"{unit}") for unit in units],
        resampling=resampling,
        names=("columns", column.source),
    )
    assert own.systems == tuple(systems)
    drawn: Floats = own.drawn + (shown - own.values)
    return SystemMeans(own.systems, shown, drawn)


def columns_section(found: Sequence[ColumnAgreement]) -> Section:
    """Report section on the agreement of columns; pairs that share fewer than two systems are omitted."""
    adjusted = bonferroni([each.p if each.refusal is None else None for each in found])
    held = list(zip(found, adjusted, strict=True))
    return Section(
        title=TITLE,
        sentences=tuple(_sentences(held)),
        file="three-sides",
        columns=COLUMNS,
        rows=tuple(_row(each, p) for each, p in held if each.systems > 1),
    )


Held = tuple[ColumnAgreement, float | None]
"""Two columns, and their corrected p-value."""


def _sentences(held: Sequence[Held]) -> list[str]:
    """Conclusion for each pair of kinds, or the reason why there is none."""
    sentences = [
        (
            "Each row compares two columns of the league table: do they rank the systems that both contain "
            "in the same order? 1 is the same order, 0 no relation, -1 the reverse order."
        )
    ]
    kinds = dict.fromkeys(each.kinds for each, _ in held)
    missing = [pair for pair in combinations(KINDS, 2) if pair not in kinds]
    for pair in kinds:
        mine = [one for one in held if one[0].kinds == pair]
        sentences.append(f"{_pair_name(pair)}: {_verdict(mine)}")
    sentences += [f"{_pair_name(pair)}: one of the two is missing." for pair in missing]
    return sentences


LEANINGS = (
    (1, "they agree significantly", "agrees significantly", "agree significantly"),
    (-1, "they disagree significantly", "disagrees significantly", "disagree significantly"),
    (0, "inconclusive", "is inconclusive", "are inconclusive"),
)
"""Verdicts on pairs of columns: where there is one pair; of one among several, of several."""


def _pair_name(pair: tuple[str, str]) -> str:
    return f"{pair[0].capitalize()} and {pair[1]}"


def _verdict(mine: Sequence[Held]) -> str:
    tested = [one for one in mine if one[0].refusal is None]
    if not tested:
        most = max((each for each, _ in mine), key=lambda each: each.systems)
        return f"no conclusion: {most.refusal if most.systems else NONE_SHARED}."
    leans = [_significant_sign(*one) for one in tested]
    if len(leans) == 1:
        return next(alone for lean, alone, *_ in LEANINGS if lean == leans[0]) + "."
    of_all = f" of {len(tested)} column pairs"
    parts: list[str] = []
    for lean, _, one, many in LEANINGS:
        if count := leans.count(lean):
            parts.append(f"{count}{'' if parts else of_all} {one if count == 1 else many}")
    return "; ".join(parts) + "."


def _significant_sign(each: ColumnAgreement, p: float | None) -> int:
    """1 or -1 where neither chance among orders nor, as far as it is known, error of the values explains it, else 0."""
    if each.spearman is None or each.spearman.value is None or p is None or p >= LEVEL:
        return 0
    lean = int(np.sign(each.spearman.value))
    interval = each.spearman.interval
    return 0 if interval is not None and interval.low <= 0 <= interval.high else lean


def _row(each: ColumnAgreement, p: float | None) -> tuple[CellValue, ...]:
    orders = (each.spearman, each.kendall) if each.refusal is None else ("too few systems", None)
    return (" ~ ".join(each.titles), " ~ ".join(each.kinds), each.systems, *orders, p)
