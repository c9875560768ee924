"""CRSArena-Eval (Joko and Hasibi): conversations of CRSArena-Dial with third-party judgements of every reply and dialogue.

A labels file becomes Dialogues, then human Scores (rater ``"aggregate"``: the individual judges were not published) named as
in the file: ``relevance`` and ``interestingness`` of every reply, ``understanding``, ..., ``dialogue_overall`` of the whole.
A run file becomes the Scores of a metric. Old copies spell ``dialog``; both spellings give the same records.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from trialogue.datasets.base import Corpus, Head, SimpleFormat, Source, remote_files
from trialogue.datasets.crsarena.runs import (
    Labels,
    aspects_of,
    labels_of,
    objects_of,
    parties_of,
    read_run,
    score_of,
    write_run,
)
from trialogue.datasets.json_documents import ParseReport, files_like, in_file_or_folder, kind_of, read_json
from trialogue.errors import DataError, Problem
from trialogue.records import Dialogue, JsonValue, Reason, ReasonCode, Score, Speaker, Utterance
from trialogue.records.files.jsonl import Note, warn
from trialogue.records.score import AGGREGATE

__all__ = ["CORPUS", "FORMAT", "read_labels", "read_run", "write_run"]

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

ADDRESS = "https://raw.githubusercontent.com/informagi/face/cd4b3f7/dataset"
COUNTS = {"dialogues": 467, "utterances": 4473}

CORPUS = Corpus(
    source=Source(
        name=NAME,
        title="CRSArena-Eval",
        summary="467 conversations of CRSArena-Dial with third-party scores for every reply and for the whole.",
        folder="crsarena_eval",
        homepage="https://github.com/informagi/face",
        revision="cd4b3f7",
        files=(
            *remote_files(ADDRESS, {"crs_arena_eval.json": None}),
            *remote_files(ADDRESS, {"face_run.json": None}, optional=True),
        ),
        licence="MIT (a badge in the README; no licence file)",
        citation=(
            "Joko and Hasibi (2025). FACE: A Fine-grained Reference Free Evaluator for Conversational Recommender Systems. "
            "arXiv:2506.00314."
        ),
        bibtex=(
            "@misc{joko2025face,\n"
            "  author = {Joko, Hideaki and Hasibi, Faegheh},\n"
            "  title = {{FACE}: A Fine-grained Reference Free Evaluator for Conversational Recommender Systems},\n"
            "  eprint = {2506.00314},\n"
            "  archivePrefix = {arXiv},\n"
            "  year = {2025}\n}"
        ),
        counts=COUNTS,
        defects=(
            "Relevance is documented as 0 to 3 for 2,235 replies; the file has 0 to 2 for 2,230.",
            "Two aspects in the file, preference_elicitation and explanation, are undocumented.",
            "Only aggregated scores were published: no raters, so the agreement between raters cannot be computed.",
            "Copies of the first release spell 'dialog'; later ones also replaced it inside three utterances.",
            "FACE's own run leaves out 15 replies and one dialogue, which the official evaluator skips silently.",
        ),
    ),
    reader=_read_corpus,
)
