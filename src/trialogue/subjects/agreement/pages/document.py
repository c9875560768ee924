"""What an analysis of agreement says: which measures agree with people, how well, and whether they beat baselines."""

from collections.abc import Iterator
from pathlib import Path

from trialogue.findings.validity import FILE as VALIDITY
from trialogue.findings.validity import write_validity
from trialogue.records import MeasureName
from trialogue.records.kinds.origins import named_raters
from trialogue.records.runs import open_run, writes_run
from trialogue.render.document import PAGES, Document, Part, Section, Sentences
from trialogue.render.long_names import with_short_names
from trialogue.render.measures import metric_cards
from trialogue.render.media.files import write_files
from trialogue.render.numbers import signed_text
from trialogue.subjects.agreement.answer import main_statistic, title_of
from trialogue.subjects.agreement.pages.figure import preference_forest, rating_forest, statistic_name
from trialogue.subjects.agreement.pages.tables import (
    ceilings_table,
    glance_table,
    groups_table,
    numbers_table,
    order_table,
    rankings_table,
    ratings_table,
    votes_table,
    with_baseline_mark,
)
from trialogue.subjects.agreement.records import AgreementFindings, RatingAgreement

NAME = "agreement"
"""Of the files."""
LEVELS = {"dialogue": 0, "turn": 1, "system": 2}
"""Levels of questions, in the order of the page."""
WITHIN_RANKING = (
    "Intervals resample people or dialogues; the systems are fixed. p is the probability of a correlation at least this "
    "strong, of either sign, if the ranking were random."
)


def agreement_document(found: AgreementFindings) -> Document:
    """The document of an analysis of agreement; its files have the whole names of systems, people read short ones."""
    shown = with_short_names(found, [each.system for ranking in found.rankings for each in ranking.systems])
    questions = _questions(shown)
    return Document(
        name=NAME,
        brand=f"agreement with {named_raters(shown.all_raters)}",
        title=shown.title,
        answer=shown.answer,
        facts=[
            (len(shown.measures), "measure", "measures"),
            (max((each.rated for each in shown.ratings), default=0), "rated unit", "rated units"),
            (max((each.votes for each in shown.preferences), default=0), "vote", "votes"),
            (max((len(each.systems) for each in shown.rankings), default=0), "system", "systems"),
        ],
        first=_first(shown, questions[0]) if questions else [],
        sections=[
            Section("Ratings", [_question(shown, ratings) for ratings in questions], "ratings"),
            Section("Pairwise choices", [votes_table(shown), preference_forest(shown)], "votes"),
            Section("System rankings", list(_rankings(shown)), "orders", where=PAGES),
            Section("Are aspects distinguished?", list(_aspects(shown)), "aspects", where=PAGES),
            Section("What no measure can exceed", [_ceilings(shown)], "ceilings", where=PAGES),
            Section("What the metrics are", [_cards(shown)], "cards", where=PAGES),
            Section("Numbers", [numbers_table(found)], where=frozenset()),
        ],
        closing=list(_legend(shown)),
        warnings=shown.warnings,
        methods=shown.methods,
        beside=[VALIDITY],
        is_folded=True,
        record=found,
        manifest=found.manifest,
    )


@writes_run()
def write_agreement(findings: AgreementFindings, folder: Path) -> Path:
    """Write the document and ``validity.json``; returns the path of the page.

    Written into the folder of the run itself, they are added to it.
    """
    write_validity(findings.validity, folder / VALIDITY)
    return write_files(agreement_document(findings), folder)


def read_agreement(path: Path | str) -> AgreementFindings:
    """Read findings written by ``write_agreement``, from its folder or its ``agreement.json``.

    Raises:
        DataError: there are none, or the run is not what was sealed.
    """
    return open_run(path).record(f"{NAME}.json", AgreementFindings, again="trialogue agree")


def _questions(found: AgreementFindings) -> list[list[RatingAgreement]]:
    """Ratings by question and level, dialogues first."""
    groups: dict[tuple[str, str], list[RatingAgreement]] = {}
    for each in found.ratings:
        groups.setdefault((each.question, each.level), []).append(each)
    return [groups[key] for key in sorted(groups, key=lambda key: (LEVELS[key[1]], key[0]))]


def _title(ratings: list[RatingAgreement]) -> str:
    return f"{MeasureName(ratings[0].question).prose.capitalize()} ({ratings[0].level}s)"


def _first(found: AgreementFindings, ratings: list[RatingAgreement]) -> list[Part]:
    """The best measures on the first question, in numbers and drawn."""
    return [glance_table(found, ratings, title=_title(ratings)), rating_forest(found, ratings, narrow=True)]


def _question(found: AgreementFindings, ratings: list[RatingAgreement]) -> Section:
    """Everything on one question."""
    lead = (
        f"{statistic_name(main_statistic(ratings))} over all {ratings[0].rated:,} rated units, within systems, within users "
        "who rated several units, and between the systems' means (Spearman's ρ). A unit without a value counts as the "
        "measure's worst guess; if any is missing, the last columns show the agreement without them."
    )
    title = _title(ratings)
    notes = [f"{title_of(found, each.measure)}: {each.note}." for each in ratings if each.note]
    return Section(
        title,
        [
            ratings_table(found, ratings, label=f"Agreement, {title}", lead=lead),
            Sentences(notes, "warnings", PAGES),
            Section("By dataset", [groups_table(found, ratings, label=f"By dataset, {title}")], fold=True, where=PAGES),
            rating_forest(found, ratings),
        ],
    )


def _rankings(found: AgreementFindings) -> Iterator[Part]:
    """Systems by measures against the order by people; for each such order, then every system."""
    for against in dict.fromkeys(each.against for each in found.rankings):
        same = [each for each in found.rankings if each.against == against]
        prose = MeasureName(against).prose
        orders = [
            Section(
                with_baseline_mark(found, each.measure),
                [order_table(each, label=f"Systems by {prose} and {each.measure}")],
            )
            for each in same
        ]
        parts: list[Part] = [rankings_table(found, same, label=f"System rankings against {prose}", lead=WITHIN_RANKING)]
        yield Section(f"Against {prose}", [*parts, Section("Every system under each measure", orders, fold=True)])


def _aspects(found: AgreementFindings) -> Iterator[Part]:
    """Verdict, and what it was computed from, for each family of aspects."""
    for each in found.discriminants:
        text = (
            f"The {len(each.aspects)} aspects of the measure correlate with mean ρ {each.measure:.2f}, "
            f"people's with {each.people:.2f}; difference {signed_text(each.excess)}."
        )
        said = " ".join([text, *(f"{one}." for one in each.confused)])
        yield Section(f"{each.family} ({each.level}s): {each.verdict}", [Sentences([said], "")])


def _ceilings(found: AgreementFindings) -> Part:
    if not found.ceilings:
        return Sentences(["The data contain no ratings of individual raters."], "")
    return ceilings_table(found)


def _cards(found: AgreementFindings) -> Part:
    cards = [(measure, [measure.name]) for measure in found.measures if measure.card is not None]
    return metric_cards(cards, found.validity) if cards else None


def _legend(found: AgreementFindings) -> Iterator[str]:
    """What marks in the tables mean, on a terminal."""
    if found.baselines:
        yield "(baseline): a trivial baseline that any useful measure must beat."
    if any(each.penalised for rating in found.ratings for each in rating.agreed):
        yield "Units without a value count as the measure's worst guesses; on these alone: without them."
    if found.references:
        yield "(reference): not a measure, but the mean of the same user's ratings of their other dialogues."
