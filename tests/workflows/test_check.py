"""The audit alone: of data, submissions and runs."""

import json
import random
from pathlib import Path

import pytest
from benchmarks.sample_cases import failing, rated, sample, talk
from typer.testing import CliRunner

from trialogue.cli.app import app
from trialogue.errors import DataError, UsageError
from trialogue.records import Dialogue, Manifest, Mention, Response, Situation, Utterance, write_records
from trialogue.records.runs import run_draft
from trialogue.subjects.evaluation.commands.evaluate import evaluate
from trialogue.workflows.check import CheckCode, CheckFinding, check


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


def test_results_of_any_command_are_compared_with_their_seals_those_of_stages_too(tmp_path: Path) -> None:
    """A board, judgements and an experiment were read as data with unknown fields, or refused for want of scores."""
    for folder in (tmp_path / "demo", tmp_path / "demo" / "stages" / "agree"):
        with run_draft(folder, Manifest(command="run")) as draft:
            (draft / "board.json").write_text('{"rows": []}', encoding="utf-8")
    assert check(tmp_path / "demo") == ()
    with pytest.raises(UsageError, match="holds the results of trialogue run, not conversations"):
        evaluate(tmp_path / "demo")
    (tmp_path / "demo" / "stages" / "agree" / "board.json").write_text('{"rows": [1]}', encoding="utf-8")
    with pytest.raises(DataError, match=r"stages/agree/board\.json: this file of the run was changed"):
        check(tmp_path / "demo")
    (tmp_path / "demo" / "board.json").unlink()
    with pytest.raises(DataError) as caught:
        check(tmp_path / "demo")
    assert len(caught.value.problems) == 2


def cases(folder: Path, *rows: dict[str, object]) -> Path:
    path = folder / f"{len(list(folder.iterdir()))}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def case(number: int, text: str = "A western?", target: str = "m1", name: str = "s") -> dict[str, object]:
    said = [{"speaker": "user", "text": text}]
    return {"kind": "situation", "id": f"{name}{number}", "context": said, "targets": [target]}


def reply(number: int, ranking: list[str], name: str = "s") -> dict[str, object]:
    said = {"speaker": "system", "text": "", "ranking": ranking}
    return {"kind": "response", "situation_id": f"{name}{number}", "system": "mine", "utterance": said}


@pytest.mark.parametrize(
    ("text", "target", "name", "leaks"),
    [
        ("A western like m1?", "m1", "s", True),
        ("A western?", "m1", "m1-", True),
        ("Like heat and dust?", "m2", "s", True),  # a title of several words, in any case
        ("Like Ronin?", "m3", "s", True),
        ("Is ronin a word?", "m3", "s", False),  # a title of one word counts as it is spelt
        ("The western m11?", "m1", "s", False),
        ("The 7 best?", "7", "s", False),  # digits are too often something else
    ],
)
def test_a_leak_is_an_id_or_a_title_in_the_context(
    tmp_path: Path, text: str, target: str, name: str, leaks: bool
) -> None:
    titles = tmp_path / "titles.csv"
    titles.write_text("id,title\nm1,Up\nm2,Heat and Dust\nm3,Ronin\n7,Seven Samurai\n", encoding="utf-8")
    path = cases(tmp_path, case(0, text, target, name), reply(0, [target], name))
    assert (CheckCode.LEAKED_TARGETS in {each.code for each in check(path, catalogue=str(titles))}) == leaks


def test_an_empty_ranking_is_no_reply_and_an_item_in_other_case_the_same(tmp_path: Path) -> None:
    path = cases(tmp_path, case(0), case(1), reply(0, []), reply(1, ["m1", "M1 "]))
    assert codes(check(path)) >= {(CheckCode.MISSING_CASES, "mine", 1), (CheckCode.REPEATED_ITEMS, "mine", 1)}
    titles = tmp_path / "titles.csv"
    titles.write_text("id,title\nm2,Heat\n", encoding="utf-8")
    assert (CheckCode.UNKNOWN_TARGETS, None, 2) in codes(check(path, catalogue=str(titles)))


def test_what_was_left_out_in_reading_is_a_finding(tmp_path: Path) -> None:
    path = cases(tmp_path, case(0), reply(0, ["m1"]))
    path.write_text(path.read_text(encoding="utf-8") + '{"kind": "resp', encoding="utf-8")
    (found,) = check(path)
    assert (found.code, "the last line is cut short" in found.text) == (CheckCode.READ_IN_PART, True)


def test_all_mistakes_of_all_inputs_are_named_at_once_those_of_a_kind_in_one_line(tmp_path: Path) -> None:
    records = failing(random.Random(3), text="null", share=0.3, rated_too=True, paired=False)
    runs = tmp_path / "runs"
    for name in ("one", "two"):
        evaluate(records, metrics=["turns"], resamples=200).write(runs / name, explorer=False)
    assert len(check(runs)) == 2  # a folder of runs
    (runs / "two" / "scores.jsonl").write_text("", encoding="utf-8")
    data = tmp_path / "data"
    data.mkdir()
    twice = cases(data, *(case(n) for n in range(9)), *(reply(n, ["m1"]) for n in range(9) for _ in range(2)))
    numbers = cases(data, *({**case(n), "id": n} for n in range(9)))
    with pytest.raises(DataError) as wrong:
        check(runs, twice, numbers)
    lines = str(wrong.value).splitlines()
    assert [len(lines), *("9 times" in line for line in lines)] == [2, False, True]  # twice stands with its situations
    with pytest.raises(DataError, match=r"answers situation 's0' twice; keep one of the two\. \(9 times\)"):
        check(twice)


@pytest.mark.parametrize(("name", "options"), [("", {}), ("run", {"catalogue": "demo"})])
def test_a_blank_name_and_an_option_that_runs_ignore_are_refused(
    tmp_path: Path, name: str, options: dict[str, str]
) -> None:
    records = failing(random.Random(3), text="null", share=0.3, rated_too=True, paired=False)
    evaluate(records, metrics=["turns"], resamples=200).write(tmp_path / "run", explorer=False)
    with pytest.raises(UsageError):
        check(tmp_path / name if name else name, catalogue=options.get("catalogue"))
