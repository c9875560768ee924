"""Reply length, the baseline that every other text metric has to beat."""

from collections.abc import Callable, Sequence

import numpy as np

from trialogue.metrics.base import RatioMetric, Reply, Undefined
from trialogue.metrics.batch import Batch, Rows, mean_rows
from trialogue.metrics.text.tokens import words, words_and_marks
from trialogue.records import Card, FailurePolicy, TextUse, Variant

CARD = Card(
    name="length",
    title="Reply length",
    summary="Words (or characters) per reply. It only describes replies. A useful metric must agree better with "
    "people than this trivial baseline.",
    unit="words per reply",
    low=0,
    better="neither",
    level="response",
    text=TextUse(unit="word"),
    failed=FailurePolicy.UNDEFINED,
    variants={
        "words": Variant(summary="Words separated by white space.", source="Common practice; str.split."),
        "words_and_marks": Variant(
            summary="Words and punctuation marks, each mark counted separately.", source="Trialogue: words_and_marks."
        ),
        "characters": Variant(
            summary="Unicode characters, white space included.",
            source="Common practice; len.",
            text=TextUse(unit="character"),
        ),
    },
    default="words",
    caveats=("On CRSArena-Dial, users are more satisfied with longer replies, whatever their content (AUC .749).",),
    citation="",
)


SIZES: dict[str, Callable[[str], int]] = {
    "words": lambda text: len(text.split()),
    "words_and_marks": lambda text: len(words_and_marks(text)),
    "characters": len,
}


class Length(RatioMetric):
    """Mean length of replies; an empty reply has length 0."""

    card = CARD

    def statistics(self, unit: Reply) -> Sequence[float] | Undefined:
        """(length, 1)."""
        return (float(SIZES[self.variant](unit.text)), 1.0)

    def statistics_of(self, batch: Batch) -> Rows:
        """Batch version of ``statistics``."""
        if self.variant == "characters":
            return mean_rows(np.fromiter(map(len, batch.texts()), float, len(batch.texts())))
        rule = words_and_marks if self.variant == "words_and_marks" else words
        return mean_rows(batch.words(rule).lengths.astype(float))
