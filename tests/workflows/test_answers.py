"""People's answers take one path, whatever command reads them and whatever file they came in."""

from pathlib import Path

from tests.workflows.made import good_and_bad, written
from trialogue.metrics import conversations_of
from trialogue.metrics.human_ratings import rating_scores
from trialogue.records import Dialogue, Rating, Record, Response, Score, Situation, Utterance, write_records
from trialogue.subjects.agreement.commands.agree import agree
from trialogue.subjects.alignment.commands.align import align
from trialogue.subjects.evaluation.commands.evaluate import Run, evaluate
from trialogue.subjects.evaluation.pages.write import read_findings
from trialogue.subjects.simulated_users.commands.realism import realism
from trialogue.workflows.experiment import experiment_of, run_experiment

FAST = 200
READS_RECORDS = "success_rate@satisfied|v1"  # a metric of what the record itself says


def apart(folder: Path) -> tuple[Path, Path, Path]:
    """(conversations with ratings on them, the same without, the ratings as scores of a file of their own).

    Their scale is not declared: a file of scores has no place for one.
    """
    talks = [_without_scale(record) for record in good_and_bad() if isinstance(record, Dialogue)]
    bare = [talk.model_copy(update={"ratings": ()}) for talk in talks]
    scores = [score for each in conversations_of(talks) for score in rating_scores(each)]
    return (
        written(folder / "together.jsonl", list(talks)),
        written(folder / "talks.jsonl", list(bare)),
        written(folder / "ratings.jsonl", list(scores)),
    )


def _without_scale(talk: Dialogue) -> Dialogue:
    ratings = tuple(rating.model_copy(update={"low": None, "high": None}) for rating in talk.ratings)
    return talk.model_copy(update={"ratings": ratings})


def rated_by_people(run: Run) -> list[Score]:
    return [score for score in run.scores if score.rater is not None or score.measure.is_judgement]


def plain(scores: list[Score]) -> list[dict[str, object]]:
    """Scores without what says which files they were made of."""
    return [score.model_copy(update={"signature": None}).to_json() for score in scores]


def test_ratings_in_a_file_of_their_own_give_the_scores_that_ratings_on_records_give(tmp_path: Path) -> None:
    together, talks, ratings = apart(tmp_path)
    one = evaluate(together, metrics=["length"], resamples=FAST)
    other = evaluate(talks, ratings, metrics=["length"], resamples=FAST)
    assert plain(rated_by_people(other)) == plain(rated_by_people(one))
    assert other.league("human:satisfaction").standings[0].system == "good"
    assert plain(list(other.scores)) == plain(list(one.scores))  # floors of agreement among them


def test_agreement_and_realism_read_them_alike(tmp_path: Path) -> None:
    together, talks, ratings = apart(tmp_path)
    evaluate(together, metrics=["length"], resamples=FAST).write(tmp_path / "one")
    evaluate(talks, ratings, metrics=["length"], resamples=FAST).write(tmp_path / "other")
    one, other = (agree(tmp_path / name, resamples=FAST) for name in ("one", "other"))
    assert other.ratings == one.ratings
    simulated = written(tmp_path / "simulated.jsonl", _others())
    one_side, other_side = (
        realism([str(each) for each in real], [str(simulated)], resamples=FAST)
        for real in ((together,), (talks, ratings))
    )
    judged, judged_apart = (
        [each for each in side.predictions if each.against == "human:satisfaction" and each.measure != READS_RECORDS]
        for side in (one_side, other_side)
    )
    assert judged
    assert judged_apart == judged


def _others() -> list[Record]:
    """Other conversations with the same systems."""
    talks = [record for record in good_and_bad() if isinstance(record, Dialogue)]
    return [
        talk.model_copy(
            update={
                "id": f"other-{talk.id}",
                "user": f"other-{talk.user}",
                "utterances": (*talk.utterances, Utterance(speaker="user", text="bye")),
            }
        )
        for talk in talks
    ]


def test_an_experiment_takes_them_as_far_as_its_report(tmp_path: Path) -> None:
    _, talks, ratings = apart(tmp_path)
    given = {"out": str(tmp_path / "out"), "dialogues": [str(talks)], "human": [str(ratings)], "metrics": ["length"]}
    run_experiment(experiment_of({**given, "resamples": FAST}))
    found = read_findings(tmp_path / "out")
    (league,) = [league for league in found.leagues if league.measure.name == "human:satisfaction"]
    assert [standing.system for standing in league.standings] == ["good", "bad"]


def test_people_whom_a_protocol_excludes_are_left_out_of_files_of_answers_too(tmp_path: Path) -> None:
    _, talks, ratings = apart(tmp_path)
    decide = {"measure": "human:satisfaction", "exclude": [{"participants": ["person0", "person1"]}]}
    given = {"dialogues": [str(talks)], "human": [str(ratings)], "metrics": ["length"], "decide": decide}
    run_experiment(experiment_of({"out": str(tmp_path / "out"), "resamples": FAST, **given}))
    (folder,) = (tmp_path / "out").glob("stages/measure-people-*")
    raters = {line for line in (folder / "scores.jsonl").read_text("utf-8").splitlines() if '"rater":"person0"' in line}
    assert not raters


def test_what_is_said_of_nothing_that_was_given_is_counted_in_the_report(tmp_path: Path) -> None:
    _, talks, ratings = apart(tmp_path)
    stray = Score(measure="human:satisfaction", level="dialogue", value=1, system="good", dialogue_id="x", rater="p")
    write_records(tmp_path / "stray.jsonl", [stray])
    found = evaluate(talks, ratings, tmp_path / "stray.jsonl", metrics=["length"], resamples=FAST).findings
    assert "1 of 41 ratings belong to no dialogue or reply in the input, and are left out." in found.warnings


def test_alignment_keeps_ratings_of_replies_beside_it(tmp_path: Path) -> None:
    user = Utterance(speaker="user", text="I like Heat.")
    context = (user, Utterance(speaker="system", text="Great!"), user)
    records: list[Record] = []
    scores: list[Score] = []
    for number in range(12):
        reference = Utterance(speaker="system", text=f"Try Ronin, number {number}.")
        name = f"s{number}"
        records.append(Situation(id=name, dialogue_id=f"d{number}", context=context, reference=reference))
        for system in ("aria", "bolt"):
            said = Utterance(speaker="system", text=f"{system} would say {number}")
            records.append(Response(situation_id=name, system=system, utterance=said))
            scores.append(
                Score(
                    measure="human:relevance@response",
                    level="response",
                    value=float(number % 3 + (system == "aria")),
                    system=system,
                    situation_id=name,
                    rater="P1",
                )
            )
    held = [_with_rating(record, scores) for record in records]
    filed = align(
        [written(tmp_path / "bare.jsonl", records)], [written(tmp_path / "scores.jsonl", list(scores))], resamples=FAST
    )
    together = align([written(tmp_path / "held.jsonl", held)], [], resamples=FAST)
    assert plain(rated_by_people(filed)) == plain(rated_by_people(together))
    assert filed.league("human:relevance@response").standings[0].system == "aria"


def _with_rating(record: Record, scores: list[Score]) -> Record:
    if not isinstance(record, Response):
        return record
    of = next(one for one in scores if (one.system, one.situation_id) == (record.system, record.situation_id))
    assert of.value is not None
    rating = Rating(name="relevance", value=of.value, rater=of.rater)
    return record.model_copy(update={"utterance": record.utterance.model_copy(update={"ratings": (rating,)})})
