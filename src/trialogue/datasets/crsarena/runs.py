"""Run files of CRSArena-Eval: a metric's predictions per reply and conversation, in the official evaluator's format.

``[{conv_id, turns: [{turn_ind, turn_level_pred: {aspect: number}}], dial_level_pred: {aspect: number}}]``. The official
evaluator skips missing predictions; here each becomes a Score without a value and is counted.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from trialogue.datasets.base import Head
from trialogue.datasets.door.values import as_number
from trialogue.datasets.json_documents import ParseReport, bare_stem, kind_of, read_json
from trialogue.datasets.json_objects import read_objects
from trialogue.errors import UsageError
from trialogue.records import JsonValue, Level, Reason, ReasonCode, Score
from trialogue.records.files.jsonl import Note, warn
from trialogue.records.files.opening import write_text

OLD_SPELLINGS = {"dialog_overall": "dialogue_overall"}
"""Aspects as the first release called them."""
NO_PREDICTION = Reason.of(ReasonCode.PREDICTION_NOT_IN_RUN)
Labels = dict[str, float | None]


def read_run(path: Path, *, note: Note = warn) -> Iterator[Score]:
    """Read the scores of a run by conversation: of its turns in file order, then of the whole.

    The measure is ``{name of the file}:{aspect}``. An aspect that the run has elsewhere at this level, but not here, is a
    Score without a value. Also read, with a note: what other tools write instead of a list or a number: JSON Lines,
    conversations by their id, numbers in quotes, true and false.

    Raises:
        DataError: with every mistake of the file.
    """
    report = ParseReport(str(path), note)
    entries = objects_of(_as_list(path, report), report)
    scores = list(_scores(entries, bare_stem(path), report))
    report.settle()
    yield from scores


def write_run(path: Path | str, scores: Iterable[Score]) -> int:
    """Write scores as a run file for the official evaluator; returns the number of conversations.

    The aspect is what follows the last ``:`` of a measure. Scores without a value are left out, as the evaluator expects;
    read again, they have no value. The file appears whole or not at all.

    Raises:
        UsageError: a score is not of an utterance or dialogue, does not say which, or contradicts another one.
    """
    runs: dict[str, dict[str, Any]] = {}
    for score in scores:
        if score.level not in ("utterance", "dialogue") or score.dialogue_id is None:
            raise UsageError(
                f"Expected scores of utterances and dialogues only, got one of level {score.level!r}. Leave it out."
            )
        run = runs.setdefault(score.dialogue_id, {"turns": {}, "whole": {}})
        _add_prediction(_predictions_for(run, score), score)
    write_text(
        Path(path), json.dumps([_entry(key, run) for key, run in runs.items()], indent=1, allow_nan=False) + "\n"
    )
    return len(runs)


def objects_of(data: JsonValue, report: ParseReport) -> list[tuple[str, str, dict[str, JsonValue]]]:
    """(path, conv_id, object) of a list of objects with unique ``conv_id``."""
    if not isinstance(data, list) or not data:
        what = "the list is empty; expected conversations." if data == [] else f"expected a list, got {kind_of(data)}."
        report.wrong(what, hint="Is the file complete?" if data == [] else "")
        return []
    found: dict[str, tuple[str, str, dict[str, JsonValue]]] = {}
    for index, entry in enumerate(data):
        conv_id = entry.get("conv_id") if isinstance(entry, dict) else None
        if not isinstance(entry, dict) or not isinstance(conv_id, str):
            report.wrong(f"expected an object with a conv_id, got {kind_of(entry)}.", f"[{index}]")
        elif conv_id in found:
            report.wrong(f"duplicate conversation {conv_id!r}: see {found[conv_id][0]}.", f"[{index}].conv_id")
        else:
            found[conv_id] = (f"[{index}]", conv_id, entry)
    return list(found.values())


def labels_of(data: JsonValue, at: str, report: ParseReport, *, switches: bool = False) -> Labels:
    """Values by aspect, in current spelling; None where the file has null.

    Args:
        data: the object.
        at: where it is in the file.
        report: collects repairs (numbers in quotes) and mistakes.
        switches: whether true and false are read as 1 and 0.
    """
    if not isinstance(data, dict):
        if data is not None:
            report.wrong(f"expected an object that maps aspects to numbers, got {kind_of(data)}.", at)
        return {}
    labels: Labels = {}
    for aspect, value in data.items():
        if aspect in OLD_SPELLINGS:
            report.mend(f"{aspect!r} is called {OLD_SPELLINGS[aspect]!r} now, and was read as such", f"{at}.{aspect}")
        number = as_number(value)
        if number is None and value is not None:
            number = _mended_number(value, f"{at}.{aspect}", report, switches=switches)
        labels[OLD_SPELLINGS.get(aspect, aspect)] = number
    return labels


def _mended_number(value: JsonValue, at: str, report: ParseReport, *, switches: bool) -> float | None:
    """A number in quotes, or (with ``switches``) true and false as 1 and 0; otherwise None, reported as a mistake."""
    if isinstance(value, str) and value.strip().lower() in ("", "nan", "none", "null"):
        report.mend("a text without a number was read as a missing score", at)
        return None
    if isinstance(value, str) and (number := _in_quotes(value)) is not None:
        report.mend("a number in quotes was read as a number", at)
        return number
    if isinstance(value, bool) and switches:
        report.mend("true and false were read as 1 and 0", at)
        return float(value)
    report.wrong(f"a score must be a number, got {kind_of(value)}.", at)
    return None


def _in_quotes(text: str) -> float | None:
    try:
        return as_number(float(text))
    except ValueError:
        return None


def aspects_of(labelled: Iterable[Labels]) -> list[str]:
    """All aspects, in order of first occurrence."""
    return list(dict.fromkeys(aspect for labels in labelled for aspect in labels))


def score_of(labels: Labels, aspect: str, *, why: Reason, **fields: Any) -> Score:
    """Score of an aspect; without a value, because of ``why``, if it has no label."""
    value = labels.get(aspect)
    return Score(value=value, why=why if value is None else None, **fields)


def parties_of(conv_id: str) -> tuple[str | None, str | None]:
    """(system, person) encoded in a conversation id.

    >>> parties_of("kbrd_redial_11454a65-c9de-406d-ba1c-47130c903123")
    ('kbrd_redial', '11454a65-c9de-406d-ba1c-47130c903123')
    >>> parties_of("talk7")
    (None, None)
    """
    system, _, person = conv_id.rpartition("_")
    return (system, person) if system and person else (None, None)


def _scores(entries: list[tuple[str, str, dict[str, JsonValue]]], name: str, report: ParseReport) -> Iterator[Score]:
    parsed = [
        (at, conv_id, _turns(entry.get("turns"), f"{at}.turns", report), _dialogue_labels(entry, at, report))
        for at, conv_id, entry in entries
    ]
    turn_aspects = aspects_of(labels for _, _, turns, _ in parsed for labels in turns.values())
    whole_aspects = aspects_of(whole for _, _, _, whole in parsed)
    for at, conv_id, turns, whole in parsed:
        units: list[tuple[Level, int | None, Labels, list[str]]]
        units = [("utterance", index, labels, turn_aspects) for index, labels in turns.items()]
        for level, index, labels, aspects in [*units, ("dialogue", None, whole, whole_aspects)]:
            for aspect in aspects:
                if labels.get(aspect) is None:
                    report.mend(f"{name} predicts no {aspect} for one {level}", at)
                where = {"dialogue_id": conv_id, "utterance": index, "system": parties_of(conv_id)[0]}
                yield score_of(labels, aspect, why=NO_PREDICTION, measure=f"{name}:{aspect}", level=level, **where)


def _as_list(path: Path, report: ParseReport) -> JsonValue:
    """The run as a list: as it is, or of JSON Lines, or of an object that holds conversations by their id."""
    if Head(path).is_json_list or not Head(path).is_json_object:
        return read_json(path, report)
    found = [fields for _, fields in read_objects(path, report)]
    if (
        len(found) == 1
        and found[0]
        and "conv_id" not in found[0]
        and all(isinstance(each, dict) for each in found[0].values())
    ):
        report.mend("an object of conversations by id was read as the list that the evaluator expects")
        return [{**each, "conv_id": conv_id} for conv_id, each in found[0].items()]
    if any("conv_id" in each for each in found):
        report.mend("JSON Lines were read as the list that the evaluator expects")
        return list(found)
    return dict(found[0]) if found else None


def _dialogue_labels(entry: dict[str, JsonValue], at: str, report: ParseReport) -> Labels:
    return labels_of(entry.get("dial_level_pred"), f"{at}.dial_level_pred", report, switches=True)


def _turns(data: JsonValue, at: str, report: ParseReport) -> dict[int, Labels]:
    """Predictions by index of the utterance."""
    if not isinstance(data, list):
        if data is not None:
            report.wrong(f"expected a list of turns, got {kind_of(data)}.", at)
        return {}
    turns: dict[int, Labels] = {}
    for place, turn in enumerate(data):
        index = _index(turn.get("turn_ind"), f"{at}[{place}].turn_ind", report) if isinstance(turn, dict) else None
        if not isinstance(turn, dict) or index is None:
            actual = (
                f"turn_ind is {kind_of(turn.get('turn_ind'))}" if isinstance(turn, dict) else f"got {kind_of(turn)}"
            )
            what = f"expected an object whose turn_ind is a whole number, {actual}."
            report.wrong(what, f"{at}[{place}]")
        elif index in turns:
            report.wrong(f"turn {index} occurs twice. Keep one.", f"{at}[{place}].turn_ind")
        else:
            place_of = f"{at}[{place}].turn_level_pred"
            turns[index] = labels_of(turn.get("turn_level_pred"), place_of, report, switches=True)
    return turns


def _index(value: JsonValue, at: str, report: ParseReport) -> int | None:
    """A whole number, also one written as 3.0 or in quotes; None for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    number = _in_quotes(value) if isinstance(value, str) else as_number(value)
    if number is None or not number.is_integer():
        return None
    report.mend("a turn_ind in quotes, or with a decimal point, was read as the whole number", at)
    return int(number)


def _predictions_for(run: dict[str, Any], score: Score) -> dict[str, float]:
    if score.level == "dialogue":
        whole: dict[str, float] = run["whole"]
        return whole
    if score.utterance is None:
        raise UsageError(
            f"A score of an utterance of dialogue {score.dialogue_id!r} does not name its utterance. Set its field "
            "utterance to the index."
        )
    turn: dict[str, float] = run["turns"].setdefault(score.utterance, {})
    return turn


def _add_prediction(predictions: dict[str, float], score: Score) -> None:
    aspect = score.measure.rpartition(":")[2]
    if score.value is None:
        return
    if predictions.setdefault(aspect, score.value) != score.value:
        raise UsageError(f"{score.dialogue_id!r} has two different scores for {aspect!r}. Write one run at a time.")


def _entry(conv_id: str, run: dict[str, Any]) -> dict[str, Any]:
    turns = [{"turn_ind": index, "turn_level_pred": labels} for index, labels in sorted(run["turns"].items())]
    return {"conv_id": conv_id, "turns": turns, "dial_level_pred": run["whole"]}
