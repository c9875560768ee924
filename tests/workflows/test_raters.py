"""Who rated stands wherever ratings do: in headlines, heads of columns, captions, tables and files."""

import json
from pathlib import Path

import pytest

from tests.inputs.test_study_answers import export
from trialogue.errors import DataError
from trialogue.inputs.inputs import gather
from trialogue.records import (
    Dialogue,
    Preference,
    Raters,
    Rating,
    Score,
    Utterance,
    read_records,
    write_records,
)
from trialogue.subjects.agreement.commands.agree import agree
from trialogue.subjects.evaluation.commands.evaluate import evaluate
from trialogue.subjects.evaluation.pages.write import text_table
from trialogue.subjects.people.commands.report import study_findings


def talks(raters: Raters, *, count: int = 12) -> list[Dialogue]:
    """Two systems, one liked more than the other."""
    return [
        Dialogue(
            id=f"{raters}-{system}-{n}",
            system=system,
            user=f"{raters}-{n}",
            utterances=(
                Utterance(speaker="user", text="hello"),
                Utterance(speaker="system", text=f"watch film {n}"),
            ),
            ratings=(Rating(name="satisfaction", value=high - n % 2, rater="user", low=1, high=5, raters=raters),),
        )
        for system, high in (("aria", 5), ("bolt", 3))
        for n in range(count)
    ]


def scripted(folder: Path) -> Path:
    """The export of a study that scripts walked, as earlier versions wrote it: only ``study.json`` says so."""
    export(folder)
    words = json.loads((folder / "study.json").read_text("utf-8"))
    (folder / "study.json").write_text(json.dumps(words | {"simulated": True}), "utf-8")
    return folder


def test_people_are_the_default_and_not_written(tmp_path: Path) -> None:
    write_records(tmp_path / "d.jsonl", talks(Raters.PEOPLE, count=1))
    assert "raters" not in (tmp_path / "d.jsonl").read_text("utf-8")
    write_records(tmp_path / "d.jsonl", talks(Raters.SCRIPTED, count=1))
    (read, *_) = read_records(tmp_path / "d.jsonl", Dialogue)
    assert read.ratings[0].raters is Raters.SCRIPTED


@pytest.mark.parametrize(
    ("raters", "title"),
    [
        (Raters.PEOPLE, "Satisfaction"),
        (Raters.SCRIPTED, "Satisfaction (scripted participants)"),
        (Raters.INVENTED, "Satisfaction (invented people)"),
        (Raters.MODEL, "Satisfaction (a model)"),
    ],
)
def test_a_column_says_who_rated_and_so_does_the_answer(tmp_path: Path, raters: Raters, title: str) -> None:
    write_records(tmp_path / "d.jsonl", talks(raters))
    run = evaluate(tmp_path / "d.jsonl", resamples=100, metrics=["length"])
    measure = run.league("human:satisfaction").measure
    assert (measure.title, measure.raters, measure.by) == (title, (raters,), "people")
    assert f"On {title}, " in run.answer
    assert title in text_table(run.findings)
    assert {score.raters for score in run.scores if score.rater} == {raters}
    page = run.write(tmp_path / "out")
    assert title in page.read_text("utf-8")
    assert title in (tmp_path / "out" / "summary.csv").read_text("utf-8")
    assert title in (tmp_path / "out" / "findings.json").read_text("utf-8")


def test_ratings_of_several_kinds_of_raters_are_called_after_all_of_them(tmp_path: Path) -> None:
    write_records(tmp_path / "d.jsonl", [*talks(Raters.PEOPLE), *talks(Raters.INVENTED)])
    run = evaluate(tmp_path / "d.jsonl", resamples=100, metrics=["length"])
    measure = run.league("human:satisfaction").measure
    assert measure.title == "Satisfaction (people and invented people)"
    assert measure.raters == (Raters.PEOPLE, Raters.INVENTED)


def test_the_demo_never_speaks_of_people_who_were_invented(tmp_path: Path) -> None:
    run = evaluate("demo", resamples=100, metrics=["length"])
    assert "Satisfaction (invented people)" in run.findings.answer[0].text
    assert "40 pairwise votes of invented people" in run.answer
    assert run.findings.votes is not None
    assert run.findings.votes.rater_kinds == (Raters.INVENTED,)
    page = run.write(tmp_path / "run").read_text("utf-8")
    assert "What invented people voted" in page
    assert "Votes (invented people)" in page
    assert " 20 people" not in page
    found = agree(tmp_path / "run", resamples=100)
    assert found.title == "Agreement with invented people: run"
    assert found.warnings[0] == "These answers are invented, not given by people: they show nothing about any system."
    assert any("agrees best with invented people's satisfaction" in sentence for sentence in found.answer)
    assert not any("with people's" in sentence for sentence in found.answer)


