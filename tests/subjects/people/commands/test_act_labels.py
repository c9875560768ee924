"""People label acts, users are fitted on them, and simulate: from the export to the dialogues."""

import csv
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.simulation.made import dialogue
from trialogue.cli.app import app
from trialogue.errors import DataError
from trialogue.records import Dialogue, read_records, write_records
from trialogue.simulation import load_users
from trialogue.simulation.actions import KDD2020
from trialogue.simulation.bundled import bundled_dialogues
from trialogue.simulation.users.interaction import fit_interaction
from trialogue.subjects.people.commands.act_labels import is_successful, with_labelled_acts

TALKS = list(bundled_dialogues("guided"))


def export(folder: Path, speaker: str, *, raters: tuple[str, ...] = ("ann", "bob", "cem")) -> Path:
    """The export of a study in which two of three annotators give every message of a speaker its label."""
    folder.mkdir()
    rows = [
        (talk.id, place, rater, (said.acts or ())[0].intent if rater != "cem" else "End")
        for talk in TALKS
        for place, said in enumerate(talk.utterances)
        if said.speaker == speaker
        for rater in raters
    ]
    with (folder / "labels.csv").open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([("dialogue_id", "utterance", "rater", "label"), *rows])
    return folder


def bare(talk: Dialogue) -> Dialogue:
    said = [each.model_copy(update={"acts": None, "acts_by": None}) for each in talk.utterances]
    return talk.model_copy(update={"utterances": tuple(said)})


def test_labels_of_people_become_acts_users_are_fitted_on_them_and_simulate(tmp_path: Path) -> None:
    write_records(tmp_path / "talks.jsonl", [bare(talk) for talk in TALKS])
    exports = [export(tmp_path / speaker, speaker) for speaker in ("user", "system")]
    words = ["users", "fit", "-d", str(tmp_path / "talks.jsonl"), "--out", str(tmp_path / "users"), "--set", "as=paper"]
    words += [word for folder in exports for word in ("--labels", str(folder))]
    done = CliRunner().invoke(app, [*words, "--method", "qrfa-single"])
    assert done.exit_code == 0, done.output
    model = load_users(tmp_path / "users")
    assert model.interaction.sequences == fit_interaction(TALKS).sequences
    assert model.options.agenda == "corpus"
    run = ["simulate", "-a", "reference:guided", "-u", str(tmp_path / "users"), "-n", "3", "-o", str(tmp_path / "run")]
    done = CliRunner().invoke(app, run)
    assert done.exit_code == 0, done.output
    held = list(read_records(tmp_path / "run" / "dialogues.jsonl", Dialogue))
    assert len([each for each in held if each.role == "system"]) == 3


def test_messages_without_a_majority_and_without_labels_are_counted(tmp_path: Path) -> None:
    users = sum(said.speaker == "user" for talk in TALKS for said in talk.utterances)
    found = with_labelled_acts(TALKS, [export(tmp_path / "user", "user", raters=("ann", "cem"))])
    agree = sum(
        (said.acts or ())[0].intent == "End" for talk in TALKS for said in talk.utterances if said.speaker == "user"
    )
    assert (found.labelled, found.undecided) == (agree, users - agree)
    assert found.unlabelled == sum(len(talk.utterances) for talk in TALKS) - users
    assert all(said.acts is None for talk in found.dialogues for said in talk.utterances if said.speaker == "system")


def test_labels_of_a_rehearsal_are_named(tmp_path: Path) -> None:
    folder = export(tmp_path / "user", "user")
    assert with_labelled_acts(TALKS, [folder]).rehearsals == ()
    (folder / "study.json").write_text('{"simulated": true}', encoding="utf-8")
    assert with_labelled_acts(TALKS, [folder]).rehearsals == (str(folder),)


def test_labels_of_other_dialogues_are_refused(tmp_path: Path) -> None:
    folder = export(tmp_path / "user", "user")
    with pytest.raises(DataError, match=r"none of the 2 dialogues.*Give the files"):
        with_labelled_acts(TALKS[:2], [folder])


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        (("u:Non-disclose", "a:Elicit", "u:Disclose", "a:List", "u:Similar", "a:List"), True),
        (("u:Non-disclose", "a:Elicit", "u:Disclose", "a:List"), False),  # no set retrieval
        (("u:List", "a:List", "u:Note", "a:Record"), False),  # no query formulation
        (("u:Revise", "a:List", "u:Interrupt", "a:Suggest", "u:Note-end", "a:Record"), True),
    ],
)
def test_a_dialogue_is_successful_if_it_covers_query_formulation_and_set_retrieval(
    turns: tuple[str, ...], expected: bool
) -> None:
    assert is_successful(dialogue(*turns), KDD2020.states) is expected


@pytest.mark.mirror
def test_all_dialogues_of_the_paper_are_successful_by_its_own_test(mirror: Path) -> None:
    from trialogue.datasets.corpora.kdd2020 import read_folder

    found = list(read_folder(mirror / "kdd2020", lambda _: None))
    assert sum(is_successful(each, KDD2020.states) for each in found) == len(found)
