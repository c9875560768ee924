"""Labelling by several processes, or on a cluster: the file of one process, to the byte."""

from pathlib import Path
from typing import Any

import pytest

from trialogue.dask_cluster import Workers
from trialogue.errors import DataError, Problem, UsageError
from trialogue.records import Dialogue, Response, Situation, Utterance, write_records
from trialogue.strategies import default_model
from trialogue.strategies.labelling import LabelTask, Unlabelled, UtteranceLabels
from trialogue.subjects.alignment.commands.write_labels import write_labels

SAID = (
    "You should watch {}, it is scary.",
    "Have you seen {}? I loved it!",
    "{}. Bye! Enjoy your film, and take care.",
)


def records(folder: Path) -> Path:
    """Dialogues that repeat themselves in part, then situations with their responses: three batches of 64."""
    talks = [
        Dialogue(
            id=str(number),
            system="a",
            utterances=(
                Utterance(speaker="user", text="Something scary, please."),
                Utterance(speaker="system", text=SAID[number % 3].format(f"Film {number % 50}")),
            ),
        )
        for number in range(90)
    ]
    reference = Utterance(speaker="system", text="What kind of films do you like?")
    asked = [Situation(id=f"s{place}", context=(talks[0].utterances[0],), reference=reference) for place in range(30)]
    answers = [Response(situation_id=each.id, system="b", utterance=talks[3].utterances[1]) for each in asked]
    write_records(folder / "given.jsonl", [*talks, *asked, *answers])
    return folder / "given.jsonl"


@pytest.mark.parametrize("workers", [Workers(2), Workers(3), pytest.param(Workers(2, "local"), marks=pytest.mark.slow)])
def test_the_file_does_not_depend_on_who_labels(workers: Workers, tmp_path: Path) -> None:
    given, labeller = records(tmp_path), default_model()
    counts = write_labels(given, tmp_path / "one.jsonl", labeller)
    assert write_labels(given, tmp_path / "many.jsonl", labeller, workers=workers) == counts
    assert (tmp_path / "many.jsonl").read_bytes() == (tmp_path / "one.jsonl").read_bytes()


class Lost(Workers):
    """Every worker was killed at the second batch."""

    def map(self, function: Any, pieces: Any, task: Any, *, purpose: str) -> Any:
        for piece, found in super().map(function, pieces, task, purpose=purpose):
            yield piece, [Problem("killed.", file=piece.given)] if piece.first == 65 else found


def test_a_batch_that_no_worker_could_label_is_named_and_nothing_written(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="the batch that begins with record 65"):
        write_labels(records(tmp_path), tmp_path / "out.jsonl", default_model(), workers=Lost(2))
    assert not (tmp_path / "out.jsonl").exists()


def test_a_language_model_is_asked_by_one_process(tmp_path: Path) -> None:
    class Asked:
        name, classes, origin, uses_context, languages = "llm", ("opinion",), "llm|v1", False, None

    with pytest.raises(UsageError, match="leave out --jobs"):
        write_labels(records(tmp_path), tmp_path / "out.jsonl", Asked(), workers=Workers(2))  # type: ignore[arg-type]


def test_labels_of_no_texts_are_none() -> None:
    from trialogue.strategies.labelling import Options, label_texts

    task = LabelTask(default_model, Options())
    assert label_texts(Unlabelled((), 1), task) == []
    assert label_texts(Unlabelled((("system", " ", ()),), 1), task) == [UtteranceLabels((), None)]
