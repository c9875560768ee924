"""What a passport of simulated users says: the parts one after the other, each with its tables and its own sample."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from trialogue.findings.threats.texts import GATE_WORDS
from trialogue.records import Estimate, MeasureName
from trialogue.records.kinds.suspicions import HINTS, Gate
from trialogue.render.document import PAGES, Column, Document, Section, Table, from_estimate, in_files
from trialogue.render.numbers import number, own_decimals, plain_p, ranks, signed_text, with_decimals
from trialogue.render.plots.base import Figure
from trialogue.render.plots.estimates import Axis, Row, estimates_figure
from trialogue.subjects.agreement.pages.figure import chance_caption, highest_first
from trialogue.subjects.simulated_users.answer import PART_TITLES, headline, sample_of, sample_text, words_of_real
from trialogue.subjects.simulated_users.pages.features import features_table
from trialogue.subjects.simulated_users.records import (
    Behavior,
    Discriminator,
    Distance,
    Dose,
    GateShare,
    PassportFindings,
    PassportPart,
    RankingValidity,
    Stability,
    SystemOrder,
    SystemRank,
    SystemSpread,
)

ANY_FAULT = "any but hints"
HALVES = {True: "", False: " (off .5)", None: ""}
"""Beside the classifier on halves of the real users: whether it is off what it should be."""


def passport_document(found: PassportFindings) -> Document:
    """The document of a passport."""
    behavior = found.behavior
    return Document(
        name="passport",
        brand="passport of simulated users",
        title=found.title,
        is_titled=True,
        answer=[headline(found), *found.answer],
        sections=[
            Section("Behavior", [] if behavior is None else _behavior(behavior), "behavior"),
            Section("Ranking validity", [_rankings(found), _orders(found)], "ranking"),
            Section("Known groups", [_doses(found)], "known-groups"),
            Section("Stability", [_spreads(found)], "stability"),
            Section("Gates", [_faults(found)], "gates"),
            Section("Dialogues behind each part", [_samples(found)], "samples"),
            Section("Numbers", [_numbers(found)], where=frozenset()),
        ],
        threats=found.threats,
        warnings=found.warnings,
        methods=found.methods,
        sources=found.sources,
        record=found,
        manifest=found.manifest,
    )


def _behavior(found: Behavior) -> list[Table[Any] | Figure | None]:
    """Distances, discriminators and features; the classifier on halves of the real users is the last discriminator."""
    title = f"classifier on halves of the real users{HALVES[found.is_fair]}"
    halves = Discriminator(name="split-half", title=title, auc=found.split_half)
    return [
        Table(
            "Distances of simulated users from real ones",
            found.distances,
            [
                Column[Distance]("Distance", lambda row: row.title),
                Column("Simulated to real", lambda row: row.value, own_decimals),
                Column("Real to real", lambda row: row.yardstick, own_decimals),
                Column("Excess", lambda row: row.excess, signed_text),
            ],
            lead="Distances between simulated and real users, computed on as much text as those between two halves of the "
            "real users.",
        ),
        discriminators_figure(found),
        Table(
            "Discriminators between simulated and real users",
            [*found.discriminators, halves],
            [
                Column("Discriminator", lambda row: row.title),
                Column("AUC", lambda row: row.auc, own_decimals),
                Column("Dialogues", lambda row: row.auc.n),
            ],
        ),
        features_table(found.gaps, lead="Every feature.", where=PAGES),
    ]


def discriminators_figure(found: Behavior) -> Figure | None:
    """Every discriminator by its AUC, and what the classifier makes of real users alone; None where none is defined."""
    rows = [Row(each.title, each.auc, hollow=each.is_trivial) for each in found.discriminators]
    rows.append(Row("classifier, real halves", found.split_half, hollow=True))
    hollow = "Hollow: individual counts, and the classifier on random halves of the real users."
    return estimates_figure(
        highest_first([row for row in rows if row.estimate.value is not None]),
        Axis("AUC", 0.5),
        name="passport-discriminators",
        title="Can simulated users be distinguished from real ones?",
        caption=chance_caption("AUC", 0.5, note=hollow),
    )


def _rankings(found: PassportFindings) -> Table[RankingValidity]:
    return Table(
        "Orders of systems by simulated and by real users",
        found.rankings,
        [
            Column("Simulated by", lambda row: MeasureName(row.simulated.measure).prose),
            Column("Real by", lambda row: words_of_real(row)),
            Column("Simulated order", lambda row: order_text(row.simulated), where=PAGES),
            Column("Real order", lambda row: order_text(row.real), where=PAGES),
            Column("Pairs in the same order", lambda row: f"{row.concordant:g} of {row.pairs}"),
            Column("p", lambda row: None if row.refusal else row.p, plain_p),
            Column("Remark", lambda row: str(row.refusal or ""), where=PAGES),
        ],
        lead="Systems that both real and simulated users met. Rank intervals resample users; the systems are fixed.",
    )


def _orders(found: PassportFindings) -> Table[SystemOrder]:
    return Table(
        "Orders of systems by every outcome",
        found.orders,
        [
            Column("Outcome", lambda row: MeasureName(row.measure).prose),
            Column("Order, with rank intervals", order_text),
            Column("Dialogues", lambda row: row.sample.simulated),
        ],
        lead="Systems by every outcome of the simulated users: does the order depend on the outcome?",
    )


def order_text(order: SystemOrder) -> str:
    """Systems, best first, with values and rank intervals."""
    return " > ".join(_rank_text(each) for each in order.ranks)


def _rank_text(each: SystemRank) -> str:
    interval = ranks(each.low, each.high)
    return f"{each.system} {number(each.value, 2)}" + (f" (rank {interval})" if interval else "")


def _doses(found: PassportFindings) -> Table[Dose]:
    return Table(
        "Outcome of agents with replies made worse",
        [dose for each in found.known_groups for dose in each.doses],
        [
            Column("System", lambda row: row.system),
            Column("Replies replaced", lambda row: row.share, "{:.0%}".format),
            Column("Outcome", lambda row: row.outcome, own_decimals),
            Column("Change", lambda row: row.change, signed_text),
            Column("p", lambda row: row.change and row.change.p, plain_p),
            Column("Users needed", lambda row: row.needed),
        ],
        lead="Agents with a share of their replies made worse. Users needed: to detect the change with power .8 at α = .05.",
    )


@dataclass(frozen=True)
class _Spread:
    """The spread of one system over seeds or versions."""

    of: SystemSpread
    stability: Stability


def _spreads(found: PassportFindings) -> Table[_Spread]:
    return Table(
        "Ranges over seeds and versions",
        [_Spread(spread, each) for each in found.stability for spread in each.spreads],
        [
            Column("System", lambda row: row.of.system),
            Column("Over", lambda row: f"{len(row.stability.levels)} {row.stability.factor.value}s"),
            Column("Lowest", lambda row: min(row.of.values.values()), with_decimals(3)),
            Column("Highest", lambda row: max(row.of.values.values()), with_decimals(3)),
            Column("Range", lambda row: row.of.spread, with_decimals(3)),
            Column("By chance", lambda row: row.of.by_chance, with_decimals(3)),
        ],
        lead="Range of each system's mean, and the range to be expected if only the sample of dialogues differed.",
    )


def _faults(found: PassportFindings) -> Table[GateShare]:
    return Table(
        "Faults of users",
        found.gates.shares if found.gates else (),
        [
            Column("Fault", lambda row: _fault(row.gate)),
            Column("Simulated", lambda row: row.simulated, own_decimals),
            Column("Dialogues", lambda row: row.simulated.n),
            Column("Real", lambda row: row.real, own_decimals),
            Column("Dialogues", lambda row: row.real.n),
        ],
        lead="Share of dialogues in which the user does not behave as a user, among those that could show it.",
    )


def _samples(found: PassportFindings) -> Table[PassportPart]:
    return Table(
        "Parts and their samples",
        list(PassportPart),
        [
            Column("Part", lambda part: PART_TITLES[part]),
            Column("Dialogues", lambda part: sample_text(sample_of(found, part))),
        ],
    )


def _fault(gate: Gate | None) -> str:
    if gate is None:
        return ANY_FAULT
    return f"{GATE_WORDS[gate]} (hint)" if gate in HINTS else GATE_WORDS[gate]


@dataclass(frozen=True)
class _Number:
    """One number, as the file holds it."""

    part: PassportPart
    what: str
    about: str
    value: Estimate | float | None

    @property
    def estimate(self) -> Estimate | None:
        """The number as an estimate; None: it has neither an interval nor counts."""
        return self.value if isinstance(self.value, Estimate) else None


def _numbers(found: PassportFindings) -> Table[_Number]:
    """Every number of the passport in a row of its own."""
    return Table(
        "Numbers",
        list(_rows(found)),
        [
            *in_files(part=lambda row: row.part, what=lambda row: row.what, about=lambda row: row.about),
            *in_files(value=lambda row: row.estimate.value if row.estimate else row.value),
            *from_estimate(
                lambda row: row.estimate, low="low", high="high", n="n", clusters="clusters", p="p", why="why"
            ),
        ],
    )


def _rows(found: PassportFindings) -> Iterator[_Number]:
    for each in found.behavior.distances if found.behavior else ():
        for what, estimate in (("value", each.value), ("yardstick", each.yardstick), ("excess", each.excess)):
            yield _Number(PassportPart.BEHAVIOR, f"distance {what}", each.name, estimate)
    if found.behavior is not None:
        for one in found.behavior.discriminators:
            yield _Number(PassportPart.BEHAVIOR, "auc", one.name, one.auc)
        yield _Number(PassportPart.BEHAVIOR, "auc", "split-half", found.behavior.split_half)
    for ranking in found.rankings:
        about = f"{ranking.simulated.measure} / {ranking.real.measure}"
        tested = {"p": ranking.p, "why": ranking.refusal or ranking.concordance.why}
        yield _Number(PassportPart.RANKING, "concordance", about, ranking.concordance.model_copy(update=tested))
    for group in found.known_groups:
        for dose in group.doses:
            yield _Number(PassportPart.KNOWN_GROUPS, "outcome", dose.system, dose.outcome)
            if dose.change is not None:
                yield _Number(PassportPart.KNOWN_GROUPS, "change", dose.system, dose.change)
        yield _Number(PassportPart.KNOWN_GROUPS, "falls with every dose", group.agent, group.order_share)
    for stability in found.stability:
        for spread in stability.spreads:
            yield _Number(PassportPart.STABILITY, stability.factor, spread.system, spread.spread)
    for share in found.gates.shares if found.gates else ():
        gate = share.gate.value if share.gate else "any"
        yield _Number(PassportPart.GATES, "simulated", gate, share.simulated)
        yield _Number(PassportPart.GATES, "real", gate, share.real)
    if found.cost is not None:
        yield _Number(PassportPart.COST, "user messages", "", found.cost.turns)
        for name in ("calls", "tokens_in", "tokens_out", "money", "seconds"):
            yield _Number(PassportPart.COST, name, "", getattr(found.cost, name))
