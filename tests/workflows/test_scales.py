"""Shares are shares wherever they come from: on records, in files of answers, from runs that are read again."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from trialogue.errors import DataError
from trialogue.records import Dialogue, Rating, Record, Scale, Score, Utterance, read_records, write_records
from trialogue.subjects.agreement.commands.agree import agree
from trialogue.subjects.comparison.commands.compare import compare
from trialogue.subjects.evaluation.commands.evaluate import evaluate

YES = {"a": 9, "b": 3}
"""Of 12 dialogues each."""
QUESTION = "human:solved"


def talk(system: str, number: int, ratings: tuple[Rating, ...] = ()) -> Dialogue:
    said = (
        Utterance(speaker="user", text="a quiet film please"),
        Utterance(speaker="system", text=f"how about number {number} of {system} {'x ' * (number % 5)}".strip()),
    )
    return Dialogue(id=f"{system}{number}", system=system, user=f"p{number}", utterances=said, ratings=ratings)


def answered(system: str, number: int) -> float:
    return float(number < YES[system])


def on_records(folder: Path, systems: Sequence[str] = ("a", "b"), **scale: float) -> Path:
    """Every dialogue with its answer."""
    path = folder / f"{'-'.join(systems)}-with-ratings.jsonl"
    write_records(path, [
        talk(system, number, (Rating(name="solved", value=answered(system, number), rater="user", **scale),))
        for system in systems for number in range(12)
    ])  # fmt: skip
    return path


def in_files(folder: Path, scale: Scale | None, *, more: Sequence[float] = ()) -> list[Path]:
    """Dialogues, and answers in a file of their own."""
    folder.mkdir()
    talks: list[Record] = [talk(system, number) for system in YES for number in range(12)]
    answers = [
        Score(
            measure=QUESTION,
            level="dialogue",
            value=value,
            system=system,
            dialogue_id=f"{system}{number}",
            rater=f"p{number}",
            scale=scale,
        )
        for system in YES
        for number, value in enumerate([*more, *(answered(system, n) for n in range(len(more), 12))])
    ]
    write_records(folder / "talks.jsonl", talks)
    write_records(folder / "answers.jsonl", answers)
    return [folder / "talks.jsonl", folder / "answers.jsonl"]


def intervals(run_of: Sequence[Path]) -> list[tuple[float, float, str]]:
    league = evaluate(*run_of, metrics=["length@words"], resamples=200).league(QUESTION)
    found = [standing.estimate.interval for standing in league.standings]
    return [(each.low, each.high, each.method) for each in found if each is not None]


def test_answers_in_a_file_have_the_interval_of_those_on_records(tmp_path: Path) -> None:
    expected = intervals([on_records(tmp_path, low=0, high=1)])
    assert all("score" in method for _, _, method in expected)
    assert intervals(in_files(tmp_path / "declared", Scale(low=0, high=1))) == expected
    assert intervals(in_files(tmp_path / "undeclared", None)) == expected


def test_no_and_yes_are_counted_as_shares_without_a_scale_and_that_is_said(tmp_path: Path) -> None:
    run = evaluate(*in_files(tmp_path / "x", None), metrics=["length@words"], resamples=200)
    (line,) = (text for text in run.findings.warnings if "is not declared" in text)
    assert line == (
        "The scale of solved is not declared. All answers are 0 or 1, so their mean is treated as a "
        "proportion. Declare it (low and high) to be certain."
    )
    declared = evaluate(*in_files(tmp_path / "y", Scale(low=0, high=1)), metrics=["length@words"], resamples=200)
    assert not any("is not declared" in text for text in declared.findings.warnings)


def test_a_declared_scale_is_never_taken_for_a_share_because_of_its_values(tmp_path: Path) -> None:
    """On a scale from 0 to 5 nobody may have answered anything but 0 and 1."""
    files = in_files(tmp_path / "five", Scale(low=0, high=5))
    assert all("score" not in method for _, _, method in intervals(files))
    run = evaluate(*files, metrics=["length@words"], resamples=200)
    assert run.league(QUESTION).measure.unit == "rating"
    run.write(tmp_path / "run")
    (judged,) = (
        each
        for each in compare(tmp_path / "run", tmp_path / "run", systems=["a", "b"], resamples=200).comparison.judgements
        if each.measure == QUESTION
    )
    assert judged.difference.interval is not None
    assert "score" not in judged.difference.interval.method.lower()
    assert not any(found.get("auc") for found in agree(run, resamples=50).ratings)


def test_shares_stay_shares_in_runs_comparisons_and_agreement(tmp_path: Path) -> None:
    run = evaluate(*in_files(tmp_path / "x", Scale(low=0, high=1)), metrics=["length@words"], resamples=200)
    run.write(tmp_path / "run")
    assert {each.scale for each in read_records(tmp_path / "run" / "scores.jsonl", Score) if each.rater} == {
        Scale(low=0, high=1)
    }
    both = [
        compare(given, given, systems=["a", "b"], resamples=200).comparison.judgements[0].difference
        for given in (tmp_path / "run", run)
    ]
    assert both[0] == both[1]
    (contrast,) = run.league(QUESTION).contrasts
    assert both[0].interval is not None
    assert contrast.difference.interval is not None
    assert both[0].interval.method == contrast.difference.interval.method
    assert (both[0].interval.low, both[0].interval.high) == pytest.approx(
        (-contrast.difference.interval.high, -contrast.difference.interval.low)
    )
    assert all(found.get("auc") for found in agree(run, resamples=50).ratings)


def test_answers_without_a_scale_take_the_one_that_others_declare(tmp_path: Path) -> None:
    """Half of the answers stand on records with a scale, half in a file without."""
    file = on_records(tmp_path, ("a",), low=0, high=1)
    talks, answers = in_files(tmp_path / "x", None)
    of_b = [each for each in read_records(answers, Score) if each.system == "b"]
    write_records(tmp_path / "b.jsonl", [each for each in read_records(talks, Dialogue) if each.system == "b"])
    write_records(tmp_path / "answers-b.jsonl", of_b)
    mixed = intervals([file, tmp_path / "b.jsonl", tmp_path / "answers-b.jsonl"])
    assert mixed == intervals([on_records(tmp_path, low=0, high=1)])


def test_an_answer_without_a_scale_must_lie_on_the_declared_one(tmp_path: Path) -> None:
    file = on_records(tmp_path, ("a",), low=0, high=1)
    talks, answers = in_files(tmp_path / "x", None, more=[7.0])
    of_b = [each for each in read_records(answers, Score) if each.system == "b"]
    write_records(tmp_path / "b.jsonl", [each for each in read_records(talks, Dialogue) if each.system == "b"])
    write_records(tmp_path / "answers-b.jsonl", of_b)
    with pytest.raises(DataError, match="solved has the rating 7, but the scale is declared to go from 0 to 1"):
        evaluate(file, tmp_path / "b.jsonl", tmp_path / "answers-b.jsonl", metrics=["length@words"], resamples=50)


def test_a_score_off_its_own_scale_is_refused_with_file_and_line(tmp_path: Path) -> None:
    good = Score(measure=QUESTION, level="dialogue", value=1, dialogue_id="d", rater="p", scale=Scale(low=0, high=1))
    write_records(tmp_path / "x.jsonl", [good, good.model_copy(update={"value": 7.0})])
    with pytest.raises(
        DataError, match="solved has the rating 7, but the scale is declared to go from 0 to 1"
    ) as caught:
        list(read_records(tmp_path / "x.jsonl", Score))
    assert "x.jsonl" in str(caught.value)
    assert "line 2" in str(caught.value)


@pytest.mark.parametrize(("low", "high"), [(None, None), (1, 1), (5, 1)])
def test_what_is_no_scale_is_none(low: float | None, high: float | None) -> None:
    assert Scale.of(low, high) is None
    with pytest.raises(ValueError, match="scale"):
        Scale(low=low, high=high)
