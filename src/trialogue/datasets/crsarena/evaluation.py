"""CRSArena-Eval (Joko and Hasibi): conversations of CRSArena-Dial with third-party judgements of every reply and dialogue.

A labels file becomes Dialogues, then human Scores (rater ``"aggregate"``: the individual judges were not published) named as
in the file: ``relevance`` and ``interestingness`` of every reply, ``understanding``, ..., ``dialogue_overall`` of the whole.
A run file becomes the Scores of a metric. Old copies spell ``dialog``; both spellings give the same records.

Run files of CRSArena-Eval: a metric's predictions per reply and conversation, in the official evaluator's format.

``[{conv_id, turns: [{turn_ind, turn_level_pred: {aspect: number}}], dial_level_pred: {aspect: number}}]``. The official
evaluator skips missing predictions; here each becomes a Score without a value and is counted.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from trialogue.datasets.base import Corpus, Head, SimpleFormat, card
from trialogue.datasets.door.values import as_number
from trialogue.datasets.json_documents import (
    ParseReport,
    bare_stem,
    files_like,
    in_file_or_folder,
    kind_of,
    read_json,
    read_objects,
)
from trialogue.errors import DataError, Problem, UsageError
from trialogue.records import Dialogue, JsonValue, Level, Reason, ReasonCode, Score, Speaker, Utterance
from trialogue.records.files.jsonl import Note, warn
from trialogue.records.files.opening import write_text
from trialogue.records.score import AGGREGATE

__all__ = ["CORPUS", "FORMAT", "read_labels", "read_run", "write_run"]

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
    scores = list(_run_scores(entries, bare_stem(path), report))
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


def _run_scores(
    entries: list[tuple[str, str, dict[str, JsonValue]]], name: str, report: ParseReport
) -> Iterator[Score]:
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


NAME = "crsarena-eval"
NO_LABEL = Reason.of(ReasonCode.LABEL_NOT_IN_FILE)
SPEAKERS: dict[str, Speaker] = {"USER": "user", "ASST": "system"}

Talk = tuple[Dialogue, dict[int, Labels], Labels]  # a dialogue, labels of its replies by index, labels of the whole


def read_labels(path: Path, *, note: Note = warn) -> Iterator[Dialogue | Score]:
    """Read the dialogues of a labels file, then its human scores by dialogue: of the replies, then of the whole.

    A reply without a label that others have gives a Score without a value.

    Raises:
        DataError: with every mistake of the file.
    """
    report = ParseReport(str(path), note)
    talks = [_talk(at, conv_id, entry, report) for at, conv_id, entry in objects_of(read_json(path, report), report)]
    scores = list(_scores(talks, report))
    report.settle()
    yield from (dialogue for dialogue, _, _ in talks)
    yield from scores


def read_folder(folder: Path, note: Note) -> Iterator[Dialogue | Score]:
    """Read every labels file of a folder, then every run, each in order of names; reports what a run leaves out.

    Raises:
        DataError: the folder has neither, or a file is broken.
    """
    labels, runs = list(files_like(folder, _is_labels)), list(files_like(folder, _is_run))
    if not labels and not runs:
        hint = "Expected crs_arena_eval.json and run files."
        raise DataError(
            Problem("this folder contains neither labels nor runs of CRSArena-Eval.", str(folder), hint=hint)
        )
    judged: set[tuple[str | None, int | None]] = set()
    for path in labels:
        for record in read_labels(path, note=note):
            if isinstance(record, Score):
                judged.add((record.dialogue_id, record.utterance))
            yield record
    for path in runs:
        scores = list(read_run(path, note=note))
        _note_left_out(judged - {(score.dialogue_id, score.utterance) for score in scores}, judged, path, note)
        yield from scores


def _talk(at: str, conv_id: str, entry: dict[str, JsonValue], report: ParseReport) -> Talk:
    key = "dialogue" if "dialogue" in entry else "dialog"
    turns = entry.get(key)
    if not isinstance(turns, list):
        report.wrong(f"a dialogue must be a list of utterances, got {kind_of(turns)}.", f"{at}.{key}")
        turns = []
    system, person = parties_of(conv_id)
    if system is None:
        report.mend("a conv_id is not {system}_{person}; both remain unknown", f"{at}.conv_id")
    said = [_utterance(turn, place, f"{at}.{key}[{place}]", report) for place, turn in enumerate(turns)]
    replies = {place: labels for place, (utterance, labels) in enumerate(said) if utterance.speaker == "system"}
    utterances = tuple(utterance for utterance, _ in said)
    dialogue = Dialogue(id=conv_id, utterances=utterances, system=system, user=person, source=NAME)
    return dialogue, replies, labels_of(entry.get("dial_level_aggregated"), f"{at}.dial_level_aggregated", report)


def _utterance(turn: JsonValue, place: int, at: str, report: ParseReport) -> tuple[Utterance, Labels]:
    turn = turn if isinstance(turn, dict) else {}
    role, text = turn.get("role"), turn.get("utterance")
    if not isinstance(role, str) or role not in SPEAKERS or not isinstance(text, str):
        hint = 'Expected {"turn_ind": 0, "role": "USER" or "ASST", "utterance": "..."}.'
        report.wrong(f"not an utterance (role {kind_of(role)}, utterance {kind_of(text)}).", at, hint=hint)
        return Utterance(speaker="user", text=""), {}
    if turn.get("turn_ind") != place:
        report.mend(
            "a turn_ind differs from the position of its utterance; positions (from 0) were used", f"{at}.turn_ind"
        )
    labels = labels_of(turn.get("turn_level_aggregated"), f"{at}.turn_level_aggregated", report)
    return Utterance(speaker=SPEAKERS[str(role)], text=text), labels


def _scores(talks: list[Talk], report: ParseReport) -> Iterator[Score]:
    of_replies = aspects_of(labels for _, replies, _ in talks for labels in replies.values())
    of_wholes = aspects_of(whole for _, _, whole in talks)
    for dialogue, replies, whole in talks:
        units = [*replies.items(), (None, whole)]
        for place, labels in units:
            for aspect in of_wholes if place is None else of_replies:
                if labels.get(aspect) is None:
                    report.mend(f"{aspect!r} is not labelled", f"{dialogue.id}, utterance {place}")
                yield score_of(
                    labels,
                    aspect,
                    why=NO_LABEL,
                    measure=aspect,
                    level="dialogue" if place is None else "utterance",
                    dialogue_id=dialogue.id,
                    utterance=place,
                    system=dialogue.system,
                    rater=AGGREGATE,
                )


def _note_left_out(
    left_out: Iterable[tuple[str | None, int | None]],
    judged: set[tuple[str | None, int | None]],
    path: Path,
    note: Note,
) -> None:
    replies = sum(place is not None for _, place in left_out)
    wholes = sum(place is None for _, place in left_out)
    if replies or wholes:
        all_replies = sum(place is not None for _, place in judged)
        what = f"this run has no scores for {replies} of {all_replies} judged replies and {wholes} of "
        what += f"{len(judged) - all_replies} judged dialogues."
        note(Problem(what, str(path), hint="Agreement is computed on the scored ones only; see the coverage."))


def _is_labels(head: Head) -> bool:
    spelled = head.has_keys("dialogue") or head.has_keys("dialog")
    return head.is_json_list and head.has_keys("conv_id", "turn_ind", "role") and spelled


def _is_run(head: Head) -> bool:
    predicts = head.has_keys("turn_level_pred") or head.has_keys("dial_level_pred")
    return head.is_json_list and head.has_keys("conv_id") and predicts


def _read_file(path: Path, note: Note) -> Iterator[Dialogue | Score]:
    return read_run(path, note=note) if _is_run(Head(path)) else read_labels(path, note=note)


def _read_corpus(folder: Path, note: Note) -> Iterator[Dialogue | Score]:
    count = 0
    for record in read_folder(folder, note):
        count += isinstance(record, Dialogue)
        yield record
    if count != COUNTS["dialogues"]:
        what = f"the corpus is incomplete: {count} of {COUNTS['dialogues']} dialogues."
        note(Problem(what, str(folder), hint="Get the rest with: trialogue data get crsarena-eval"))


FORMAT = SimpleFormat(
    name=NAME,
    summary="CRSArena-Eval: judged conversations, the runs of metrics over them, or a folder of both.",
    recognise=in_file_or_folder(lambda head: _is_labels(head) or _is_run(head)),
    reader=_read_file,
    folder_reader=read_folder,
)

COUNTS = {"dialogues": 467, "utterances": 4473}

CORPUS = Corpus(source=card("crsarena-eval"), reader=_read_corpus)
