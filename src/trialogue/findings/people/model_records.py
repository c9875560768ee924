"""Records of a language model's answers to a study, kept apart from people's results."""

from trialogue.records import Estimate, Record


class ModelSystem(Record):
    """Means of one system's ratings."""

    system: str
    mean: float | None
    """Of the model's ratings."""
    people: float | None
    """Of people's, a thing's mean counting once."""


class ModelRatings(Record):
    """What a language model answered to a criterion beside people; in no other number of a report."""

    rater: str
    """The model's name."""
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
    """What a language model chose beside people; in no other number of a report."""

    rater: str
    choices: int
    ties: int
    units: int
    """Pairs on which it and a majority of people chose a side."""
    agreement: Estimate
    """Share of them on which it chose the majority's."""
