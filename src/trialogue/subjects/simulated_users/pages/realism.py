"""What a comparison of simulated with real users says: features, dialogue acts, and the order of agents."""

from trialogue.records import MeasureName
from trialogue.render.document import PAGES, Column, Document, Section, Table, from_estimate, in_files
from trialogue.render.numbers import MISSING, own_decimals, plain_p
from trialogue.render.plots.base import Figure
from trialogue.render.plots.estimates import Axis, Row, estimates_figure
from trialogue.subjects.agreement.pages.figure import chance_caption, highest_first
from trialogue.subjects.simulated_users.pages.features import features_table
from trialogue.subjects.simulated_users.realism.records import Divergence, Order, Prediction, RealismFindings

NAME = "realism"
"""Of the files."""


def realism_document(found: RealismFindings) -> Document:
    """The document of a comparison of simulated with real users."""
    features = features_table(
        found.gaps,
        lead="Means over dialogues with intervals.",
        in_files=[
            *in_files(feature=lambda gap: gap.name),
            *from_estimate(lambda gap: gap.real, value="real"),
            *from_estimate(lambda gap: gap.simulated, value="simulated"),
            *from_estimate(lambda gap: gap.difference, value="difference", low="low", high="high", p="p"),
            *from_estimate(lambda gap: gap.giveaway, value="giveaway"),
            *in_files(weight=lambda gap: found.two_sample.weights.get(gap.name)),
        ],
    )
    return Document(
        name=NAME,
        brand="realism of simulated users",
        title=found.title,
        answer=found.answer,
        sections=[
            Section("What distinguishes simulated users", [features, giveaways_figure(found)], "features"),
            Section("Dialogue acts", [_acts(found.divergence)], "acts"),
            Section("Do they rank agents in the same order?", [_orders(found)], "orders"),
        ],
        warnings=found.warnings,
        methods=found.methods,
        record=found,
        manifest=found.manifest,
    )


def giveaways_figure(found: RealismFindings) -> Figure | None:
    """The AUC of every feature between simulated and real dialogues, and of the classifier; None without any."""
    rows = [Row(gap.title, gap.giveaway) for gap in found.gaps]
    rows.append(Row("classifier, all features", found.two_sample.auc, hollow=True))
    what = "probability that a simulated dialogue has more of it"
    return estimates_figure(
        highest_first([row for row in rows if row.estimate.value is not None]),
        Axis(what, 0.5),
        name="realism-giveaways",
        title="What distinguishes simulated users",
        caption=chance_caption(what, 0.5, note="Hollow: the classifier's AUC on held-out dialogues."),
    )


def _acts(found: Divergence | None) -> Table[tuple[str, tuple[float, float]]] | None:
    """Acts with their shares, the commonest of real users first."""
    if found is None:
        return None
    halves = found.split_half.value
    baseline = "" if halves is None else f" Random halves of the real users differ by {halves:.3f}."
    return Table(
        "Shares of acts",
        sorted(found.shares.items(), key=lambda pair: (-pair[1][0], pair[0])),
        [
            Column("Act", lambda pair: pair[0]),
            Column("Real", lambda pair: pair[1][0], "{:.1%}".format),
            Column("Simulated", lambda pair: pair[1][1], "{:.1%}".format),
        ],
        lead=f"Shares of {found.acts}. DS-KL {own_decimals(found.value)} nats.{baseline}",
        where=PAGES,
    )


def _orders(found: RealismFindings) -> Table[Prediction]:
    return Table(
        "Orders of agents",
        found.predictions,
        [
            Column("Simulated users by", lambda row: MeasureName(row.measure).prose),
            Column("Real users by", lambda row: MeasureName(row.against).prose),
            Column("Simulated", lambda row: _order(row.simulated)),
            Column("Real", lambda row: _order(row.real)),
            Column("Spearman's ρ", lambda row: row.spearman, own_decimals),
            Column("p", lambda row: row.p, plain_p),
            Column("Remark", lambda row: str(row.refusal or "")),
        ],
        lead="Shares are of resamples in which the whole ranking by that side's users is the same. p is the probability of "
        "a correlation at least this strong, of either sign, if the ranking were random.",
        where=PAGES,
    )


def _order(order: Order) -> str:
    share = MISSING if order.share is None else f"{order.share:.0%}"
    return " > ".join(order.systems) + f" ({share})"
