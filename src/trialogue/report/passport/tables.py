"""Tables of a passport, one per part and one of all samples, shared by terminal, page and CSV."""

from collections.abc import Iterator

from trialogue.findings.passport.answer import PART_TITLES, sample_of, sample_text, sentences_of
from trialogue.findings.passport.records import PassportFindings, PassportPart, SystemOrder, SystemRank
from trialogue.findings.threats import Severity
from trialogue.findings.threats.summary import threat_lines
from trialogue.findings.threats.texts import GATE_WORDS, severity_heading
from trialogue.records import Estimate
from trialogue.records.files.cells import csv_text
from trialogue.report.agreement.page import text_of, texts
from trialogue.report.measures import short_name
from trialogue.report.numbers import MISSING, number, plain_p, ranks
from trialogue.report.table import Table

ANY_FAULT = "any of these"


def overview(found: PassportFindings) -> Table:
    """The parts side by side."""
    rows = tuple(
        (PART_TITLES[part], " ".join(sentences_of(found, part)), sample_text(sample_of(found, part)))
        for part in PassportPart
    )
    return Table(("Part", "What it says", "Dialogues"), rows)


def distances_table(found: PassportFindings) -> Table | None:
    """Distances from real users, beside their split-half distances."""
    if found.behavior is None:
        return None
    rows = tuple(
        (each.title, text_of(each.value), text_of(each.yardstick), text_of(each.excess, sign=True))
        for each in found.behavior.distances
    )
    return Table(("Distance", "Simulated to real", "Real to real", "Excess"), rows)


def discriminators_table(found: PassportFindings) -> Table | None:
    """Classifier, trivial discriminators, and what the classifier makes of real users alone."""
    if found.behavior is None:
        return None
    rows = [(each.title, text_of(each.auc), str(each.auc.n)) for each in found.behavior.discriminators]
    half = found.behavior.split_half
    fair = {True: "", False: " (off .5)", None: ""}[found.behavior.is_fair]
    rows.append((f"classifier on halves of the real users{fair}", text_of(half), str(half.n)))
    return Table(("Discriminator", "AUC", "Dialogues"), tuple(rows))


def features_table(found: PassportFindings) -> Table | None:
    """Every feature of users."""
    if found.behavior is None:
        return None
    gaps = found.behavior.gaps
    away = texts([gap.giveaway for gap in gaps])
    rows = tuple(
        (gap.title, *texts([gap.real, gap.simulated]), text_of(gap.difference, sign=True), given)
        for gap, given in zip(gaps, away, strict=True)
    )
    return Table(("Feature", "Real", "Simulated", "Difference", "Giveaway"), rows)


def rankings_table(found: PassportFindings) -> Table | None:
    """Orders of the systems that both sides met."""
    if not found.rankings:
        return None
    rows = tuple(
        (
            short_name(each.simulated.measure),
            short_name(each.real.measure),
            order_text(each.simulated),
            order_text(each.real),
            f"{each.concordant:g} of {each.pairs}",
            plain_p(None if each.refusal else each.p),
            str(each.refusal or ""),
        )
        for each in found.rankings
    )
    heads = ("Simulated by", "Real by", "Simulated order", "Real order", "Pairs alike", "p", "Says")
    return Table(heads, rows)


def orders_table(found: PassportFindings) -> Table | None:
    """Systems by every outcome of the simulated users."""
    if not found.orders:
        return None
    rows = tuple((short_name(each.measure), order_text(each), str(each.sample.simulated)) for each in found.orders)
    return Table(("Outcome", "Order, with rank intervals", "Dialogues"), rows)


def order_text(order: SystemOrder) -> str:
    """Systems, best first, with values and rank intervals."""
    return " > ".join(_rank_text(each) for each in order.ranks)


def _rank_text(each: SystemRank) -> str:
    interval = ranks(each.low, each.high)
    return f"{each.system} {number(each.value, 2)}" + (f" (rank {interval})" if interval else "")


