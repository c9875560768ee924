"""How much of a reply is written in capitals: a metric that Trialogue does not know of until this is installed."""

from collections.abc import Sequence

from trialogue.metrics import Reply, Undefined, full_name
from trialogue.records import Card, Variant


class Shouting:
    """Share of letters that are capitals, pooled over replies."""

    card = Card(
        name="shouting",
        title="Shouting",
        summary="Share of letters that are capitals.",
        unit="share",
        low=0,
        high=1,
        better="lower",
        level="response",
        variants={"letters": Variant(summary="Capitals among letters.", source="This package.")},
        default="letters",
    )
    per_dialogue = False

    def __init__(self, *, variant: str = "letters") -> None:
        self.measure = full_name(self.card, variant, {})

    def statistics(self, unit: Reply) -> Sequence[float] | Undefined:
        letters = [letter for letter in unit.text if letter.isalpha()]
        if not letters:
            return Undefined("it has no letters")
        return (float(sum(letter.isupper() for letter in letters)), float(len(letters)))

    def combine(self, sums):  # type: ignore[no-untyped-def]
        return sums[..., 0] / sums[..., 1]
