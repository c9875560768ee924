"""Export a study into a folder: records for other commands, and tables of answers and of options.

Export INFACT's four workbooks, for scripts that read them.

They have 12 columns of ratings (valid and not), 8 of people and 13 of feedback.

Columns are those of INFACT's own parser (KaRS 2022), its swapped names included: ``movie_crs`` holds whether somebody ever
used a chatbot, ``other_crs`` whether one recommended films to them. Systems have their own names in place of
``kgsf``, ``kbrd`` and ``our``; with other numbers of systems there are other numbers of columns.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from trialogue.errors import UsageError
from trialogue.extras import need
from trialogue.records import JsonValue, Labeller, Raters, Record, write_records
from trialogue.records.files.cells import csv_text, guard_cell
from trialogue.records.files.opening import write_text
from trialogue.study.design.assignment import ranks_of
from trialogue.study.design.file import StudyFile
from trialogue.study.design.items import ChatItem, RatingItem
from trialogue.study.design.pages import number_of, phase_of
from trialogue.study.design.questions import Question, text_in
from trialogue.study.export import reading
from trialogue.study.export.reading import MEASURE, ExportedJudgements, add
from trialogue.study.models import Audit, Check, Participant, Study, Submission
from trialogue.study.services.deciding import counting_people, is_surplus
from trialogue.study.services.previews import early_looks
from trialogue.study.services.rows import file_of

OPTIONS = ("rater", "step", "situation_id", "question", "kind", "option", "value")
SYSTEM = "system"
"""A further column where questions with options were asked about each system."""


def option_rows(sent: Submission, file: StudyFile) -> Iterator[dict[str, object]]:
    """Rows of ``options.csv`` of one page: of tasks and questionnaires, not of checks or training."""
    task = reading.read_judged(sent)
    base: dict[str, object] = {"rater": sent.participant.code, "step": sent.step}
    if task is not None:
        places = task.order if isinstance(task.item, RatingItem | ChatItem) else ()
        base["situation_id"] = task.item.key
        for question in file.item_questions():
            yield from _rows(question, sent.answers.get(question.name), places, base)
        for place, system in enumerate(places, 1):
            for question in file.criteria:
                about = {**base, SYSTEM: system}
                name = question.name if task.of_one else f"r{place}-{question.name}"
                yield from _rows(question, sent.answers.get(name), (), about, single=True)
    elif phase_of(sent.step) in reading.QUESTIONNAIRES:
        pages = file.before if phase_of(sent.step) == "before" else file.after
        for question in pages[number_of(sent.step) - 1].questions:
            answer = sent.answers.get(question.name)
            if question.choice is not None:  # of tasks, a choice is what is judged, and exported as such
                answer = None if answer is None else [answer]
            yield from _rows(question, answer, (), base)


def _rows(
    question: Question, answer: JsonValue, places: Sequence[str], base: Mapping[str, object], *, single: bool = False
) -> Iterator[dict[str, object]]:
    """A row for each thing offered; ``places``: systems as shown, where replies were ordered; ``single``: also of questions
    of which one option is chosen."""
    given = [str(each) for each in answer] if isinstance(answer, list) else [str(answer)]
    if answer is None or not (isinstance(answer, list) or (single and question.choice is not None)):
        return
    asked = question.for_replies(len(places))
    if question.ranking is not None:
        values = dict(ranks_of(given))
    elif question.best_worst is not None:
        best, worst = given
        values = {option.value: (option.value == best) - (option.value == worst) for option in asked.options}
    elif question.choices is not None or question.choice is not None:
        values = {option.value: int(option.value in given) for option in asked.options}
    else:
        return
    for option in asked.options:
        name = places[int(option.value) - 1] if question.of_replies else option.value
        about = {"question": question.name, "kind": question.kind_of_answer, "option": name}
        yield {**base, **about, "value": values[option.value]}


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


PEOPLE = ("participant", "state", "reached", "reason", "flags", "started_at", "finished_at")
SHOWN = (
    "rater", "system", "situation_id", "dialogue_id", "utterance", "preference_id", "position", "trial", "seconds",
)  # fmt: skip
LABELS = ("dialogue_id", "utterance", "rater", "label", "role", "by")
CODES = ("preference_id", "coder", "code")
ANSWERS = ("rater", "step", "item", "order", "field", "answer", "received_at", "seconds")
RULES = {
    "failed_checks": "failed more than {0.allowed_failures} of {0.checks} attention checks",
    "too_fast": "typically took less than {0.min_seconds_per_item:g} s for an item",
    "too_short": "took less than {0.min_minutes:g} minutes for all items",
    "straight_lining": "gave the same answer every time",
    "same_text": "wrote the same text more than {0.same_text_at_most} times",
    "pasted": "pasted text into items more than {0.allowed_pastes} times",
    "away": "was in another tab or window for more than {0.away_at_most:.0%} of the time spent on items",
}


def export_study(
    study: Study, folder: Path | str, *, who: str, infact: bool = False, simulated: bool = False
) -> list[Path]:
    """Write the collected data of a study; files without content are omitted. The same database gives the same bytes.

    Args:
        study: the study.
        folder: a new or empty folder, or one with an earlier export, whose files are replaced.
        who: name of the exporter, for the log.
        infact: whether to write INFACT's workbooks, too (they contain the time of writing).
        simulated: whether scripts answered, not people; ``study.json`` and everything that reads it then say so.

    Returns:
        The files.

    Raises:
        UsageError: the folder contains something else, or cannot be written; or workbooks are requested for a study
            that they cannot hold.
    """
    out = Path(folder)
    _refuse_others(out)
    file = file_of(study)
    if infact:
        refuse_others(file)
    raters = Raters.SCRIPTED if simulated else Raters.PEOPLE
    labeller = Labeller.SCRIPTED if simulated else Labeller.PERSON
    sent = list(reading.submissions(study))  # once: people may be answering meanwhile
    found = _collect(study, file, sent, counting_people(study))
    people = list(reading.participants(study))
    options = [row for each in sent if each.pk not in found.surplus for row in option_rows(each, file)]
    tables: dict[str, tuple[Sequence[str], list[dict[str, object]]]] = {
        "labels.csv": (LABELS, [{**row, "by": labeller} for row in (*found.labels, *reading.final_labels(study))]),
        "participants.csv": (_columns(people), people),
        "presentations.csv": (SHOWN, found.presentations),
        "codes.csv": (CODES, reading.codings(study)),
        "options.csv": (_option_columns(options), options),
        "answers.csv": (
            (*ANSWERS, "surplus") if found.surplus else ANSWERS,
            [row | {"surplus": int(each.pk in found.surplus)} for each in sent for row in _tidy(each)],
        ),
    }
    records: dict[str, Sequence[Record]] = {
        "scores.jsonl": [score.model_copy(update={"raters": raters}) for score in found.scores],
        "preferences.jsonl": [vote.model_copy(update={"raters": raters}) for vote in found.preferences],
        "dialogues.jsonl": list(reading.dialogues(study, file)),
    }
    for name in FILES | INFACT_FILES:
        (out / name).unlink(missing_ok=True)
    for name, rows in records.items():
        if rows or name == _file_of_type(file):
            write_records(out / name, rows)
    for name, (columns, cells) in tables.items():
        if cells or name in ("participants.csv", _file_of_type(file)):
            write_text(out / name, csv_text(columns, ([row.get(column) for column in columns] for row in cells)))
    words = _words(study, file) | ({"simulated": True} if simulated else {})
    words |= {"surplus": len(found.surplus)} if found.surplus else {}
    write_text(out / "study.json", json.dumps(words, ensure_ascii=False, indent=1, sort_keys=True) + "\n")
    workbooks = write_workbooks(study, out) if infact else []
    written = [*sorted(path for path in out.iterdir() if path.name in FILES), *workbooks]
    Audit.objects.create(study=study, who=who, what="export", detail={"files": [path.name for path in written]})
    return written


def _columns(people: Iterable[Mapping[str, object]]) -> Sequence[str]:
    """Columns of ``participants.csv``: exclusions by hand and strata are columns only where there are any."""
    return (*PEOPLE, *(name for name in ("by_hand", "stratum") if any(name in person for person in people)))


def _option_columns(rows: Iterable[Mapping[str, object]]) -> Sequence[str]:
    """Columns of ``options.csv``: the system is one only where there are questions about each."""
    return (*OPTIONS, SYSTEM) if any(SYSTEM in row for row in rows) else OPTIONS


FILES = frozenset(
    {
        "scores.jsonl",
        "preferences.jsonl",
        "dialogues.jsonl",
        "labels.csv",
        "participants.csv",
        "presentations.csv",
        "codes.csv",
        "answers.csv",
        "options.csv",
        "study.json",
    }
)


def _refuse_others(out: Path) -> None:
    others = sorted({path.name for path in out.iterdir()} - FILES - INFACT_FILES) if out.is_dir() else []
    if others or (out.exists() and not out.is_dir()):
        named = f" It holds {', '.join(others[:3])}." if others else ""
        raise UsageError(f"{out} is not an export folder.{named} Choose a new or empty one with --out.")


def _file_of_type(file: StudyFile) -> str:
    """The file that a study of this type always has, even without answers."""
    kinds = {"preference": "preferences.jsonl", "realism": "preferences.jsonl", "labelling": "labels.csv"}
    return kinds.get(file.type, "scores.jsonl")


def _collect(study: Study, file: StudyFile, sent: Iterable[Submission], counting: frozenset[int]) -> ExportedJudgements:
    """All judgements but those that are one more than their item needs."""
    found = ExportedJudgements()
    surplus = set[tuple[str, str]]()
    for each in sent:
        if each.assignment is not None and is_surplus(each.assignment, counting):
            found.surplus.add(each.pk)
            surplus.add((each.participant.code, each.step))
            continue
        judged = reading.read_judged(each)
        if judged is not None:
            add(found, judged, file)
        else:
            found.scores += reading.questionnaire(each, file)
    found.scores += reading.turn_scores(study, file, without=surplus)
    return found


def _is_of_options(question: Question) -> bool:
    return question.kind_of_answer in ("ranking", "best_worst", "choices", "choice")


def _is_of_systems(question: Question, file: StudyFile) -> bool:
    return question.choice is not None and question in file.criteria


def _tidy(sent: Submission) -> Iterator[dict[str, object]]:
    """A row for each answer, of every step, checks and training too."""
    item, order = ("", "") if sent.assignment is None else (sent.assignment.item.key, sent.assignment.slot.order)
    base = {"rater": sent.participant.code, "step": sent.step, "item": item, "order": ";".join(order)}
    timing = {
        "received_at": sent.received_at.isoformat(),
        "seconds": "" if sent.seconds is None else f"{sent.seconds:.3f}",
    }
    for field, value in sorted(sent.answers.items()):
        answer = ";".join(map(str, value)) if isinstance(value, list) else value
        yield {**base, "field": field, "answer": answer, **timing}


def _words(study: Study, file: StudyFile) -> dict[str, object]:
    """study.json."""
    asked = [*file.criteria, *file.item_questions(), *file.chat.each_turn]
    asked += [question for page in (*file.before, *file.after) for question in page.questions]
    scales = {
        MEASURE.format(name=question.name): {
            "title": question.name.replace("_", " ").capitalize(),
            "question": text_in(question.question, file.language),
            "better": "higher",
            "labels": {option.value: text_in(option.label, file.language) for option in question.options},
        }
        for question in asked
        if question.scale is not None
    }
    words: dict[str, object] = {
        "title": text_in(file.title, file.language),
        "study_hash": study.sha256,
        "raters_per_item": file.raters_per_item,
        "exclusion_rules": {rule: RULES[rule].format(file.attention) for rule in file.exclusion},
        "scales": scales,
        "preferences": "realism" if file.type == "realism" else "choice",
    }
    ordered = [question for question in asked if _is_of_options(question) or _is_of_systems(question, file)]
    if ordered:
        words["titles"] = {question.name: text_in(question.question, file.language) for question in ordered}
        words["options"] = {
            question.name: {option.value: text_in(option.label, file.language) for option in question.options}
            for question in ordered
            if not question.of_replies
        }
    if looks := early_looks(study):
        words["early_looks"] = looks
    numeric = [question for question in file.criteria if question.is_numeric]  # the analysis compares systems by it
    return words | ({"primary": MEASURE.format(name=numeric[0].name)} if numeric else {})
