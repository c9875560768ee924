"""The scores of single rows, looked up where they lie: in the columns of a run's blocks, and in people's answers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat

from trialogue.findings.standings import column_name
from trialogue.records import Score, ScoreBlock
from trialogue.render.explorer.entries import Entry

Key = tuple[str, str]
"""(system, id of the dialogue or of the situation)."""


Cell = float | tuple[float | None, str] | None
"""A value; with the reason, a value that is undefined or in doubt; None: nothing."""
Values = tuple[tuple[str, ...], tuple[Cell, ...]]
"""Names of columns, and the cell of each in a row or one of its utterances."""


@dataclass(frozen=True)
class _Place:
    """Position of a dialogue in a block."""

    block: ScoreBlock
    dialogue: int
    first_reply: int


class _Columns:
    """Those columns of a block that say something of its replies, or of its dialogues."""

    def __init__(self, columns: Iterable[tuple[str, Sequence[float | None], Mapping[int, str]]]) -> None:
        """``columns``: name, values by place, and why places have none."""
        known = [each for each in columns if each[1]]
        self.names, self.values = tuple(name for name, _, _ in known), [values for _, values, _ in known]
        self._cells = [_cells(values, whys) for _, values, whys in known]

    def rows(self, places: range) -> Iterator[tuple[Cell, ...]]:
        """The cells of places in a row."""
        return zip(*[own[places.start : places.stop] for own in self._cells], strict=True)


def _cells(values: Sequence[float | None], whys: Mapping[int, str]) -> Sequence[Cell]:
    cells: list[Cell] = [*values]
    known: dict[Cell, Cell] = {}  # for the memory: most are None, for one reason
    for place, why in whys.items():
        cell = values[place], why
        cells[place] = known.setdefault(cell, cell)
    return cells if whys else values


@dataclass
class UnitScores:
    """Scores by unit, under the names of the report's columns."""

    _users: str | None = None

    _dialogues: dict[Key, list[_Place]] = field(default_factory=dict)
    _replies: dict[Key, list[tuple[ScoreBlock, int]]] = field(default_factory=dict)
    _answers: dict[tuple[bool, Key], list[Score]] = field(default_factory=dict)
    _columns: dict[int, tuple[_Columns, _Columns]] = field(default_factory=dict)

    @classmethod
    def of(cls, scores: Iterable[Score | ScoreBlock], users: str | None) -> "UnitScores":
        """Index the unit scores; system values and differences are skipped.

        Args:
            scores: of the rows, and others.
            users: the kind of simulated users that columns name; None: none.
        """
        found = cls(users)
        for each in scores:
            if isinstance(each, ScoreBlock):
                found._add_block(each)
            elif each.system is not None and each.level in ("dialogue", "utterance", "response"):
                found._add_score(each, each.system)
        return found

    def _add_block(self, block: ScoreBlock) -> None:
        first = 0
        for place, (name, count) in enumerate(zip(block.dialogues, block.replies, strict=True)):
            if name is not None and not block.situations:
                self._dialogues.setdefault((block.system, name), []).append(_Place(block, place, first))
            first += count
        for place, situation in enumerate(block.situations):
            if situation is not None:
                self._replies.setdefault((block.system, situation), []).append((block, place))

    def _add_score(self, score: Score, system: str) -> None:
        if score.situation_id is not None:
            self._answers.setdefault((True, (system, score.situation_id)), []).append(score)
        elif score.dialogue_id is not None:
            self._answers.setdefault((False, (system, score.dialogue_id)), []).append(score)

    def answers(self, entry: Entry) -> list[Score]:
        """Single scores: people's answers, and scores read from files."""
        return self._answers.get((entry.is_reply, (entry.system, entry.dialogue.id)), [])

    def values(self, entry: Entry) -> dict[int | None, list[Values]]:
        """By utterance, values of metrics, and people's mean answers by question; None: those of the whole row."""
        found: dict[int | None, list[Values]] = {}
        for block, dialogue, replies in self._places(entry):
            of_replies, of_dialogues = self._columns_of(block)
            if dialogue is not None:
                rows = of_dialogues.rows(range(dialogue, dialogue + 1))
                found.setdefault(None, []).extend([(of_dialogues.names, cells) for cells in rows])
            is_said = dialogue is not None and block.utterances
            utterances = block.utterances[replies.start : replies.stop] if is_said else repeat(None)
            for utterance, cells in zip(utterances, of_replies.rows(replies), strict=False):  # of no columns, no rows
                found.setdefault(utterance, []).append((of_replies.names, cells))
        for utterance, name, value in self._means(entry):
            found.setdefault(utterance, []).append(((name,), (value,)))
        return found

    def means(self, entry: Entry) -> dict[str, float]:
        """By column, the value of a row: its own, else the mean of those of its utterances."""
        own: dict[str, list[float]] = {}
        of_utterances: dict[str, list[float]] = {}
        for block, dialogue, replies in self._places(entry):
            of_replies, of_dialogues = self._columns_of(block)
            wholes = () if dialogue is None else zip(of_dialogues.names, of_dialogues.values, strict=True)
            for name, values in wholes:
                if values and (value := values[dialogue or 0]) is not None:
                    own.setdefault(name, []).append(value)
            parts = of_utterances if dialogue is not None and block.utterances else own
            for name, values in zip(of_replies.names, of_replies.values, strict=True):
                if known := [each for each in values[replies.start : replies.stop] if each is not None]:
                    parts.setdefault(name, []).extend(known)
        for utterance, name, value in self._means(entry):
            (own if utterance is None else of_utterances).setdefault(name, []).append(value)
        return {name: sum(found) / len(found) for name, found in (of_utterances | own).items()}

    def _places(self, entry: Entry) -> Iterator[tuple[ScoreBlock, int | None, range]]:
        """Blocks that hold scores of a row, the place of the dialogue (None: a reply to a situation), its replies."""
        key = (entry.system, entry.dialogue.id)
        if entry.is_reply:
            for block, place in self._replies.get(key, ()):
                yield block, None, range(place, place + 1)
        else:
            for found in self._dialogues.get(key, ()):
                first = found.first_reply
                yield found.block, found.dialogue, range(first, first + found.block.replies[found.dialogue])

    def _columns_of(self, block: ScoreBlock) -> tuple[_Columns, _Columns]:
        """Columns of a block that say something of replies, and of dialogues. Gaps are lists; they are looked up often."""
        if id(block) not in self._columns:
            replies, dialogues = [], []
            for column in block.columns:
                name = column_name(column.measure, self._users)
                whys = [(gap, str(gap.why)) for gap in column.gaps]
                replies.append((name, column.replies, {place: why for gap, why in whys for place in gap.replies}))
                dialogues.append((name, column.dialogues, {place: why for gap, why in whys for place in gap.dialogues}))
            self._columns[id(block)] = _Columns(replies), _Columns(dialogues)
        return self._columns[id(block)]

    def _means(self, entry: Entry) -> Iterator[tuple[int | None, str, float]]:
        """People's mean answers: (utterance, column, mean)."""
        groups: dict[tuple[str, int | None], list[float]] = {}
        for each in self.answers(entry):
            if each.value is not None:
                utterance = None if entry.is_reply else each.utterance
                groups.setdefault((each.measure, utterance), []).append(each.value)
        for (measure, utterance), found in groups.items():
            yield utterance, column_name(measure, self._users), sum(found) / len(found)
