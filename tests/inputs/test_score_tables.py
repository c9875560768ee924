"""Tables that belong together, and tables of scores alone."""

from pathlib import Path

import pytest

from trialogue.errors import DataError
from trialogue.inputs.inputs import InputRecords, gather
from trialogue.subjects.evaluation.commands.evaluate import evaluate


def messages(folder: Path, ids: list[str]) -> str:
    rows = ["conversation_id,model,role,text"]
    for place, name in enumerate(ids):
        rows += [f"{name},{'AB'[place % 2]},user,hi", f"{name},{'AB'[place % 2]},bot,Try film {place}"]
    (folder / "messages.csv").write_text("\n".join(rows))
    return str(folder / "messages.csv")


def ratings(folder: Path, rows: list[str], head: str = "conversation_id,satisfaction") -> str:
    (folder / "ratings.csv").write_text("\n".join([head, *rows]))
    return str(folder / "ratings.csv")


def joined(folder: Path, rows: list[str], head: str = "conversation_id,satisfaction", **options: str) -> InputRecords:
    return gather([messages(folder, ["1", "2", "3", "4"]), ratings(folder, rows, head)], **options)  # type: ignore[arg-type]


def test_ratings_of_another_table_find_their_dialogues(tmp_path: Path) -> None:
    material = joined(tmp_path, ["1.0,5", "2.0,3", "4.0,1", "9.0,2"])
    assert {each.id: [rating.value for rating in each.ratings] for each in material.dialogues} == {
        "1": [5],
        "2": [3],
        "3": [],
        "4": [1],
    }
    assert any(
        "3 of 4 values were joined to dialogues by conversation_id; 1 name none of them ('9')" in each
        for each in material.warnings
    )
    assert {name: (each.rated, each.units) for name, each in material.reading.rated.items()} == {
        "A": (1, 2),
        "B": (2, 2),
    }


def test_the_order_of_the_files_does_not_matter(tmp_path: Path) -> None:
    talks, rated = messages(tmp_path, ["1", "2"]), ratings(tmp_path, ["1,5", "2,3"])
    first, second = gather([talks, rated]), gather([rated, talks])
    assert list(first.dialogues) == list(second.dialogues)


def test_ids_that_are_nowhere_known_are_an_error_that_shows_both(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"no value of 'conversation_id' \('c1', 'c2'\) is an id .* dialogues have '1', '2'"
    ):
        joined(tmp_path, ["c1,5", "c2,3"])


def test_where_two_columns_fit_the_key_is_asked_for(tmp_path: Path) -> None:
    head, rows = "conversation_id,case_id,satisfaction", ["1,2,5", "2,1,3", "3,4,2", "4,3,1"]
    with pytest.raises(DataError, match=r"may be joined by conversation_id .* or case_id"):
        joined(tmp_path, rows, head)
    material = joined(tmp_path, rows, head, key="case_id")
    assert [each.ratings[0].value for each in material.dialogues] == [3, 5, 1, 2]


def test_long_tables_name_the_question_in_a_column(tmp_path: Path) -> None:
    head = "conversation_id,metric,value,rater"
    material = joined(tmp_path, ["1,fluency,4,w1", "1,fluency,5,w2", "1,csat,1,w1", "2,csat,0,w1"], head)
    first = next(iter(material.dialogues))
    assert [(each.name, each.value, each.rater) for each in first.ratings] == [
        ("fluency", 4, "w1"),
        ("fluency", 5, "w2"),
        ("csat", 1, "w1"),
    ]


def test_a_table_of_scores_alone_compares_systems(tmp_path: Path) -> None:
    rows = [f"{'AB'[n % 2]},{n // 2},{1 + (n * 3 + n % 2) % 5},p{n // 4}" for n in range(80)]
    (tmp_path / "scores.csv").write_text("\n".join(["system,unit,score,person", *rows]))
    run = evaluate(str(tmp_path / "scores.csv"), resamples=200)
    (league,) = run.findings.leagues
    assert [standing.estimate.n for standing in league.standings] == [40, 40]
    assert run.findings.people == 20
    assert "the data do not say who gave these ratings" in run.answer
    declared = evaluate(str(tmp_path / "scores.csv"), resamples=200, origin="person")
    assert "do not say who" not in declared.answer
    assert declared.league("human:score").standings[0].estimate == league.standings[0].estimate


def test_trials_of_a_table_of_scores_are_nested_in_their_unit(tmp_path: Path) -> None:
    rows = [f"A,t{n // 3},{n % 3},{n % 2}" for n in range(30)]
    (tmp_path / "scores.csv").write_text("\n".join(["system,task,trial,score", *rows]))
    material = gather([str(tmp_path / "scores.csv")])
    assert len(material.dialogues) == 30
    assert len({each.cluster for each in material.dialogues}) == 10


def test_rows_in_memory_are_joined_as_files_are(tmp_path: Path) -> None:
    rows = [{"conversation_id": n, "satisfaction": n} for n in (1, 2, 4)]
    from_memory = gather([messages(tmp_path, ["1", "2", "3", "4"]), rows])
    assert list(from_memory.dialogues) == list(joined(tmp_path, ["1.0,1", "2.0,2", "4.0,4"]).dialogues)


def test_a_table_of_scores_says_which_end_is_the_better_one(tmp_path: Path) -> None:
    rows = [f"{'AB'[n % 2]},{n // 2},{(n * 3) % 5 + 3 * (n % 2)},lower" for n in range(60)]
    (tmp_path / "scores.csv").write_text("\n".join(["system,unit,score,direction", *rows]))
    run = evaluate(str(tmp_path / "scores.csv"), resamples=200, origin="person")
    (league,) = run.findings.leagues
    assert league.measure.better == "lower"
    assert league.standings[0].system == "A"
    assert "A is better than B" in run.answer
