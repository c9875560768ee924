"""All scores of a run: system, difference and human scores as records, unit scores as columns."""

from collections.abc import Iterator, Sequence
from typing import overload

from trialogue.records import Score, ScoreBlock
from trialogue.records.scores.score_table import ScoreTable


class RunScores(Sequence[Score]):
    """First the scores of people, systems and differences, then those that metrics give units."""

    def __init__(self, others: Sequence[Score], units: ScoreTable) -> None:
        self.others, self.units = others, units

    def lines(self) -> Iterator[Score | ScoreBlock]:
        """The records of a file that holds them all."""
        yield from self.others
        yield from self.units.blocks()

    def __iter__(self) -> Iterator[Score]:
        yield from self.others
        yield from self.units

    def __len__(self) -> int:
        return len(self.others) + len(self.units)

    @overload
    def __getitem__(self, place: int) -> Score: ...

    @overload
    def __getitem__(self, place: slice) -> list[Score]: ...

    def __getitem__(self, place: int | slice) -> Score | list[Score]:
        """One score, or some."""
        if isinstance(place, int) and 0 <= place < len(self.others):
            return self.others[place]
        return list(self)[place]
