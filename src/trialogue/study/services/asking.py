"""Build the ``Step`` of each page from the study file and the items. Reads, never writes."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from trialogue.records import JsonValue
from trialogue.study.design.file import StudyFile
from trialogue.study.design.items import AnyItem
from trialogue.study.design.pages import (
    ChatShown,
    Content,
    FeedbackShown,
    ItemKind,
    Part,
    Row,
    Shown,
    Step,
    StepKind,
    number_of,
    phase_of,
)
from trialogue.study.design.questions import Question, TextLimits
from trialogue.study.design.validity import INSTRUCTION, word_for
from trialogue.study.models import Assignment, Participant, Submission
from trialogue.study.services import rows
from trialogue.study.services.chatting import shown_chat
from trialogue.study.services.rows import (
    LaunchedStudy,
    extras_of,
    file_of,
    launch_of,
    order_of,
    page_key,
    task_record,
    token_for,
)

KINDS: dict[str, StepKind] = {
    "consent": "consent",
    "screening": "screening",
    "before": "questions",
    "after": "questions",
    "instructions": "instructions",
    "training": "training",
    "feedback": "feedback",
    "comprehension": "comprehension",
    "task": "task",
    "check": "task",
    "exit": "exit",
}


@dataclass(frozen=True)
class ShownItem:
    """Content of an item shown at a step."""

    record: AnyItem
    order: list[str]
    """Systems as shown."""
    expected: Mapping[str, JsonValue]
    """For training items and checks: the right answer by field name."""


def step_of(participant: Participant, key: str, assignment: Assignment | None = None) -> Step:
    """The step of a participant, with everything that its page shows.

    Args:
        participant: the participant.
        key: key of the step.
        assignment: assignment of the task, if it has just been read.
    """
    study = participant.study
    file = file_of(study)
    phase = phase_of(key)
    shows = item_at(participant, key, assignment)
    content, item = _content(participant, file, key, shows)
    tasks = [each for each in participant.plan if phase_of(each) in ("task", "check")]
    heading, text = _prose(file, key)
    return Step(
        key=key,
        kind="chat" if isinstance(content, ChatShown) else KINDS[phase],
        number=participant.step + 1,
        of=_length(participant, file),
        token=token_for(participant.pk, key),
        page_key=page_key(participant.pk, key),
        parts=parts_of(participant, key, shows),
        item=item,
        content=content,
        heading=heading,
        text=text,
        attempt=number_of(key) if phase == "comprehension" else 1,
        attempts=file.comprehension.attempts if phase == "comprehension" and file.comprehension else 1,
        task=tasks.index(key) + 1 if key in tasks else 0,
        tasks=len(tasks),
        hidden=_hidden(participant, file, phase),
    )


def _hidden(participant: Participant, file: StudyFile, phase: str) -> str:
    """The instruction that people cannot see, on pages with questions."""
    if (
        file.validity is None
        or not file.validity.hidden_instruction
        or phase not in ("task", "check", "before", "after")
    ):
        return ""
    return INSTRUCTION.format(word=word_for(participant.number))


def _length(participant: Participant, file: StudyFile) -> int:
    """Steps as far as they are known; tasks that are not given out yet are counted as the study file plans them."""
    planned = file.tasks_per_participant - 1
    return len(participant.plan) + (planned if "tasks" in participant.plan else 0)


def item_at(participant: Participant, key: str, assignment: Assignment | None = None) -> ShownItem | None:
    """The item that a step shows, and in which order; None for a step without an item."""
    phase, number = phase_of(key), number_of(key)
    of = launch_of(participant.study)
    if phase == "task":
        held = assignment or assignment_at(participant, key)
        return ShownItem(task_record(of, held.item_id), list(order_of(of, held.slot_id)), {}) if held else None
    name = {"training": "training", "feedback": "training", "check": "check"}.get(phase)
    extra = extras_of(of).get(f"{name}-{number}") if name else None
    return ShownItem(extra.record, list(extra.record.systems), extra.expected) if extra else None


def assignment_at(participant: Participant, key: str) -> Assignment | None:
    """The assignment of a task."""
    return rows.assignment(participant, number_of(key)) if phase_of(key) == "task" else None


def parts_of(participant: Participant, key: str, shows: ShownItem | None) -> tuple[Part, ...]:
    """The questions of a step; the same objects for everybody who is asked the same."""
    phase = phase_of(key)
    if phase not in ("task", "check", "training"):
        return _parts(launch_of(participant.study), key, 0)
    return _parts(launch_of(participant.study), phase, len(shows.order)) if shows else ()


@lru_cache(maxsize=512)
def _parts(of: LaunchedStudy, key: str, shown: int) -> tuple[Part, ...]:
    """The questions of a step, or of all tasks (``task``), checks (``check``) and training items with so many systems."""
    file, phase, number = file_of(of.study), phase_of(key), number_of(key)
    if phase == "screening" and file.screening:
        return (Part("", file.screening.questions),)
    if phase in ("before", "after"):
        pages = file.before if phase == "before" else file.after
        return tuple(Part("", page.questions) for page in pages[number - 1 : number])
    if phase == "comprehension" and file.comprehension:
        return (Part("", file.comprehension.questions),)
    if phase in ("task", "check", "training"):
        return item_parts(file, shown, check=phase == "check")
    return ()


def item_parts(file: StudyFile, shown: int, *, check: bool = False) -> tuple[Part, ...]:
    """Questions about an item of ``n`` systems: the criteria for each system, then the questions asked once."""
    asked = tuple(question.for_replies(shown) for question in file.item_questions())
    judged = tuple(_lenient(question) for question in asked) if check else asked
    if file.type == "rating":
        each = tuple(Part(f"r{place}-", file.criteria) for place in range(1, shown + 1))
        return (*each, *((Part("", judged),) if judged else ()))
    if file.type == "chat":
        if shown == 1:
            return (Part("", (*file.criteria, *judged)),)
        both = tuple(Part(f"r{place}-", file.criteria) for place in range(1, shown + 1))
        return (*both, Part("", (*_better(), *judged)))
    return (Part("", judged),)


def _lenient(question: Question) -> Question:
    """Checks require no reasons and orders, because their text asks for something else."""
    if question.ranking is not None or question.best_worst is not None:
        return question.model_copy(update={"required": False})
    if question.text is None:
        return question
    return question.model_copy(update={"required": False, "text": TextLimits(lines=question.text.lines)})


def _better() -> tuple[Question, ...]:
    from trialogue.study.design.file import preference_question

    return (preference_question(),)


def _content(
    participant: Participant, file: StudyFile, key: str, shows: ShownItem | None
) -> tuple[Content, ItemKind | None]:
    if shows is None:
        return None, None
    record = shows.record
    if file.type == "chat":
        return shown_chat(participant, key, record, shows.order, file), "chat"
    shown = record.show(shows.order)
    assert shown is not None
    if phase_of(key) == "feedback":
        return _feedback(participant, file, key, shows, shown), file.type
    return shown, file.type


def _feedback(participant: Participant, file: StudyFile, key: str, shows: ShownItem, shown: Shown) -> FeedbackShown:
    number = number_of(key)
    stored = Submission.objects.filter(participant=participant, step=f"training:{number}").first()
    answers: dict[str, JsonValue] = stored.answers if stored else {}
    expected = shows.expected
    rows = []
    for part in item_parts(file, len(shows.order)):
        place = int(part.prefix[1:-1]) if part.prefix else None
        for question in part.questions:
            wanted = expected.get(part.prefix + question.name, expected.get(question.name))
            if wanted is not None:
                rows.append(Row(place, question, answers.get(part.prefix + question.name), wanted))
    right = all(row.given == row.expected for row in rows)
    return FeedbackShown(shown, right, file.training[number - 1].explanation, tuple(rows))


def _prose(file: StudyFile, key: str) -> tuple[str | dict[str, str], str | dict[str, str]]:
    phase, number = phase_of(key), number_of(key)
    if phase == "consent" and file.consent:
        return "", file.consent.text
    if phase == "instructions":
        return "", file.instructions
    if phase in ("before", "after"):
        page = (file.before if phase == "before" else file.after)[number - 1]
        return page.heading, page.text
    if phase in ("task", "check", "training"):
        return file.task_heading, ""
    if phase == "exit":
        return "", file.thanks
    return "", ""
