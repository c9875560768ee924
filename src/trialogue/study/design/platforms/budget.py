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
    """Participants needed without drop-out and exclusions."""
    items_each: int
    """Items that each of them judges at most."""
    replacements: int
    """People whose judgements are collected again, at most, since they are excluded."""
    payment: Payment | None
    """What each of them is paid; None if the study file states no reward."""

    @property
    def most_people(self) -> int:
        """People who are paid at most."""
        return self.people + self.replacements

    def price(self, places: int) -> str:
        """Cost of a number of participants, in words."""
        return str(self.payment.price(places)) if self.payment else "price unknown, the study file has no payment"


def budget_of(file: StudyFile, items: Iterable[tuple[str, str]]) -> Budget:
    """Number of paid participants of a study.

    Args:
        file: the study file.
        items: (dialogue, key) of each; of a dialogue maybe one is for one person.
    """
    times = Counter(("d", dialogue) if file.one_per_dialogue and dialogue else ("k", key) for dialogue, key in items)
    each = min(file.items_per_participant, len(times))
    k = file.raters_per_item
    people = max(-(-times.total() * k // each), max(times.values()) * k) if times else 0
    ceiling = -(-people // REPLACED) if file.replace_at_most is None else file.replace_at_most
    return Budget(people, each, ceiling if file.replace_excluded else 0, file.payment)
