"""All scores of a run: system, difference and human scores as records, unit scores as columns."""

from collections.abc import Iterator, Sequence
from typing import overload

from trialogue.records import Score, ScoreBlock
from trialogue.records.scores.score_table import ScoreTable


class RunScores(Sequence[Score]):
    """Scores of a run: first those of people, systems and differences, then unit scores."""

    def __init__(self, others: Sequence[Score], units: ScoreTable) -> None:
        self.others, self.units = others, units

    def lines(self) -> Iterator[Score | ScoreBlock]:
        """Records of a file that holds them all."""
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
        """One score or a slice."""
        if isinstance(place, int) and 0 <= place < len(self.others):
            return self.others[place]
        return list(self)[place]
