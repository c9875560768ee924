"""A judge's columns in league tables, on boards and in agreement with people: raw beside corrected, and neither mixed up."""

from pathlib import Path

import numpy as np
import pytest

import trialogue
from tests.subjects.judging.commands.test_judge import World
from trialogue.findings import Findings
from trialogue.records import Rating, Score
from trialogue.records.files.jsonl import parse_line, to_line
from trialogue.render.measures import split_columns, table_leagues
from trialogue.render.media.papers import document_latex, document_markdown
from trialogue.subjects.board.commands.board import board
from trialogue.subjects.evaluation.commands.evaluate import Run
from trialogue.subjects.evaluation.pages.document import evaluation_document, league_document
from trialogue.subjects.evaluation.pages.summary import pairs_table, standings_table
from trialogue.workflows.write_findings import write_findings

JUDGE = "judge(tiny, overall, 0123abcd)@stated|v1:overall"
RAW, CORRECTED = f"{JUDGE} (judge alone)", f"{JUDGE} (judge, corrected)"


def run_of(folder: Path, *, labelled: int) -> Run:
    world = World(folder)
    dialogues = []
    for number, each in enumerate(world.dialogues):
        rating = Rating(name="overall", value=world.truth[each.id], rater="user", low=0, high=4)
        dialogues.append(each.model_copy(update={"ratings": (rating,) if number % 40 < labelled else ()}))
    scores = [each.model_copy(update={"measure": JUDGE}) for each in world.scores]
    scores = [Score.model_validate(each.model_dump()) for each in scores]
    return trialogue.evaluate([*dialogues, *scores], metrics=["length"], resamples=100)


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run_of(tmp_path_factory.mktemp("labelled"), labelled=15)


def heads(table: str) -> list[str]:
    return next(line for line in table.splitlines() if line.startswith("| System")).split("|")


def test_the_league_table_has_the_judge_raw_beside_corrected_where_people_labelled(labelled: Run) -> None:
    findings = labelled.findings
    assert [each.measure.name for each in findings.judge_leagues] == [RAW, CORRECTED]
    paper = evaluation_document(findings)
    for table in (document_markdown(paper), document_markdown(league_document(findings))):
        names = [name.strip() for name in heads(table)]
        place = names.index("Overall (judge alone) ↑")
        assert names[place + 1] == "Overall (judge, corrected) ↑"
    assert r"\shortstack[r]{Overall\\(judge,\\corrected) $\uparrow$}" in document_latex(paper)
    assert "raw scores of a judge do not show its error" in document_markdown(paper)
    rows = {(row["measure"], row["system"]): row for row in standings_table(findings).tidy()}
    raw, corrected = rows[RAW, "poor"], rows[CORRECTED, "poor"]
    assert raw["by"] == corrected["by"] == "judge"
    assert raw["value"] > corrected["value"] + 0.5  # the judge flatters it
    assert raw["low"] is None
    assert corrected["low"] < corrected["value"] < corrected["high"]
    assert parse_line(to_line(findings), {Findings.kind: Findings}) == findings


def test_without_labels_the_raw_column_is_alone_and_has_its_interval(tmp_path: Path) -> None:
    findings = run_of(tmp_path, labelled=0).findings
    assert [each.measure.name for each in findings.judge_leagues] == [RAW]
    assert all(each.estimate.interval is not None for each in findings.judge_leagues[0].standings)


def test_nothing_is_concluded_from_a_judges_columns(labelled: Run) -> None:
    findings = labelled.findings
    judged = {RAW, CORRECTED}
    assert findings.primary not in judged
    assert not judged & {each.measure.name for each in findings.leagues}
    assert not judged & {row["measure"] for row in pairs_table(findings).tidy()}
    assert not [each for each in labelled.scores if each.measure.is_of_judge]


@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_two_columns_stay_side_by_side_however_few_fit(labelled: Run, size: int) -> None:
    parts = [[each.measure.name for each in part] for part in split_columns(table_leagues(labelled.findings), size)]
    assert [name for part in parts for name in part] == [each.measure.name for each in table_leagues(labelled.findings)]
    assert all(len(part) <= max(size, 2) for part in parts)
    assert next(part for part in parts if RAW in part)[-1] == CORRECTED


def test_a_board_holds_no_raw_judge(labelled: Run, tmp_path: Path) -> None:
    labelled.write(tmp_path / "one", explorer=False)
    run_of(tmp_path, labelled=12).write(tmp_path / "two", explorer=False)
    made = board(tmp_path / "one", tmp_path / "two")
    assert "judge(" not in to_line(made.findings)


def test_agreement_with_people_uses_the_raw_judge(tmp_path: Path) -> None:
    """A corrected score holds people's answers, and would agree with itself: of these labels, perfectly."""
    world = World(tmp_path)
    world.label([name for name in world.truth if name not in {each.dialogue_id for each in world.labels}])
    card = world.judged().card
    assert card is not None
    found = next(each for each in card.agreement if (each.scope, each.statistic) == ("within", "pearson"))
    raw = {each.dialogue_id or "": each.value or 0.0 for each in world.scores}
    sides = []
    for values in (raw, world.truth):
        of_system = [np.array([values[f"{name}-{number}"] for number in range(40)]) for name in ("good", "poor")]
        sides.append(np.concatenate([each - each.mean() for each in of_system]))
    assert found.headline.value == pytest.approx(float(np.corrcoef(sides[0], sides[1])[0, 1]))
    assert (found.headline.value or 1.0) < 0.95


def test_agreement_of_a_run_does_not_hold_a_judge_against_the_people_who_correct_it(labelled: Run) -> None:
    agreed = trialogue.agree(labelled, resamples=100)
    assert "judge(" not in agreed.model_dump_json()


def test_a_file_of_corrected_values_gives_no_scores(tmp_path: Path) -> None:
    world = World(tmp_path)
    write_findings(world.judged(), tmp_path / "judged")
    run = trialogue.evaluate([world.files()["dialogues"], str(tmp_path / "judged" / "judging.json")], resamples=100)
    assert not [each for each in run.scores if "overall" in str(each.measure)]
    assert not run.findings.judge_leagues