def test_answers_of_scripts_stay_theirs_whatever_file_they_are_read_from(tmp_path: Path) -> None:
    folder = scripted(tmp_path / "export")
    found = gather([folder])
    assert {score.raters for score in found.scores} == {Raters.SCRIPTED}
    assert {vote.raters for vote in found.preferences} == {Raters.SCRIPTED}
    write_records(tmp_path / "elsewhere.jsonl", found.scores)  # without study.json beside it
    assert {score.raters for score in gather([tmp_path / "elsewhere.jsonl"]).scores} == {Raters.SCRIPTED}


def test_a_study_that_scripts_walked_says_so_in_answer_and_titles(tmp_path: Path) -> None:
    found = study_findings(scripted(tmp_path / "export"))
    assert found.raters == (Raters.SCRIPTED,)
    assert found.answer[0] == "These answers come from scripts, not people: a rehearsal."
    assert {rating.title for rating in found.ratings} == {"Quality (scripted participants)"}
    assert any("scripted participants" in sentence for sentence in found.answer[1:])
    assert found.choices is not None
    assert found.choices.raters == (Raters.SCRIPTED,)
    assert study_findings(export(tmp_path / "real")).raters == (Raters.PEOPLE,)


# --- ratings off their scale ------------------------------------------------------------------------------------------


def test_a_rating_off_its_declared_scale_is_an_error_with_file_line_and_field(tmp_path: Path) -> None:
    """A 7 on a scale from 1 to 5 made "reaches 7.0 on Satisfaction"."""
    lines = [
        {
            "kind": "dialogue",
            "v": 2,
            "id": f"d{n}",
            "system": "aria",
            "utterances": [{"speaker": "user", "text": "hi"}],
            "ratings": [{"name": "satisfaction", "value": value, "rater": "user", "low": 1, "high": 5}],
        }
        for n, value in enumerate((5, 7, 4, 0))
    ]
    path = tmp_path / "d.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    with pytest.raises(DataError) as refused:
        evaluate(path, resamples=100)
    first, second = refused.value.problems
    assert (first.file, first.line, first.field) == (str(path), 2, "ratings[0]")
    assert "satisfaction has the rating 7, but the scale is declared to go from 1 to 5" in first.what
    assert second.line == 4


def test_an_answer_off_the_scale_of_its_study_is_an_error_with_its_line(tmp_path: Path) -> None:
    folder = export(tmp_path / "export")
    scale = {"title": "Quality", "labels": {str(point): f"point {point}" for point in range(1, 6)}}
    words = json.loads((folder / "study.json").read_text("utf-8"))
    (folder / "study.json").write_text(json.dumps(words | {"scales": {"human:quality": scale}}), "utf-8")
    assert len(gather([folder]).scores) == 2
    scores = list(read_records(folder / "scores.jsonl", Score))
    scores[2] = scores[2].model_copy(update={"value": 7.0})
    write_records(folder / "scores.jsonl", scores)
    for read in (study_findings, lambda path: gather([path])):
        with pytest.raises(
            DataError, match=r"scores\.jsonl, line 3, field value: Quality has the rating 7, but the scale"
        ):
            read(folder)


def test_a_table_with_a_declared_scale_tells_all_values_off_it_at_once(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("d,who,said,sat\na,user,hi,7\nb,user,hi,5\nc,user,hi,0\n", "utf-8")
    mapping = "dialogue: d\nspeaker: who\ntext: said\ndialogue_ratings: [sat]\nscale: [1, 5]\nsystem_name: mine\n"
    (tmp_path / "columns.yaml").write_text(mapping, "utf-8")
    with pytest.raises(DataError) as refused:
        gather([tmp_path / "t.csv"], mapping=tmp_path / "columns.yaml")
    assert [(each.line, each.field) for each in refused.value.problems] == [(2, "sat"), (4, "sat")]
    (tmp_path / "t.csv").write_text("d,who,said,sat\na,user,hi,5\n", "utf-8")
    (tmp_path / "columns.yaml").write_text(mapping + "raters: model\n", "utf-8")
    (dialogue,) = gather([tmp_path / "t.csv"], mapping=tmp_path / "columns.yaml").dialogues
    assert dialogue.ratings[0].raters is Raters.MODEL


def test_a_vote_says_what_kind_of_rater_gave_it() -> None:
    vote = Preference(id="v", a="aria", b="bolt", choice="a", raters=Raters.MODEL)
    assert vote.to_json()["raters"] == "model"
    assert "raters" not in Preference(id="v", a="aria", b="bolt", choice="a").to_json()
