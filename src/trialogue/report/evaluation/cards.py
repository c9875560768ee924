"""Cards of metrics on a page: what each is, and what is known about its agreement with people."""

from collections.abc import Sequence

from trialogue.findings import League, Measure
from trialogue.findings.agreement.records import Validity
from trialogue.findings.agreement.validity import known_validity, validity_lines
from trialogue.records import MeasureName
from trialogue.report.document import Insert
from trialogue.report.measures import DIRECTIONS, short_name


def cards_of(leagues: Sequence[League]) -> list[tuple[Measure, list[str]]]:
    """(Measure with a card, names of all its columns), each metric variant once.

    A metric of talks with several kinds of users has a column for each of them, and one card, without their names.
    """
    found: dict[str, tuple[Measure, list[str]]] = {}
    for measure in (league.measure for league in leagues if league.measure.card is not None):
        chosen = measure.model_copy(update={"name": measure.measured, "title": measure.plain_title, "users": None})
        found.setdefault(chosen.name, (chosen, []))[1].append(measure.name)
    return list(found.values())


def metric_cards(cards: Sequence[tuple[Measure, Sequence[str]]], agreed: Sequence[Validity] = ()) -> Insert:
    """Cards of metrics, with what is known about their agreement with people."""

    def validity_of(name: str) -> list[list[str]]:
        return [validity_lines(card) for card in known_validity(name, more=agreed)]

    groups: dict[str, list[tuple[Measure, Sequence[str]]]] = {}
    for measure, columns in cards:  # variants and parameters of one metric share a card
        groups.setdefault("" if measure.card is None else measure.card.name, []).append((measure, columns))
    shown = [([MeasureName(each.name).variant for each, _ in group], group) for group in groups.values()]
    content = {"cards": shown, "directions": DIRECTIONS, "short_name": short_name, "validity_of": validity_of}
    return Insert("cards.html.j2", content)
