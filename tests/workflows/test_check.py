"""The audit alone: of data, submissions and runs."""

import random
from pathlib import Path

import pytest
from benchmarks.sample_cases import failing, rated, sample, talk
from typer.testing import CliRunner

from trialogue.cli.app import app
from trialogue.errors import DataError
from trialogue.records import Dialogue, Mention, Response, Situation, Utterance, write_records
from trialogue.workflows.check import CheckCode, CheckFinding, check
from trialogue.workflows.evaluation import evaluate


def codes(found: tuple[CheckFinding, ...]) -> set[tuple[CheckCode, str | None, int]]:
    return {(each.code, each.system, each.count) for each in found}


def written(path: Path, records: list[Dialogue]) -> Path:
    write_records(path, records)
    return path


def test_clean_data_pass(tmp_path: Path) -> None:
    path = written(tmp_path / "clean.jsonl", sample(random.Random(1), sizes=(20, 20)))
    assert check(path) == ()
    result = CliRunner().invoke(app, ["check", str(path), "--quiet"])
    assert (result.exit_code, result.output) == (0, "Nothing found.\n")


def test_failures_copies_shared_dialogues_and_missing_ratings_are_named(tmp_path: Path) -> None:
    records = failing(random.Random(2), text="Error 500", share=0.3, rated_too=True, paired=False)
    failed = [each.id for each in records if each.utterances[-1].text == "Error 500"]
    records.append(records[0].model_copy(update={"id": "again"}))
    records.append(records[1].model_copy(update={"id": "of A", "system": "B"}))
    records = [each.model_copy(update={"ratings": ()}) if each.id in ("A2", "A3") else each for each in records]
    records += [
        Dialogue(id=f"C{n}", system="C", utterances=talk(random.Random(n)), ratings=rated(3.0 if n < 5 else None))
        for n in range(20)
    ]
    path = written(tmp_path / "data.jsonl", records)
    found = check(path)
    assert codes(found) == {
        (CheckCode.SUSPECTED_FAILURES, "B", len(failed)),
        (CheckCode.COPIED_UNITS, "A", 1),
        (CheckCode.SHARED_DIALOGUES, "A", 1),
        (CheckCode.SHARED_DIALOGUES, "B", 1),
        (CheckCode.UNEQUALLY_RATED, "C", 15),
    }
    assert next(each for each in found if each.code is CheckCode.SUSPECTED_FAILURES).ids == tuple(failed)
    result = CliRunner().invoke(app, ["check", str(path), "--quiet"])
    assert result.exit_code == 1
    assert "C: 15 of 20 have no rating, a larger share than of another system" in result.output


def test_a_submission_is_checked_for_missing_cases_rankings_and_leaks(tmp_path: Path) -> None:
    user = Utterance(speaker="user", text="Like Heat?", mentions=(Mention(title="Heat", item_id="m1"),))
    plain = Utterance(speaker="user", text="A western?")
    records: list[Situation | Response] = [
        Situation(id=f"s{n}", context=(user if n == 0 else plain,), targets=("m1",), dialogue_id=f"d{n}")
        for n in range(4)
    ]
    rankings = (("m1", "m2"), ("m1", "m1"), ("m2", "m9"))
    records += [
        Response(situation_id=f"s{n}", system="mine", utterance=Utterance(speaker="system", text="", ranking=ranking))
        for n, ranking in enumerate(rankings)
    ]
    write_records(tmp_path / "run.jsonl", records)
    found = check(tmp_path / "run.jsonl")
    assert codes(found) == {
        (CheckCode.MISSING_CASES, "mine", 1),
        (CheckCode.REPEATED_ITEMS, "mine", 1),
        (CheckCode.LEAKED_TARGETS, None, 1),
    }
    catalogue = tmp_path / "items.csv"
    catalogue.write_text("id,title\nm1,Heat\nm2,Ronin\n", encoding="utf-8")
    found = check(tmp_path / "run.jsonl", catalogue=str(catalogue))
    assert (CheckCode.UNKNOWN_ITEMS, "mine", 1) in codes(found)


def test_a_run_is_checked_with_its_seals(tmp_path: Path) -> None:
    records = failing(random.Random(3), text="null", share=0.3, rated_too=True, paired=False)
    folder = evaluate(records, metrics=["turns"], resamples=200).write(tmp_path / "run", explorer=False).parent
    assert {each.code for each in check(folder)} == {CheckCode.SUSPECTED_FAILURES}
    (folder / "findings.json").write_text("{}", encoding="utf-8")
    with pytest.raises(DataError, match="findings"):
        check(folder)
