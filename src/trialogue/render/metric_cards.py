"""Cards of metrics: what each measures, and how far it is known to agree with people."""

from collections.abc import Sequence

from trialogue.findings.standings import Measure
from trialogue.findings.validity import Validity, known_validity, validity_lines
from trialogue.records import MeasureName
from trialogue.render.document import Insert
from trialogue.render.measures import DIRECTIONS, short_name


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
