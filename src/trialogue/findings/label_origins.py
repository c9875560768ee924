"""Count strategy labels by kind of labeller, for threats and wording."""

from collections.abc import Iterable
from typing import Literal

from trialogue.records import Labeller, Record


class LabelCounts(Record):
    """Counts of labels by kind of labeller, on one side of one system's pairs."""

    system: str
    """Name of the system."""
    side: Literal["reference", "reply"]
    """The human recommender's references, or the system's replies."""
    by: dict[Labeller, int]
    """Utterances by the kind of labeller whose labels count there (the first ones), those with labels that say it."""
    unknown: int = 0
    """Utterances whose labels do not say who gave them."""
    unlabelled: int = 0
    """Utterances of this side that have no labels at all."""

    @property
    def is_by_people_alone(self) -> bool:
        """Whether all labels, and at least one, are by people."""
        return set(self.by) == {Labeller.PERSON} and not self.unknown

    @property
    def is_rehearsed(self) -> bool:
        """Whether scripts, or authors of invented texts, stand in for people."""
        return bool({Labeller.SCRIPTED, Labeller.INVENTED} & set(self.by))


def rehearsals(counts: Iterable[LabelCounts]) -> tuple[str, ...]:
    """Sentence about scripts or authors of invented texts standing in for people, if any."""
    kinds = {kind for each in counts for kind in each.by}
    stand_ins = [kind for kind in STANDING_IN if kind in kinds]
    if not stand_ins:
        return ()
    return (
        f"Labels that stand in for people's were given by {labeller_names(stand_ins)}: this is a rehearsal and "
        "shows nothing about people.",
    )


STANDING_IN = {Labeller.SCRIPTED: "scripts", Labeller.INVENTED: "the authors of invented data"}


def labeller_names(labellers: Iterable[Labeller | None]) -> str:
    """Name of the reference labellers in a sentence.

    >>> labeller_names([Labeller.PERSON]), labeller_names([Labeller.SCRIPTED, Labeller.PERSON])
    ('people', 'people and scripts')
    """
    kinds = set(labellers)
    names = ["people"] if Labeller.PERSON in kinds else []
    names += [name for kind, name in STANDING_IN.items() if kind in kinds]
    return " and ".join(names) or "nobody"
