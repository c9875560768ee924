"""Answers from a study export as an input, without those of excluded participants.

An export (``docs/design/study-export.md``) holds all answers, and separately who finished and which of the pre-launch
exclusion rules each participant hits. Read without that table, answers of excluded participants
would be treated as if they counted.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from trialogue.datasets import AnyRecord
from trialogue.datasets.base import SimpleFormat
from trialogue.errors import Problem
from trialogue.records import Dialogue, Labeller, MeasureName, Raters, read_records
from trialogue.records.files.jsonl import Note, warn

TALKS = "dialogues.jsonl"
ANSWERS = ("scores.jsonl", "preferences.jsonl", TALKS)
PEOPLE = ("participants.csv", "participants.jsonl")
STUDY = "study.json"


def export_files(path: Path) -> list[Path]:
    """Answer and participant files of an export; [] if a path is not a study's export.

    Args:
        path: the folder of an export, or one of its files with answers; the table of participants lies beside them.
    """
    folder = path if path.is_dir() else path.parent
    people = [folder / name for name in PEOPLE if (folder / name).is_file()]
    wanted = ANSWERS if path.is_dir() else tuple({path.name} & set(ANSWERS))
    answers = [folder / name for name in wanted if (folder / name).is_file()]
    about = [*people, *filter(Path.is_file, [folder / STUDY])]
    return [*answers, *about] if about and answers else []


@dataclass(frozen=True)
class DeclaredStudy:
    """The choice that a study made before its data."""

    primary: MeasureName
    """The criterion that decides."""
    sha256: str | None
    """Hash of the launched study file; None: it was not launched, so nothing shows that the choice came first."""


def declared_study(path: Path) -> DeclaredStudy | None:
    """What the study of an export declares in ``study.json``; None where nothing is declared, or this is no export.

    Args:
        path: an export's folder, or one of its files with answers.

    Raises:
        DataError: everything wrong in ``study.json``.
    """
    study = (path if path.is_dir() else path.parent) / STUDY
    if not export_files(path) or not study.is_file():
        return None
    from trialogue.inputs.study_files import read_export  # here: most inputs are no export

    data, _ = read_export([study], answers=False)
    return None if data.primary is None else DeclaredStudy(MeasureName(data.primary), data.study_hash)


def countable_people(folder: Path) -> frozenset[str] | None:
    """Participants who completed and hit no pre-launch exclusion rule; None if unknown.

    Args:
        folder: folder of the export.

    Raises:
        DataError: everything wrong in the table of participants.
    """
    from trialogue.inputs.study_files import read_export

    people = [folder / name for name in PEOPLE if (folder / name).is_file()]
    if not people:
        return None
    data, _ = read_export([*people, *filter(Path.is_file, [folder / STUDY])], answers=False)
    counted = data.countable_people
    return None if counted is None else frozenset(counted)


def labeller_of(folder: Path) -> Labeller | None:
    """Labellers of an exported study, people or scripts, from ``study.json``; None if there is none.

    Args:
        folder: folder of the export.

    Raises:
        DataError: everything wrong in ``study.json``.
    """
    from trialogue.inputs.study_files import read_export

    study = folder / STUDY
    if not study.is_file():
        return None
    raters = read_export([study], answers=False)[0].raters
    return Labeller.SCRIPTED if raters is Raters.SCRIPTED else Labeller.PERSON


def answers_in(path: Path, note: Note = warn) -> Iterator[AnyRecord]:
    """Conversations, ratings and votes of participants who completed and hit no pre-launch exclusion rule.

    Who counts is what the study's report goes by: answers without a participant do not, and a table without a row says
    nothing of anybody, so that all count. Choices of a realism study (who is human?) are no votes on systems, answers to
    questionnaires are about none; both are left to ``trialogue study report``.

    Args:
        path: an export's folder, or one of its files with answers.
        note: called with each repair, and with what and how many people are left out.

    Raises:
        DataError: everything wrong in all its files.
    """
    from trialogue.findings.wording import not_people
    from trialogue.inputs.study_files import read_export

    files = export_files(path)
    talks = [file for file in files if file.name == TALKS]
    data, _ = read_export([file for file in files if file not in talks], answers=False)
    for text in not_people([data.raters]):
        note(Problem(text, file=str((path if path.is_dir() else path.parent) / STUDY)))
    counted = data.countable_people
    met: set[str] = set()
    for file in talks:
        for dialogue in read_records(file, Dialogue, note=note):
            if dialogue.user is not None:
                met.add(dialogue.user)
            if counted is None or dialogue.user in counted:
                yield dialogue
    yield from (score for score in data.system_ratings if counted is None or score.rater in counted)
    if others := len(data.scores) - len(data.system_ratings):
        what = f"answers to questions that concern no system are left out ({others:,} of {len(data.scores):,})."
        note(Problem(what, file=str(path), hint="trialogue study report describes them."))
    for text in data.notes:
        note(Problem(text))
    if judgements := len(data.preferences) - len(data.votes):
        what = f"{judgements:,} judgements of which dialogue is human are not votes on systems, and are left out."
        note(Problem(what, file=str(path), hint="trialogue study report analyses them."))
    yield from (vote for vote in data.votes if counted is None or vote.rater in counted)
    answered = met | {each.rater for kind in (data.scores, data.preferences) for each in kind if each.rater is not None}
    if counted is not None and (left := len(answered - counted)):
        what = (
            f"{left} of {len(answered)} participants are left out: they did not finish, or an exclusion rule applies."
        )
        note(Problem(what, file=str(path)))


STUDY_EXPORT = SimpleFormat(
    name="study-export",
    summary="Output of trialogue study export: people's answers, and which of them count.",
    recognise=lambda _head: False,  # by what lies beside it, not by its beginning
    reader=answers_in,
)
