"""Records of a language model's answers to a study, kept apart from people's results."""

from trialogue.records import Estimate, Record


class ModelSystem(Record):
    """Means of one system's ratings."""

    system: str
    mean: float | None
    """Mean of the model's ratings."""
    people: float | None
    """Mean of people's ratings, each unit's mean with weight 1."""


class ModelRatings(Record):
    """A language model's ratings of a criterion, beside people's; used in no other number of a report."""

    rater: str
    """Name of the language model."""
    measure: str
    title: str
    ratings: int
    unanswered: int
    """Questions to which it gave no valid answer."""
    units: int
    """Things that people rated, too."""
    systems: tuple[ModelSystem, ...]
    correlation: Estimate
    """Spearman's correlation of its ratings with people's means; situations are drawn whole."""
    correlation_of_people: Estimate
    """The same of one person's ratings with the mean of the others: what a person reaches."""
    difference: Estimate
    """Its ratings minus people's means, in points."""


class ModelChoices(Record):
    """A language model's choices, beside people's; used in no other number of a report."""

    rater: str
    choices: int
    ties: int
    units: int
    """Pairs on which it and a majority of people chose a side."""
    agreement: Estimate
    """Share of them on which it chose the majority's."""
