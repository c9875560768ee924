"""Convert submissions to records: rater, system, answer and presentation."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from trialogue.records import JsonValue, Preference, Reason, ReasonCode, Score
from trialogue.study.design.file import StudyFile
from trialogue.study.design.flow import phase_of
from trialogue.study.design.items import (
    HUMAN,
    AnyItem,
    ChatItem,
    LabellingItem,
    PreferenceItem,
    RatingItem,
    RealismItem,
)
from trialogue.study.design.questions import Question

LEFT_OUT = Reason.of(ReasonCode.QUESTION_SKIPPED)
MEASURE = "human:{name}"


@dataclass(frozen=True)
class AnsweredTask:
    """One answered task."""

    rater: str
    """The participant's code."""
    step: str
    answers: Mapping[str, JsonValue]
    seconds: float | None
    trial: int
    """Number of the page in the session, from 1."""
    item: AnyItem
    order: tuple[str, ...]
    """Systems as shown."""

    @cached_property
    def score_fields(self) -> dict[str, str | int | None]:
        """Subject of the judgement, by the names of a score's fields."""
        if isinstance(self.item, ChatItem):
            return {"dialogue_id": None, "situation_id": None}
        if isinstance(self.item, RatingItem):
            return dict(self.item.subject)
        return {"dialogue_id": self.item.dialogue_id, "situation_id": self.item.key}

    @property
    def of_one(self) -> bool:
        """Whether it is a conversation with one system, so that whatever is asked is asked about that."""
        return isinstance(self.item, ChatItem) and len(self.order) == 1

    @property
    def of_item(self) -> dict[str, str | int | None]:
        """Subject of answers given once per item: no system."""
        return {**self.score_fields, "utterance": None, "situation_id": self.item.key, "rater": self.rater}

    def talk(self, place: int) -> str:
        """Id of the conversation at a place."""
        return talk_id(self.rater, self.step, place)


def talk_id(rater: str, step: str, place: int) -> str:
    """Id of a participant's conversation.

    >>> talk_id("P1", "task:2", 1)
    'P1-2-1'
    """
    return f"{rater}-{step.partition(':')[2]}-{place}"


@dataclass
class ExportedJudgements:
    """Everything that judgements make, file by file."""

    scores: list[Score] = field(default_factory=list)
    preferences: list[Preference] = field(default_factory=list)
    labels: list[dict[str, object]] = field(default_factory=list)
    presentations: list[dict[str, object]] = field(default_factory=list)
    surplus: set[int] = field(default_factory=set)
    """Ids of submissions that do not count, since their items have all answers that they need: in ``answers.csv`` alone."""


def add(found: ExportedJudgements, judged: AnsweredTask, file: StudyFile) -> None:
    """A judgement into the files that it belongs to."""
    if not judged.of_one:
        found.scores += scores(file.item_questions(), judged.answers, "", level="dialogue", about=judged.of_item)
    match judged.item:
        case RatingItem():
            _add_ratings(found, judged, judged.item.level, file)
        case ChatItem():
            _add_talks(found, judged, file)
        case PreferenceItem() | RealismItem():
            _add_choice(found, judged, _preference(judged, judged.item))
        case LabellingItem():
            _add_label(found, judged, judged.item)


def _add_ratings(found: ExportedJudgements, judged: AnsweredTask, level: str, file: StudyFile) -> None:
    for place, system in enumerate(judged.order, start=1):
        about = {"rater": judged.rater, "system": system, **judged.score_fields}
        found.scores += scores(file.criteria, judged.answers, f"r{place}-", level=level, about=about)
        found.presentations.append(_presentation(judged, about, place))


def _add_talks(found: ExportedJudgements, judged: AnsweredTask, file: StudyFile) -> None:
    for place, system in enumerate(judged.order, start=1):
        about = {"rater": judged.rater, "system": system, "dialogue_id": judged.talk(place)}
        asked = (*file.criteria, *file.item_questions()) if judged.of_one else file.criteria
        prefix = "" if judged.of_one else f"r{place}-"
        found.scores += scores(asked, judged.answers, prefix, level="dialogue", about=about)
        found.presentations.append(_presentation(judged, about, place))
    if not judged.of_one:
        talks = {system: judged.talk(place) for place, system in enumerate(judged.order, start=1)}
        a, b = sorted(talks)
        _add_choice(found, judged, _choice(judged, a, b, dialogue_a=talks[a], dialogue_b=talks[b]))


def scores(
    asked: tuple[Question, ...],
    answers: Mapping[str, JsonValue],
    prefix: str,
    *,
    level: str,
    about: Mapping[str, object],
) -> Iterator[Score]:
    """A score of every question whose answer is a number; one that was left out has no value."""
    for question in asked:
        if not question.is_numeric:
            continue
        value = answers.get(prefix + question.name)
        given = float(value) if isinstance(value, int | float) else None
        fields = {"measure": MEASURE.format(name=question.name), "level": level, "value": given, **about}
        if question.limits is not None:
            fields["scale"] = question.limits
        yield Score.model_validate(fields if given is not None else {**fields, "why": LEFT_OUT})


def _presentation(judged: AnsweredTask, about: Mapping[str, object], place: int) -> dict[str, object]:
    return {**about, "position": place, "trial": judged.trial, "seconds": judged.seconds}


def _preference(judged: AnsweredTask, item: PreferenceItem | RealismItem) -> Preference:
    if isinstance(item, RealismItem):
        talks = {"dialogue_a": item.simulated.id, "dialogue_b": item.human.id}
        return _choice(judged, item.simulator, HUMAN, source=item.agent or None, **talks)
    a, b = item.systems
    if item.dialogues is None:
        return _choice(judged, a, b, situation_id=item.key)
    return _choice(judged, a, b, dialogue_a=item.dialogues[a].id, dialogue_b=item.dialogues[b].id)


def _choice(judged: AnsweredTask, a: str, b: str, **about: str | None) -> Preference:
    """The choice between two sides; ``a`` may be called otherwise where it was shown (a simulator is "simulated")."""
    side = str(judged.answers["choice"])
    reason = judged.answers.get("reason")
    chosen = "tie" if side == "same" else "a" if (side == "1") == _is_shown_first(judged, b) else "b"
    fields = {"id": f"{judged.rater}:{judged.step}", "a": a, "b": b, "choice": chosen, "rater": judged.rater}
    return Preference.model_validate({**fields, **about, "reason": str(reason) if reason else None})


def _is_shown_first(judged: AnsweredTask, b: str) -> bool:
    """Whether ``a`` was shown first."""
    return judged.order[0] != b


def _add_choice(found: ExportedJudgements, judged: AnsweredTask, preference: Preference) -> None:
    found.preferences.append(preference)
    position = 1 if _is_shown_first(judged, preference.b) else 2
    shown = {"rater": judged.rater, "preference_id": preference.id, "position": position}
    found.presentations.append({**shown, "trial": judged.trial, "seconds": judged.seconds})


def _add_label(found: ExportedJudgements, judged: AnsweredTask, item: LabellingItem) -> None:
    label = judged.answers.get("label")
    if label is not None:
        found.labels.append(label_row(item, judged.rater, str(label), "annotator"))


def label_row(item: LabellingItem, rater: str, label: str, role: str) -> dict[str, object]:
    """A row of labels.csv."""
    where = {"dialogue_id": item.dialogue_id or item.key, "utterance": item.utterance}
    return {**where, "rater": rater, "label": label, "role": role}


def is_task(step: str) -> bool:
    """Whether a step is judged for the analysis: checks and training are not."""
    return phase_of(step) == "task"
