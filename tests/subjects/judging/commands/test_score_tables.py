"""A judge's scores and labels from tables: a column of a CSV file, rows; and the run's own ratings as labels."""

from pathlib import Path

import pytest

import trialogue
from trialogue.errors import DataError, UsageError

HALF = 40


def files(folder: Path) -> tuple[str, str]:
    talks = ["conversation_id,model,role,text,satisfaction"]
    judged = ["conversation_id,gpt4o,other"]
    for number in range(2 * HALF):
        system, quality = "AB"[number % 2], 1 + (number * 7 + number % 2) % 5
        label = quality if number % 3 else ""
        talks += [f"{number},{system},user,hi {number},{label}", f"{number},{system},bot,film {number},{label}"]
        judged.append(f"{number}.0,{quality + 0.1 * (number % 4):.1f},{number % 7}")
    for name, rows in (("talks.csv", talks), ("judge.csv", judged)):
        (folder / name).write_text("\n".join(rows))
    return str(folder / "talks.csv"), str(folder / "judge.csv")


def test_a_column_of_a_table_judges_and_the_runs_own_ratings_correct_it(tmp_path: Path) -> None:
    talks, judged = files(tmp_path)
    found = trialogue.judge(talks, scores=f"{judged}:gpt4o")
    assert found.question == "satisfaction"
    assert str(found.judge) == "gpt4o:satisfaction"
    assert sum(each.labels for each in found.systems) == sum(1 for number in range(2 * HALF) if number % 3)
    by_aspect = trialogue.judge(talks, scores=f"{judged}:gpt4o", aspect="satisfaction")
    assert by_aspect.systems == found.systems


def test_rows_judge_as_the_file_does(tmp_path: Path) -> None:
    talks, judged = files(tmp_path)
    lines = [line.split(",") for line in Path(judged).read_text().splitlines()[1:]]
    rows = [{"conversation_id": int(float(name)), "score": float(value)} for name, value, _ in lines]
    by_rows = trialogue.judge(talks, scores=rows)
    assert by_rows.systems == trialogue.judge(talks, scores=f"{judged}:gpt4o").systems


def test_an_unknown_column_is_an_error_that_names_those_there_are(tmp_path: Path) -> None:
    talks, judged = files(tmp_path)
    with pytest.raises(DataError, match=r"there is no column 'gpt5'.*There are: conversation_id, gpt4o, other"):
        trialogue.judge(talks, scores=f"{judged}:gpt5")
    with pytest.raises(UsageError, match="Give the judge's column"):
        trialogue.judge(talks)
