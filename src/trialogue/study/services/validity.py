"""Evidence of attention from stored data, for the exclusion rules and for staff. It never affects payment."""

from collections.abc import Iterable, Iterator
from functools import lru_cache

from django.db.models import Count, Max

from trialogue.records import JsonValue
from trialogue.study.design.checks import Evidence, time_away
from trialogue.study.design.file import StudyFile
from trialogue.study.design.pages import ConversationShown, LabelShown, PairShown, RatingShown, phase_of
from trialogue.study.design.questions import Question
from trialogue.study.design.validity import Session, Signal, Validity, WrittenText, signals_of, word_for, words_of
from trialogue.study.models import Check, Event, Participant, Study, Submission
from trialogue.study.services.rows import LaunchedStudy, file_of, launch_of, task_record

HIDDEN_FILLED = "hidden_field"
"""Event kind: the invisible field was filled in."""
QUESTIONNAIRES = ("screening", "before", "after", "comprehension")

_found: dict[object, dict[int, list[Signal]]] = {}


def signals(study: Study) -> dict[int, list[Signal]]:
    """Signals by the participant's id, of everybody in a study who did not withdraw."""
    people = study.participants.exclude(state=Participant.State.WITHDREW)
    last = Submission.objects.filter(participant__in=people).aggregate(last=Max("pk"), count=Count("pk"))
    key = (launch_of(study), last["last"], last["count"], people.count())
    if key not in _found:
        _found.clear()  # of one study at one time: comparing thousands of texts takes seconds
        _found[key] = signals_of(_sessions(study), file_of(study).validity or Validity())
    return _found[key]


def _sessions(study: Study) -> dict[int, Session]:
    people = study.participants.exclude(state=Participant.State.WITHDREW)
    found = {pk: Session(word=word_for(number)) for pk, number in people.values_list("pk", "number")}
    events: dict[tuple[int, str], dict[str, int]] = {}
    for who, step, kind, at in Event.objects.filter(participant__in=people).values_list(
        "participant", "step", "kind", "milliseconds"
    ):
        events.setdefault((who, step), {}).setdefault(kind, at)
        if kind == HIDDEN_FILLED:
            found[who].hidden_filled = True
    texts = _text_questions(study)
    sent = Submission.objects.filter(participant__in=people).order_by("pk")
    for who, step, answers, seconds, item in sent.values_list(
        "participant", "step", "answers", "seconds", "assignment__item"
    ):
        session, noticed = found[who], events.get((who, step), {})
        began, ended = noticed.get("first_input"), noticed.get("submit")
        typing = (ended - began) / 1000 if began is not None and ended is not None and ended >= began else None
        for name, value in answers.items():
            if isinstance(value, str) and name.rpartition("-")[2] in texts:
                session.written.append(WrittenText(value, typing, "paste" in noticed))
        if phase_of(step) in QUESTIONNAIRES:
            session.answers |= answers
        if phase_of(step) == "task" and item is not None and seconds is not None:
            session.reading.append((_words(launch_of(study), item), seconds))
    return found


def _text_questions(study: Study) -> frozenset[str]:
    file = file_of(study)
    asked: list[Question] = [*file.criteria, *file.item_questions()]
    asked += [question for page in (*file.before, *file.after) for question in page.questions]
    return frozenset(question.name for question in asked if question.text is not None)


@lru_cache(maxsize=2_000)
def _words(of: LaunchedStudy, item_id: int) -> int:
    """Words that have to be read to judge an item; of a live conversation, none that are known before."""
    item = task_record(of, item_id)
    shown = item.show(item.systems)
    if isinstance(shown, RatingShown):
        return words_of([*(line.text for line in shown.context), *shown.replies])
    if isinstance(shown, ConversationShown):
        return words_of([line.text for line in shown.lines])
    if isinstance(shown, LabelShown):
        return words_of([line.text for line in shown.lines[: shown.asked_about + 1]])
    if isinstance(shown, PairShown):
        sides = [side if isinstance(side, str) else " ".join(line.text for line in side) for side in shown.sides]
        return words_of([*(line.text for line in shown.context), *sides])
    return 0


def evidence_of(participant: Participant) -> Evidence:
    """Checks, times, answers, texts, and what the browser noticed, of the tasks."""
    sent = Submission.objects.filter(participant=participant).order_by("received_at")
    tasks = [each for each in sent if phase_of(each.step) == "task"]
    events: dict[str, list[tuple[str, int]]] = {}
    for step, kind, at in Event.objects.filter(participant=participant).values_list("step", "kind", "milliseconds"):
        if phase_of(step) == "task":
            events.setdefault(step, []).append((kind, at))
    failed = Check.objects.filter(participant=participant, kind=Check.Kind.ATTENTION, passed=False).count()
    return Evidence(
        failed_checks=failed,
        seconds=tuple(each.seconds for each in tasks if each.seconds is not None and each.seconds >= 0),
        answers=tuple(_choices_in(tasks, file_of(participant.study))),
        texts=tuple(_texts_in(tasks, file_of(participant.study))),
        pastes=sum(kind == "paste" for page in events.values() for kind, _ in page),
        away=_share_away(events.values()),
    )


def _choices_in(tasks: Iterable[Submission], file: StudyFile) -> Iterator[JsonValue]:
    """Points, numbers and single choices, by the kind of the question."""
    chosen = {question.name for question in (*file.criteria, *file.item_questions()) if question.choice is not None}
    chosen |= {"choice"} if file.type == "chat" else set()  # which of two conversations was better
    for each in tasks:
        for name, value in sorted(each.answers.items()):
            option = isinstance(value, str) and name.rpartition("-")[2] in chosen
            if option or isinstance(value, int | float):
                yield value


def _texts_in(tasks: Iterable[Submission], file: StudyFile) -> Iterator[str]:
    asked = {question.name for question in (*file.criteria, *file.item_questions()) if question.text is not None}
    for each in tasks:
        for name, value in each.answers.items():
            if isinstance(value, str) and name.rpartition("-")[2] in asked:
                yield value


def _share_away(pages: Iterable[list[tuple[str, int]]]) -> float | None:
    """None if the browser reported nothing, such as one without JavaScript."""
    spans = [time_away(page) for page in pages]
    whole = sum(total for _, total in spans)
    return sum(away for away, _ in spans) / whole if whole else None
