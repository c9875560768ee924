"""Distance of texts from the corpus a strategy model was calibrated on, and the error that such a distance can cause."""

from pydantic import Field

from trialogue.records.base import Record


class TransferError(Record):
    """Covariance, between corpora, of the error of an estimated share of matches.

    In another corpus the error at a true share p is about (1 - p) a + p b, with errors a where nothing matches and b where
    everything does. They are what false positive and true positive rates that differ from corpus to corpus do.
    """

    none_match: float = Field(ge=0)
    """Variance of a, the error where nothing matches."""
    both: float
    """Covariance of a and b."""
    all_match: float = Field(ge=0)
    """Variance of b, the error where everything matches."""
    of_system: float = Field(ge=0)
    """Variance due to a system's own mix of strategies, independent between systems."""

    def variance_along(self, none_match: float, all_match: float) -> float:
        """Variance of a linear combination of a and b.

        >>> TransferError(none_match=0.01, both=0, all_match=0.04, of_system=0).variance_along(1.0, 0.5)
        0.02
        """
        terms = (none_match**2 * self.none_match, 2 * none_match * all_match * self.both, all_match**2 * self.all_match)
        return max(0.0, sum(terms))


class CorpusShift(Record):
    """Distance of texts from a model's calibration data, beyond what other dialogues of that corpus show."""

    sentences: int
    """Sentences that were examined."""
    unknown_words: float = Field(ge=0, le=1)
    """Share of their words that the calibration data lack."""
    unknown_words_limit: float = Field(ge=0)
    """Share up to which other dialogues of the same corpus go."""
    mix_distance: float = Field(ge=0, le=1)
    """Total variation distance between their mean strategy distribution and that of the calibration data."""
    mix_distance_limit: float = Field(ge=0)
    """Distance up to which as many other sentences of the same corpus go."""
    error: TransferError | None
    """Error to be expected of an estimate; None: unknown, because the texts are too far from anything measured or the model
    recognises matches too badly, so there is no estimate."""
