"""Maximum number of paid participants and its cost, confirmed before anyone is admitted."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from trialogue.study.design.file import StudyFile
from trialogue.study.design.payment import Payment

REPLACED = 4  # of so many people who are needed one is replaced at most, where the file does not say how many


@dataclass(frozen=True)
class Budget:
    """Number of paid participants."""

    people: int
    """Participants required if nobody drops out or is excluded."""
    items_each: int
    """Maximum number of items per participant."""
    replacements: int
    """Maximum number of excluded participants whose judgements are collected again."""
    payment: Payment | None
    """Payment per participant; None if the study file states none."""

    @property
    def most_people(self) -> int:
        """Maximum number of paid participants."""
        return self.people + self.replacements

    def price(self, places: int) -> str:
        """Cost of a number of participants, as text."""
        return str(self.payment.price(places)) if self.payment else "price unknown: the study file states no payment"


def budget_of(file: StudyFile, items: Iterable[tuple[str, str]]) -> Budget:
    """Number of paid participants of a study.

    Args:
        file: the study file.
        items: (dialogue, key) of each item; a participant may be limited to one item per dialogue.
    """
    times = Counter(("d", dialogue) if file.one_per_dialogue and dialogue else ("k", key) for dialogue, key in items)
    each = min(file.items_per_participant, len(times))
    most = max(times.values(), default=0)
    people = sum(max(-(-times.total() * k // each), most * k) for k in file.raters_by_stratum.values()) if times else 0
    ceiling = -(-people // REPLACED) if file.replace_at_most is None else file.replace_at_most
    return Budget(people, each, ceiling if file.replace_excluded else 0, file.payment)
