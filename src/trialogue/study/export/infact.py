"""Export INFACT's four workbooks, for scripts that read them.

They have 12 columns of ratings (valid and not), 8 of people and 13 of feedback.

Columns are those of INFACT's own parser (KaRS 2022), its swapped names included: ``movie_crs`` holds whether somebody ever
used a chatbot, ``other_crs`` whether one recommended films to them. Systems have their own names in place of
``kgsf``, ``kbrd`` and ``our``; with other numbers of systems there are other numbers of columns.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from trialogue.errors import UsageError
from trialogue.extras import need
from trialogue.records import JsonValue
from trialogue.records.files.cells import guard_cell
from trialogue.study.design.file import StudyFile
from trialogue.study.design.flow import phase_of
from trialogue.study.design.items import RatingItem
from trialogue.study.export import reading
from trialogue.study.models import Check, Participant, Study, Submission
from trialogue.study.services.reading import file_of

BOOKS = ("valid_study_data", "invalid_study_data", "valid_demographic_data", "valid_feedback_data")
INFACT_FILES = frozenset(f"{name}.xlsx" for name in BOOKS)
DEMOGRAPHIC = {  # column: question of the preset infact-demographics
    "age": "age", "education": "education", "english": "english", "gender": "gender",
    "movie_crs": "used_chatbot", "other_crs": "used_crs", "movies_watched": "films_watched",
}  # fmt: skip
FEEDBACK = {  # column: question of the preset infact-experience
    "chatbot_useful": "useful", "crs_usuage": "would_use", "dlg_humans": "like_humans",
    "dlg_initiation": "natural", "dlg_realistic": "realistic",
}  # fmt: skip
TIMES = ("Total_demopage_time", "Total_feedback_time", "Total_study_time", "home_page_time")
Row = list[object]


def write_workbooks(study: Study, folder: Path) -> list[Path]:
    """Write the four workbooks; their paths.

    Raises:
        UsageError: the study is not one of ratings by a single criterion.
        MissingExtraError: openpyxl is not installed.
    """
    openpyxl = need("openpyxl", extra="data", purpose="write workbooks")
    written = []
    for name, rows in tables(study).items():
        book = openpyxl.Workbook()
        for place, row in enumerate(rows, start=1):
            for column, cell in enumerate(row, start=1):
                _write_cell(book.active.cell(row=place, column=column), cell)
        path = folder / f"{name}.xlsx"
        book.save(path)
        written.append(path)
    return written


def _write_cell(cell: object, value: object) -> None:
    """A number as one; a text as a text, whatever it begins with."""
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    number = isinstance(value, int | float) and not isinstance(value, bool)
    cell.value = value if number else ILLEGAL_CHARACTERS_RE.sub("", guard_cell(value))  # type: ignore[attr-defined]


def tables(study: Study) -> dict[str, list[Row]]:
    """The rows of the four workbooks, the heading first."""
    file = file_of(study)
    refuse_others(file)
    people = {person.pk: person for person in study.participants.order_by("number")}
    valid = {pk for pk, person in people.items() if _is_valid(person, file)}
    sent = list(reading.submissions(study))
    systems = sorted({name for each in sent if (task := reading.read_judged(each)) for name in task.order})
    head: Row = ["user_ID", "valid", "hitcode"]
    head += [f"{system}_{what}" for system in systems for what in ("rating", "response")]
    head += ["dialog_id", "trial_time", "fragment"]
    codes = {person.pk: _code(person) for person in people.values()}
    rated = [(each.participant_id, row) for each in sent if (row := _rating_row(each, file, systems, valid, codes))]
    by_person: dict[int, list[Submission]] = {}
    for each in sent:
        by_person.setdefault(each.participant_id, []).append(each)
    finished = [(people[pk], own) for pk, own in by_person.items() if pk in valid]
    return {
        "valid_study_data": [head, *(row for pk, row in rated if pk in valid)],
        "invalid_study_data": [head, *(row for pk, row in rated if pk not in valid)],
        "valid_demographic_data": [
            ["user_ID", *DEMOGRAPHIC],
            *(_demographic_row(person, own) for person, own in finished),
        ],
        "valid_feedback_data": [
            ["user_ID", *TIMES, "attention_hit", *FEEDBACK, "group", "remarks"],
            *(_experience_row(person, own) for person, own in finished),
        ],
    }


def refuse_others(file: StudyFile) -> None:
    """Raise UsageError for a study that the workbooks cannot hold."""
    if file.type != "rating" or len(file.criteria) != 1:
        raise UsageError("an INFACT workbook holds ratings on one criterion, which this study does not have.")


def _is_valid(person: Participant, file: StudyFile) -> bool:
    return person.state == Participant.State.COMPLETED and not set(person.flags) & set(file.exclusion)


def _code(person: Participant) -> str:
    made = person.codes.order_by("pk").first()
    return made.code if made else ""


def _rating_row(
    sent: Submission, file: StudyFile, systems: Sequence[str], valid: set[int], codes: dict[int, str]
) -> Row | None:
    task = reading.read_judged(sent)
    if task is None or not isinstance(task.item, RatingItem):
        return None
    row: Row = [task.rater, int(sent.participant_id in valid), codes[sent.participant_id]]
    for system in systems:
        place = task.order.index(system) + 1 if system in task.order else 0
        row += [task.answers.get(f"r{place}-{file.criteria[0].name}"), task.item.responses.get(system)]
    return [*row, task.item.dialogue_id, task.seconds, task.item.meta.get("fragment", task.item.key)]


def _answers(own: Iterable[Submission]) -> dict[str, JsonValue]:
    pages = [each.answers for each in own if phase_of(each.step) in reading.QUESTIONNAIRES]
    return {name: value for answers in pages for name, value in answers.items()}


def _demographic_row(person: Participant, own: Sequence[Submission]) -> Row:
    answers = _answers(own)
    return [person.code, *(answers.get(question) for question in DEMOGRAPHIC.values())]


def _experience_row(person: Participant, own: Sequence[Submission]) -> Row:
    def seconds(*phases: str) -> float:
        return round(sum(each.seconds or 0.0 for each in own if phase_of(each.step) in phases), 3)

    def seconds_of(questions: Iterable[str]) -> float:
        asked = {*questions}
        return round(sum(each.seconds or 0.0 for each in own if asked & each.answers.keys()), 3)

    whole = (person.finished_at - person.arrived_at).total_seconds() if person.finished_at else None
    checks = Check.objects.filter(participant=person, kind=Check.Kind.ATTENTION)
    hit = sum(check.passed for check in checks) if checks else None
    answers = _answers(own)
    return [
        person.code, seconds_of(DEMOGRAPHIC.values()), seconds_of(FEEDBACK.values()),
        None if whole is None else round(whole, 3), seconds("consent"), hit,
        *(answers.get(question) for question in FEEDBACK.values()), person.platform, answers.get("remarks"),
    ]  # fmt: skip
