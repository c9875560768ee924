"""Read exports of ``trialogue study export``, as specified in ``docs/design/study-export.md``."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import ValidationError

from trialogue.errors import DataError, Problem
from trialogue.inputs.study_cells import (
    number,
    parse_code,
    parse_label,
    parse_offered,
    parse_person,
    read_rows,
    read_text,
    whole_number,
)
from trialogue.inputs.study_data import Key, Participant, Presentation, Scale, StudyData
from trialogue.inputs.study_settings import CHECKS
from trialogue.records import Dialogue, Preference, Raters, Score, read_records, sha256_of
from trialogue.records.files.jsonl import parse_line, problems_of, read_lines
from trialogue.records.scale import off_scale_text
from trialogue.study.design.items import HUMAN

FILES = (
    "scores.jsonl",
    "preferences.jsonl",
    "labels.csv",
    "participants.csv",
    "participants.jsonl",
    "presentations.csv",
    "codes.csv",
    "options.csv",
    "model_scores.jsonl",
    "model_preferences.jsonl",
    "study.json",
)
ANSWERS = ("scores.jsonl", "preferences.jsonl", "labels.csv", "options.csv")

AnswerT = TypeVar("AnswerT", Score, Preference)
ValueT = TypeVar("ValueT")


@dataclass
class Export:
    """An export being read, with its problems."""

    paths: dict[str, Path]
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @contextmanager
    def collect_problems(self) -> Iterator[None]:
        """Context manager that records the problems of one file and continues."""
        try:
            yield
        except DataError as error:
            self.problems += error.problems

    def note(self, problem: Problem) -> None:
        """Record a repair."""
        self.notes.append(str(problem))


def find_files(given: Path | str | Sequence[Path | str], *, answers: bool = True) -> dict[str, Path]:
    """Files of an export by name, from its folder or individually; ``answers``: one of them must hold answers.

    Raises:
        DataError: nothing there, unknown names, or none that holds answers.
    """
    paths = [Path(given)] if isinstance(given, str | Path) else [Path(one) for one in given]
    listed = ", ".join(map(str, paths))
    if len(paths) == 1 and paths[0].is_dir():
        found = {name: paths[0] / name for name in FILES if (paths[0] / name).is_file()}
    else:
        missing = [path for path in paths if not path.is_file()]
        unknown = [path for path in paths if path.is_file() and path.name not in FILES]
        problems = [Problem("no such file or folder.", file=str(path)) for path in missing]
        problems += [
            Problem(f"an export has no file of this name; it has {', '.join(FILES)}.", str(p)) for p in unknown
        ]
        if problems:
            raise DataError(problems)
        found = {path.name: path for path in paths}
    if answers and not set(found) & set(ANSWERS):
        hint = "Export the study first: trialogue study export STUDY --out FOLDER"
        raise DataError(
            Problem(f"no file of answers found; expected one of {', '.join(ANSWERS)}.", file=listed, hint=hint)
        )
    if {"participants.csv", "participants.jsonl"} <= set(found):
        raise DataError(Problem("participants.csv and participants.jsonl are both here; keep one.", file=listed))
    return found


def read_export(given: Path | str | Sequence[Path | str], *, answers: bool = True) -> tuple[StudyData, dict[str, str]]:
    """Data of a study, and the sha256 of each file by name.

    Args:
        given: the folder of an export, or its files one by one.
        answers: whether one of them has to hold answers; else who took part is enough.

    Raises:
        DataError: with everything wrong in all files at once.
    """
    export = Export(find_files(given, answers=answers))
    words = _study(export)
    scores = _records(export, "scores.jsonl", Score)
    preferences = _records(export, "preferences.jsonl", Preference)
    labels = _parse_rows(export, "labels.csv", ("dialogue_id", "utterance", "rater", "label"), parse_label)
    people = _people(export)
    presentations, shown = _presentations(export)
    codes = _parse_rows(export, "codes.csv", ("preference_id", "coder"), parse_code)
    options = _parse_rows(export, "options.csv", ("rater", "question", "kind", "option", "value"), parse_offered)
    scores, model_scores = _split_models(scores, _read_models(export, "model_scores.jsonl", Score))
    preferences, model_preferences = _split_models(
        preferences, _read_models(export, "model_preferences.jsonl", Preference)
    )
    raters = Raters.SCRIPTED if words.get("simulated", False) else Raters.PEOPLE
    scores, preferences = _mark_scripts(raters, scores), _mark_scripts(raters, preferences)
    export.problems += _find_off_scale(export, scores, words.get("scales", {}))
    task = words.get("preferences") or _task_of(preferences, export)
    export.problems += [
        Problem(f"participant {code!r} has two rows. Keep one.", "participants.csv") for code in _repeated_codes(people)
    ]
    if export.problems:
        raise DataError(export.problems)
    hashes = {name: sha256_of(path) for name, path in sorted(export.paths.items())}
    title = words.get("title") or next(iter(export.paths.values())).resolve().parent.name
    data = StudyData(
        title=str(title),
        scores=scores,
        dialogues=_dialogues(export, scores),
        preferences=preferences,
        labels=labels,
        people=people,
        rules=words.get("exclusion_rules"),
        presentations=presentations,
        shown=shown,
        codes=codes,
        options=options,
        titles=words.get("titles", {}),
        option_labels=words.get("options", {}),
        scales=words.get("scales", {}),
        task=task,
        primary=words.get("primary"),
        raters_per_item=words.get("raters_per_item"),
        study_hash=words.get("study_hash"),
        early_looks=words.get("early_looks", ()),
        model_scores=model_scores,
        model_preferences=model_preferences,
        raters=raters,
        notes=(*export.notes, *_surplus_note(words)),
    )
    return data, hashes


def _surplus_note(words: Mapping[str, Any]) -> Iterator[str]:
    """That some answers are in none of the files that are analysed."""
    if surplus := words.get("surplus"):
        yield (
            f"{surplus:,} answers are not analysed, because their items already had all planned answers when their "
            "participants, who had been away, completed. They are in answers.csv."
        )


def _find_off_scale(export: Export, scores: Sequence[Score], scales: Mapping[str, Scale]) -> Iterator[Problem]:
    """Answers outside the scales that ``study.json`` declares, each with its line."""
    if not any(_off_scale_text(score, scales) for score in scores):
        return
    path = export.paths["scores.jsonl"]
    for line, text in read_lines(path):
        score = parse_line(text, {Score.kind: Score})
        if why := _off_scale_text(score, scales):
            hint = "Correct the answer, or the labels of this scale in study.json."
            yield Problem(f"{why}.", str(path), line, "value", hint=hint)


def _dialogues(export: Export, scores: Sequence[Score]) -> list[Dialogue]:
    """Dialogues beside the answers, where some answer is about one."""
    talks = next(iter(export.paths.values())).parent / "dialogues.jsonl"
    if not talks.is_file() or all(score.level == "response" for score in scores):
        return []
    return list(read_records(talks, Dialogue, note=export.note))


def _off_scale_text(score: Score, scales: Mapping[str, Scale]) -> str:
    points = scales[score.measure].labels if score.measure in scales else {}
    if score.value is None or not points or min(points) <= score.value <= max(points):
        return ""
    return off_scale_text(scales[score.measure].title, score.value, min(points), max(points))


def _split_models(answers: list[AnswerT], of_models: list[AnswerT]) -> tuple[list[AnswerT], list[AnswerT]]:
    """(people's answers, those of models): what a model answered is among no others, whichever file it stands in."""
    people = [one for one in answers if one.raters is not Raters.MODEL]
    return people, of_models + [one for one in answers if one.raters is Raters.MODEL]


def _read_models(export: Export, name: str, record: type[AnswerT]) -> list[AnswerT]:
    """Read answers of models; a line by another kind of rater is a mistake."""
    found: list[AnswerT] = _records(export, name, record)
    wrong = [place for place, one in enumerate(found, start=1) if one.raters is not Raters.MODEL]
    export.problems += [
        Problem(
            "an answer that is not a language model's is in a file for such answers.",
            name,
            place,
            "raters",
            hint="Set raters to model, or move the answer to the file of people's answers.",
        )
        for place in wrong[:3]
    ]
    return found


def _mark_scripts(raters: Raters, answers: list[AnswerT]) -> list[AnswerT]:
    """Answers of a study that scripts walked, marked as theirs: earlier exports say it only in ``study.json``."""
    if raters is Raters.PEOPLE:
        return answers
    return [one if one.raters is not Raters.PEOPLE else one.model_copy(update={"raters": raters}) for one in answers]


def _repeated_codes(people: Sequence[Participant]) -> list[str]:
    codes = [person.participant for person in people]
    return sorted({code for code in codes if codes.count(code) > 1}) if len(set(codes)) < len(codes) else []


def _task_of(preferences: Sequence[Preference], export: Export) -> Literal["choice", "realism"]:
    """Task of a comparison of two sides if the study does not name it: realism if every second side is a human's
    dialogue.

    Taken for votes, such judgements would rank simulated users as if they were recommenders.
    """
    if not preferences or any(one.b != HUMAN or not (one.dialogue_a and one.dialogue_b) for one in preferences):
        return "choice"
    what = (
        "the file does not state what was asked about the two dialogues; because the second one is a human's "
        "in every judgement, they are read as judgements of which dialogue is human (realism)."
    )
    hint = 'If people chose the one they prefer, write {"preferences": "choice"} to study.json beside it.'
    export.note(Problem(what, file=str(export.paths["preferences.jsonl"]), hint=hint))
    return "realism"


def _records(export: Export, name: str, record: type[Any]) -> list[Any]:
    found: list[Any] = []
    if name in export.paths:
        with export.collect_problems():
            found = list(read_records(export.paths[name], record, note=export.note))
    return found


def _parse_rows(
    export: Export, name: str, needed: Sequence[str], make: Callable[[Mapping[str, str]], ValueT]
) -> list[ValueT]:
    """Parse every row of a file, collecting all mistakes."""
    found: list[ValueT] = []
    if name not in export.paths:
        return found
    path = export.paths[name]
    with export.collect_problems():
        for line, cells in read_rows(path, needed):
            try:
                found.append(make(cells))
            except ValidationError as error:
                export.problems += problems_of(error, str(path), line)
            except ValueError as error:
                export.problems.append(Problem(str(error), file=str(path), line=line))
    return found


def _people(export: Export) -> list[Participant]:
    if "participants.jsonl" in export.paths:
        return _people_lines(export, export.paths["participants.jsonl"])
    return _parse_rows(export, "participants.csv", ("participant", "state"), parse_person)


def _people_lines(export: Export, path: Path) -> list[Participant]:
    found = []
    names = set(Participant.model_fields)
    with export.collect_problems():
        for line, text in read_lines(path, note=export.note):
            try:
                given = json.loads(text)
                if not isinstance(given, dict):
                    raise ValueError("a participant must be an object with names and values.")
                found.append(Participant.model_validate({k: v for k, v in given.items() if k in names}))
            except ValidationError as error:
                export.problems += problems_of(error, str(path), line)
            except ValueError as error:
                export.problems.append(Problem(f"{error}", file=str(path), line=line))
    return found


def _presentations(export: Export) -> tuple[dict[Key, Presentation], dict[str, Presentation]]:
    ratings: dict[Key, Presentation] = {}
    choices: dict[str, Presentation] = {}

    def file(cells: Mapping[str, str]) -> None:
        position = whole_number(cells, "position")
        if position is not None and position < 1:
            raise ValueError(f"position is {position}, but positions start at 1.")
        shown = Presentation(position=position, trial=whole_number(cells, "trial"), seconds=number(cells, "seconds"))
        preference = cells.get("preference_id", "").strip()
        if preference:
            choices[preference] = shown
            return
        rater, system, situation, dialogue = (
            cells.get(name, "").strip() or None for name in ("rater", "system", "situation_id", "dialogue_id")
        )
        ratings[rater, system, situation, dialogue, whole_number(cells, "utterance")] = shown

    _parse_rows(export, "presentations.csv", ("position",), file)
    return ratings, choices


def _study(export: Export) -> dict[str, Any]:
    """Content of ``study.json``, validated."""
    if "study.json" not in export.paths:
        return {}
    path = export.paths["study.json"]
    found: dict[str, Any] = {}
    with export.collect_problems():
        try:
            given = json.loads(read_text(path))
        except json.JSONDecodeError as error:
            raise DataError(Problem(f"not valid JSON ({error.msg}).", file=str(path), line=error.lineno)) from error
        if not isinstance(given, dict):
            raise DataError(Problem("expected an object with names and values.", file=str(path)))
        for name, check in CHECKS.items():
            if given.get(name) is not None:
                try:
                    found[name] = check(given[name])
                except (ValueError, TypeError, AttributeError) as error:
                    export.problems.append(Problem(str(error), file=str(path), field=name))
    return found
