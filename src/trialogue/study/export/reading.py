"""Read what a study stores for its export: people, steps and submissions, as records with their ratings."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from trialogue.records import Dialogue, Ending, JsonValue, Need, Preference, Reason, ReasonCode, Score, Utterance
from trialogue.records.kinds.uses import CONSENT
from trialogue.study.design.file import StudyFile
from trialogue.study.design.items import (
    HUMAN,
    AnyItem,
    ChatItem,
    LabellingItem,
    PreferenceItem,
    RatingItem,
    RealismItem,
)
from trialogue.study.design.pages import number_of, phase_of
from trialogue.study.design.questions import Question
from trialogue.study.models import Adjudication, Chat, Coding, Participant, Study, Submission
from trialogue.study.services.deciding import left_out
from trialogue.study.services.rows import file_of, record_of
from trialogue.study.services.validity import signals

LEFT_OUT = Reason.of(ReasonCode.QUESTION_SKIPPED)
MEASURE = "human:{name}"


@dataclass(frozen=True)
class AnsweredTask:
    """One answered task."""

    rater: str
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


QUESTIONNAIRES = ("before", "after")
ENDINGS = {"user": Ending.USER_ENDED, "system": Ending.AGENT_ENDED, "limit": Ending.TURN_LIMIT}
"""By the database's word for who ended a conversation."""


def submissions(study: Study) -> Iterator[Submission]:
    """Everything that was sent by people who did not withdraw."""
    kept = Submission.objects.filter(participant__study=study).exclude(participant__state=Participant.State.WITHDREW)
    related = kept.select_related("participant", "assignment__slot", "assignment__item")
    yield from related.order_by("participant__number", "pk").iterator(chunk_size=500)


def read_judged(sent: Submission) -> AnsweredTask | None:
    """An answered task; None for another step."""
    if sent.assignment is None or not is_task(sent.step):
        return None
    plan = [str(key) for key in sent.participant.plan]
    return AnsweredTask(
        rater=sent.participant.code,
        step=sent.step,
        answers=sent.answers,
        seconds=None if sent.seconds is None else round(sent.seconds, 3),
        trial=plan.index(sent.step) + 1 if sent.step in plan else 1,
        item=record_of(sent.assignment.item),
        order=tuple(sent.assignment.slot.order),
    )


def questionnaire(sent: Submission, file: StudyFile) -> list[Score]:
    """Numbers of a questionnaire: about no system."""
    phase = phase_of(sent.step)
    if phase not in QUESTIONNAIRES:
        return []
    page = (file.before if phase == "before" else file.after)[number_of(sent.step) - 1]
    return list(scores(page.questions, sent.answers, "", level="dialogue", about={"rater": sent.participant.code}))


def dialogues(study: Study, file: StudyFile) -> Iterator[Dialogue]:
    """Conversations of people who did not withdraw, whatever ended them, with the uses that they agreed to."""
    chats = Chat.objects.filter(participant__study=study).exclude(participant__state=Participant.State.WITHDREW)
    related = ("turns", "participant__assignments__item")
    for chat in chats.select_related("participant").prefetch_related(*related).order_by("participant__number", "pk"):
        turns = sorted(chat.turns.all(), key=lambda turn: turn.number)
        yield Dialogue(
            id=talk_id(chat.participant.code, chat.step, chat.number),
            system=chat.system,
            user=chat.participant.code,
            source=study.slug,
            ended_by=ENDINGS.get(chat.ended_by),
            meta=_agreed_uses(chat.participant, file),
            need=_assigned_need(chat),
            utterances=tuple(
                Utterance(speaker="user" if turn.speaker == "user" else "system", text=turn.text) for turn in turns
            ),
        )


def _assigned_need(chat: Chat) -> Need | None:
    """The need that the conversation's item assigned; None: none."""
    place = number_of(chat.step)
    items = (record_of(each.item) for each in chat.participant.assignments.all() if each.position == place)
    item = next(items, None)
    return item.need if isinstance(item, ChatItem) else None


def _agreed_uses(participant: Participant, file: StudyFile) -> dict[str, JsonValue]:
    """What a person agreed to: only by the version of the text that says so; {} for nothing."""
    consent = file.consent
    if consent is None or participant.consented_at is None or participant.consent_version != consent.version:
        return {}
    return {CONSENT: [use.value for use in consent.allows]} if consent.allows else {}


def turn_scores(study: Study, file: StudyFile, *, without: Collection[tuple[str, str]] = ()) -> Iterator[Score]:
    """Ratings of single replies given during conversations, without those of some (participant, step)."""
    asked = file.chat.each_turn
    chats = Chat.objects.filter(participant__study=study).exclude(participant__state=Participant.State.WITHDREW)
    for chat in chats.select_related("participant").order_by("participant__number", "pk") if asked else ():
        if (chat.participant.code, chat.step) in without:
            continue
        talk = talk_id(chat.participant.code, chat.step, chat.number)
        for turn in chat.turns.order_by("number"):
            if turn.answers:
                about = {"rater": chat.participant.code, "system": chat.system, "dialogue_id": talk}
                yield from scores(
                    asked, turn.answers, "", level="utterance", about={**about, "utterance": turn.number - 1}
                )


def final_labels(study: Study) -> list[dict[str, object]]:
    """Final labels, by staff, who are numbered."""
    made = list(Adjudication.objects.filter(item__study=study).select_related("item").order_by("item_id"))
    codes = code_logins("adjudicator", [each.by for each in made])
    rows = []
    for each in made:
        item = record_of(each.item)
        if isinstance(item, LabellingItem) and each.answers.get("label"):
            rows.append(label_row(item, codes[each.by], str(each.answers["label"]), "adjudicator"))
    return rows


def codings(study: Study) -> list[dict[str, object]]:
    """Codes that staff gave to explanations; a row without a code where a coder found none."""
    made = list(
        Coding.objects.filter(submission__participant__study=study)
        .exclude(submission__participant__state=Participant.State.WITHDREW)
        .select_related("submission__participant")
        .order_by("submission_id", "by")
    )
    coders = code_logins("coder", [each.by for each in made])
    return [
        {
            "preference_id": f"{each.submission.participant.code}:{each.submission.step}",
            "coder": coders[each.by],
            "code": code,
        }
        for each in made
        for code in (each.codes or [""])
    ]


def code_logins(word: str, logins: list[str]) -> dict[str, str]:
    """Codes of staff members; exports contain no names.

    >>> code_logins("coder", ["zoe", "ann", "zoe"])
    {'ann': 'coder1', 'zoe': 'coder2'}
    """
    return {login: f"{word}{place}" for place, login in enumerate(sorted(set(logins)), start=1)}


def participants(study: Study) -> Iterator[dict[str, object]]:
    """Everybody who came, those who withdrew included, of whom there is nothing else.

    ``by_hand`` is there only for those who are left out whatever the rules say: why; ``stratum`` only if there are strata.
    """
    excluded = left_out(study)
    signs = signals(study) if file_of(study).validity is not None else {}
    for each in study.participants.order_by("number"):
        by_hand = excluded.get(each.pk, "")
        yield {
            "participant": each.code,
            "state": each.state,
            "reached": each.reached,
            "reason": each.reason,
            "flags": ";".join([*each.flags, *signs.get(each.pk, ())]),
            "started_at": each.arrived_at.isoformat(),
            "finished_at": each.finished_at.isoformat() if each.finished_at else "",
            **({"by_hand": by_hand} if by_hand else {}),
            **({"stratum": each.stratum} if each.stratum else {}),
        }
