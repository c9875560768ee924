"""Evidence of attention from stored data, for the exclusion rules. It never affects payment."""

from collections.abc import Iterable, Iterator

from trialogue.records import JsonValue
from trialogue.study.design.checks import Evidence, time_away
from trialogue.study.design.file import StudyFile
from trialogue.study.design.flow import phase_of
from trialogue.study.models import Check, Event, Participant, Submission
from trialogue.study.services.reading import file_of


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
