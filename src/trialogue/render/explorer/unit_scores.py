"""The scores of single rows, looked up where they lie: in the columns of a run's blocks, and in people's answers."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from trialogue.records import Reason, Score, ScoreBlock
from trialogue.render.explorer.entries import Entry

Key = tuple[str, str]
"""(system, id of the dialogue or of the situation)."""


_Column = tuple[str, Sequence[float | None] | None, dict[int, Reason]]
"""(measure, values by place, why places have none)."""


Value = tuple[str, float | None, Reason | None]
"""(measure, its value for a row or for one of its utterances, why there is none)."""


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

    def values(self, entry: Entry) -> dict[int | None, list[Value]]:
        """By utterance, values of metrics, and people's mean answers by question; None: those of the whole row."""
        found: dict[int | None, list[Value]] = {}
        for block, dialogue, replies in self._places(entry):
            of_replies, of_dialogues = self._columns_of(block)
            if dialogue is not None and (own := _row_of(of_dialogues, dialogue)):
                found.setdefault(None, []).extend(own)
            for reply in replies:
                if own := _row_of(of_replies, reply):
                    found.setdefault(_utterance_of(block, reply, dialogue), []).extend(own)
        for utterance, value in _means(self.answers(entry), entry):
            found.setdefault(utterance, []).append(value)
        return found

    def means(self, entry: Entry) -> dict[str, float]:
        """By measure, the value of a row: its own, else the mean of those of its utterances."""
        own: dict[str, list[float]] = {}
        of_utterances: dict[str, list[float]] = {}
        for block, dialogue, replies in self._places(entry):
            of_replies, of_dialogues = self._columns_of(block)
            for measure, value, _ in () if dialogue is None else _row_of(of_dialogues, dialogue):
                if value is not None:
                    own.setdefault(measure, []).append(value)
            parts = of_utterances if dialogue is not None and block.utterances else own
            for measure, values, _ in of_replies:
                if values and (known := [each for each in values[replies.start : replies.stop] if each is not None]):
                    parts.setdefault(measure, []).extend(known)
        for utterance, (measure, value, _) in _means(self.answers(entry), entry):
            if value is not None:
                (own if utterance is None else of_utterances).setdefault(measure, []).append(value)
        return {measure: sum(found) / len(found) for measure, found in (of_utterances | own).items()}

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


def _row_of(columns: Iterable[_Column], place: int) -> list[Value]:
    """Measures that say something of a place: their values there, and why they have none."""
    return [
        (measure, value, whys.get(place))
        for measure, values, whys in columns
        if (value := values[place] if values else None) is not None or place in whys
    ]


def _utterance_of(block: ScoreBlock, reply: int, dialogue: int | None) -> int | None:
    return block.utterances[reply] if dialogue is not None and block.utterances else None


def _means(answers: Iterable[Score], entry: Entry) -> Iterator[tuple[int | None, Value]]:
    groups: dict[tuple[str, int | None], list[float]] = {}
    for each in answers:
        if each.value is not None:
            utterance = None if entry.is_reply else each.utterance
            groups.setdefault((each.measure, utterance), []).append(each.value)
    for (measure, utterance), found in groups.items():
        yield utterance, (measure, sum(found) / len(found), None)
