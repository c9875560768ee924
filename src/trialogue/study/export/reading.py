"""Read the database in a stable order for the export."""

from collections.abc import Collection, Iterator

from trialogue.records import Dialogue, Ending, JsonValue, Need, Score, Utterance
from trialogue.records.kinds.uses import CONSENT
from trialogue.study.design.file import StudyFile
from trialogue.study.design.flow import number_of, phase_of
from trialogue.study.design.items import ChatItem, LabellingItem
from trialogue.study.export.judgements import AnsweredTask, is_task, label_row, scores, talk_id
from trialogue.study.models import Adjudication, Chat, Coding, Participant, Study, Submission
from trialogue.study.services.management.counting import left_out
from trialogue.study.services.reading import file_of, record_of
from trialogue.study.services.validity import signals

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