def doses_table(found: PassportFindings) -> Table | None:
    """Agents made worse."""
    if not found.known_groups:
        return None
    rows = tuple(
        (
            dose.system,
            f"{100 * dose.share:.0f}%",
            text_of(dose.outcome),
            text_of(dose.change, sign=True) if dose.change else MISSING,
            plain_p(dose.change.p) if dose.change else MISSING,
            MISSING if dose.needed is None else f"{dose.needed:,}",
        )
        for each in found.known_groups
        for dose in each.doses
    )
    return Table(("System", "Replies replaced", "Outcome", "Change", "p", "Users needed"), rows)


def spreads_table(found: PassportFindings) -> Table | None:
    """Ranges over seeds and versions."""
    if not found.stability:
        return None
    rows = tuple(
        (
            spread.system,
            f"{len(each.levels)} {each.factor.value}s",
            number(min(spread.values.values()), 3),
            number(max(spread.values.values()), 3),
            number(spread.spread, 3),
            number(spread.by_chance, 3),
        )
        for each in found.stability
        for spread in each.spreads
    )
    return Table(("System", "Over", "Lowest", "Highest", "Range", "By chance"), rows)


def gates_table(found: PassportFindings) -> Table | None:
    """Faults of users."""
    if found.gates is None:
        return None
    rows = tuple(
        (
            GATE_WORDS[each.gate] if each.gate else ANY_FAULT,
            text_of(each.simulated),
            str(each.simulated.n),
            text_of(each.real),
            str(each.real.n),
        )
        for each in found.gates.shares
    )
    return Table(("Fault", "Simulated", "Dialogues", "Real", "Dialogues"), rows)


def threat_lists(found: PassportFindings) -> list[tuple[str, list[str]]]:
    """(heading, sentences) for each severity that occurs."""
    lines = threat_lines(found.threats, {})
    lists = []
    for severity in Severity:
        said = [line.text for line in lines if line.severity is severity]
        if said:
            lists.append((severity_heading(severity), said))
    return lists


CSV_HEAD = ("part", "what", "about", "value", "low", "high", "n", "clusters", "p", "why")


def passport_csv(found: PassportFindings) -> str:
    """One number a row, nothing rounded."""
    return csv_text(CSV_HEAD, _rows(found))


def _rows(found: PassportFindings) -> Iterator[list[object]]:
    behavior = found.behavior
    if behavior is not None:
        for each in behavior.distances:
            for what, estimate in (("value", each.value), ("yardstick", each.yardstick), ("excess", each.excess)):
                yield _row(PassportPart.BEHAVIOR, f"distance {what}", each.name, estimate)
        for one in behavior.discriminators:
            yield _row(PassportPart.BEHAVIOR, "auc", one.name, one.auc)
        yield _row(PassportPart.BEHAVIOR, "auc", "split-half", behavior.split_half)
    for ranking in found.rankings:
        about = f"{ranking.simulated.measure} / {ranking.real.measure}"
        row = _row(PassportPart.RANKING, "concordance", about, ranking.concordance)
        yield [*row[:8], ranking.p, str(ranking.refusal or "") or row[9]]
    for group in found.known_groups:
        for dose in group.doses:
            yield _row(PassportPart.KNOWN_GROUPS, "outcome", dose.system, dose.outcome)
            if dose.change is not None:
                yield _row(PassportPart.KNOWN_GROUPS, "change", dose.system, dose.change)
        yield _row(PassportPart.KNOWN_GROUPS, "falls with every dose", group.agent, group.order_share)
    for stability in found.stability:
        for spread in stability.spreads:
            yield [PassportPart.STABILITY, stability.factor, spread.system, spread.spread, *[None] * 6]
    for share in found.gates.shares if found.gates else ():
        gate = share.gate.value if share.gate else "any"
        yield _row(PassportPart.GATES, "simulated", gate, share.simulated)
        yield _row(PassportPart.GATES, "real", gate, share.real)
    if found.cost is not None:
        yield _row(PassportPart.COST, "user messages", "", found.cost.turns)
        for name in ("calls", "tokens_in", "tokens_out", "money", "seconds"):
            yield [PassportPart.COST, name, "", getattr(found.cost, name), *[None] * 6]


def _row(part: PassportPart, what: str, about: str, estimate: Estimate) -> list[object]:
    interval = estimate.interval
    ends = (None, None) if interval is None else (interval.low, interval.high)
    why = None if estimate.why is None else str(estimate.why)
    return [part, what, about, estimate.value, *ends, estimate.n, estimate.clusters, estimate.p, why]
