"""A metric: the share of replies that ask something."""

from trialogue.metrics import Reply, Undefined, full_name
from trialogue.records import Card, Variant


class Questions:
    """Whether a reply contains a question mark."""

    card = Card(
        name="questions",
        title="Questions",
        summary="Share of replies that ask something.",
        unit="share of replies",
        low=0,
        high=1,
        better="higher",
        level="response",
        variants={"mark": Variant(summary="A question mark anywhere in the reply.", source="This example.")},
        default="mark",
    )
    per_dialogue = False

    def __init__(self, *, variant="mark"):
        self.measure = full_name(self.card, variant, {})

    def statistics(self, unit: Reply):
        """Sufficient statistics of a reply: (1 if it asks something, 1)."""
        if not unit.text.strip():
            return Undefined("the reply is empty")
        return (float("?" in unit.text), 1.0)

    def combine(self, sums):
        """Share of replies that ask something."""
        return sums[..., 0] / sums[..., 1]
