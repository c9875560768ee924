"""The scores of single rows, looked up where they lie: in the columns of a run's blocks, and in people's answers."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from trialogue.records import Reason, Score, ScoreBlock
from trialogue.report.explorer.entries import Entry

Key = tuple[str, str]
"""(system, id of the dialogue or of the situation)."""


_Column = tuple[str, Sequence[float | None] | None, dict[int, Reason]]
"""(measure, values by place, why places have none)."""


class Value(NamedTuple):
    """Value of one measure for a row, or for one of its utterances."""

    measure: str
    utterance: int | None
    """Index of the utterance; None: of the whole row."""
    value: float | None
    why: Reason | None = None
    """Why there is no value."""


@dataclass(frozen=True)
class _Place:
    """Position of a dialogue in a block."""

    block: ScoreBlock
    dialogue: int
    first_reply: int


@dataclass
class UnitScores:
    """Scores by unit."""

    _dialogues: dict[Key, list[_Place]] = field(default_factory=dict)
    _replies: dict[Key, list[tuple[ScoreBlock, int]]] = field(default_factory=dict)
    _answers: dict[tuple[bool, Key], list[Score]] = field(default_factory=dict)
    _columns: dict[int, tuple[list[_Column], list[_Column]]] = field(default_factory=dict)

    @classmethod
    def of(cls, scores: Iterable[Score | ScoreBlock]) -> "UnitScores":
        """Index the unit scores; system values and differences are skipped."""
        found = cls()
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

    def values(self, entry: Entry) -> Iterator[Value]:
        """Values of metrics for a row and its utterances, and people's mean answers by question."""
        key = (entry.system, entry.dialogue.id)
        if entry.is_reply:
            for block, place in self._replies.get(key, ()):
                yield from self._of_reply(block, place, None)
        else:
            for found in self._dialogues.get(key, ()):
                yield from self._of_dialogue(found)
        yield from _means(self.answers(entry), entry)

    def _of_dialogue(self, place: _Place) -> Iterator[Value]:
        block = place.block
        for measure, values, whys in self._columns_of(block)[1]:
            value = values[place.dialogue] if values else None
            if value is not None or place.dialogue in whys:
                yield Value(measure, None, value, whys.get(place.dialogue))
        for reply in range(place.first_reply, place.first_reply + block.replies[place.dialogue]):
            yield from self._of_reply(block, reply, block.utterances[reply] if block.utterances else None)

    def _of_reply(self, block: ScoreBlock, reply: int, utterance: int | None) -> Iterator[Value]:
        for measure, values, whys in self._columns_of(block)[0]:
            value = values[reply] if values else None
            if value is not None or reply in whys:
                yield Value(measure, utterance, value, whys.get(reply))

    def _columns_of(self, block: ScoreBlock) -> tuple[list[_Column], list[_Column]]:
        """Columns of a block that say something of replies, and of dialogues. Gaps are lists; they are looked up often."""
        if id(block) not in self._columns:
            replies: list[_Column] = []
            dialogues: list[_Column] = []
            for column in block.columns:
                of_replies = {place: gap.why for gap in column.gaps for place in gap.replies}
                of_dialogues = {place: gap.why for gap in column.gaps for place in gap.dialogues}
                if column.replies or of_replies:
                    replies.append((column.measure, column.replies, of_replies))
                if column.dialogues or of_dialogues:
                    dialogues.append((column.measure, column.dialogues, of_dialogues))
            self._columns[id(block)] = replies, dialogues
        return self._columns[id(block)]


def _means(answers: Iterable[Score], entry: Entry) -> Iterator[Value]:
    groups: dict[tuple[str, int | None], list[float]] = {}
    for each in answers:
        if each.value is not None:
            utterance = None if entry.is_reply else each.utterance
            groups.setdefault((each.measure, utterance), []).append(each.value)
    for (measure, utterance), found in groups.items():
        yield Value(measure, utterance, sum(found) / len(found))
