"""The main job: conversations in; who is better, by how much and how sure, out."""

import json
from pathlib import Path

import pytest

import trialogue
from tests.workflows.made import dialogue, good_and_bad, offline, written
from trialogue.errors import DataError, UsageError
from trialogue.findings import StatementKind
from trialogue.findings.threats import ThreatCode
from trialogue.records import Dialogue, Record, Score, Utterance, read_records
from trialogue.subjects.evaluation.commands.evaluate import evaluate


@pytest.fixture
def both(tmp_path: Path) -> Path:
    return written(tmp_path / "both.jsonl", good_and_bad())


def test_people_decide_who_is_better(both: Path) -> None:
    run = evaluate(both, resamples=500)
    assert run.findings.primary == "human:satisfaction"
    assert run.answer.startswith("On Satisfaction, good is better than bad by 80 points")
    best, worst = run.league("human:satisfaction").standings
    assert (best.system, best.estimate.value) == ("good", 0.9)  # 18 of 20
    assert (worst.system, worst.estimate.value) == ("bad", 0.1)  # 2 of 20
    assert run.league("human:satisfaction").contrasts[0].verdict == "b"  # bad - good


def test_votes_are_counted_beside(both: Path) -> None:
    votes = evaluate(both, resamples=500).findings.votes
    assert votes is not None
    assert (votes.votes, votes.ties) == (20, 3)  # 1, 8, 15 leave remainder 1 by 7
    assert votes.strengths[0].system == "good"


def test_every_number_carries_its_signature(both: Path) -> None:
    run = evaluate(both, metrics=["length"], resamples=500, seed=3)
    for score in run.scores:
        if score.level in ("system", "difference"):
            assert score.signature is not None
            assert "|seed:3|" in score.signature
            assert f"|data:{run.findings.manifest.data_hash}|" in score.signature


def test_the_same_inputs_and_seed_give_the_same_bytes(both: Path, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        evaluate(both, resamples=300).write(tmp_path / folder)
    one, two = tmp_path / "one", tmp_path / "two"
    names = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
    assert {"scores.jsonl", "report.html", "manifest.json", "findings.json"} <= {str(name) for name in names}
    assert [name for name in names if (one / name).read_bytes() != (two / name).read_bytes()] == []


def test_the_order_of_the_dialogues_changes_no_estimate(tmp_path: Path) -> None:
    records = good_and_bad()
    one = evaluate(written(tmp_path / "a.jsonl", records), resamples=300).findings
    other = evaluate(written(tmp_path / "b.jsonl", records[::-1]), resamples=300).findings
    assert [league.standings for league in one.leagues] == [league.standings for league in other.leagues]
    assert [league.contrasts for league in one.leagues] == [league.contrasts for league in other.leagues]


def test_offline_metrics_take_responses_and_the_others_dialogues(tmp_path: Path) -> None:
    dialogues: list[Record] = [dialogue(i, "echo", satisfied=True, words=5) for i in range(12)]
    path = written(tmp_path / "x.jsonl", [*dialogues, *offline()])
    run = evaluate(path, metrics=["length", "bleu@sacrebleu"], resamples=200)
    lengths = {each.system: (each.estimate.value, each.estimate.n) for each in run.league("length").standings}
    assert lengths == {"echo": (5.0, 12), "mute": (2.0, 12)}  # echo had dialogues, mute only replied to situations
    assert [standing.system for standing in run.league("bleu(k=4)@sacrebleu|v1").standings] == ["echo", "mute"]


def test_an_echo_of_the_reference_is_perfect(tmp_path: Path) -> None:
    run = evaluate(written(tmp_path / "x.jsonl", offline()), resamples=200)
    echo = run.league("bleu(k=4)@sacrebleu|v1").standings[0]
    assert echo.system == "echo"
    assert echo.estimate.value == pytest.approx(1.0)
    assert run.answer.startswith("Conditional: On BLEU-k, echo is better")
    assert run.findings.answer[-1].kind_of is StatementKind.SCOPE


def test_variants_are_shown_side_by_side_and_never_in_one_column(both: Path) -> None:
    run = evaluate(both, metrics=["length"], all_variants=["distinct(n=2)"], resamples=200)
    assert [league.measure.name for league in run.findings.leagues if league.measure.by == "metric"] == [
        "length@words|v1"
    ]
    (table,) = run.findings.sensitivity
    names = [league.measure.name for league in table.leagues]
    assert len(names) == len(set(names)) > 3


def test_an_unknown_metric_is_answered_before_anything_is_measured(both: Path) -> None:
    with pytest.raises(UsageError, match="Did you mean 'distinct'"):
        evaluate(both, metrics=["distnct"])


def test_all_unknown_metrics_are_answered_at_once(both: Path) -> None:
    with pytest.raises(UsageError) as caught:
        evaluate(both, metrics=["distnct", "bluu", "length@wrds", "distinct(m=2)"])
    assert str(caught.value).count("There is no") == 4


def test_one_system_is_described_and_not_compared(tmp_path: Path) -> None:
    run = evaluate(written(tmp_path / "x.jsonl", [dialogue(i, "a", satisfied=i < 5) for i in range(9)]), resamples=200)
    assert "no second system to compare" in run.answer
    assert run.findings.leagues[0].contrasts == ()


def test_a_system_with_one_dialogue_has_values_without_intervals_and_a_warning(tmp_path: Path) -> None:
    records: list[Record] = [dialogue(i, "many", satisfied=i < 5) for i in range(12)]
    records.append(dialogue(99, "single", satisfied=True))
    run = evaluate(written(tmp_path / "x.jsonl", records), resamples=200)
    single = next(s for s in run.league("length").standings if s.system == "single")
    assert single.estimate.value == 4
    assert single.estimate.interval is None
    few = [threat for threat in run.findings.threats if threat.code is ThreatCode.FEW_CLUSTERS]
    assert {(threat.systems, threat.facts["clusters"]) for threat in few} == {(("single",), 1)}


def test_a_metric_whose_needs_are_not_met_is_left_out_with_a_warning(both: Path) -> None:
    run = evaluate(both, metrics=["bleu", "length"], resamples=200)
    assert run.findings.warnings[0].startswith("bleu(k=4)@sacrebleu|v1 is left out: it needs reference")


def test_where_no_metric_can_be_had_and_nobody_was_asked_that_is_an_error(tmp_path: Path) -> None:
    mute = [dialogue(i, "a", satisfied=True).model_copy(update={"ratings": ()}) for i in range(3)]
    with pytest.raises(DataError, match=r"nothing to measure here: bleu.* needs reference"):
        evaluate(written(tmp_path / "x.jsonl", list(mute)), metrics=["bleu"], resamples=200)


def test_dialogues_without_a_system_reply_do_not_break_anything(tmp_path: Path) -> None:
    silent = Dialogue(id="1", system="a", utterances=(Utterance(speaker="user", text="hello?"),))
    run = evaluate(written(tmp_path / "x.jsonl", [silent, Dialogue(id="2", system="a", utterances=())]), resamples=200)
    assert all(s.estimate.value is None or s.estimate.n for league in run.findings.leagues for s in league.standings)


def test_names_in_any_script_and_hostile_texts_survive(tmp_path: Path) -> None:
    records: list[Record] = [dialogue(i, "系统 <b>", satisfied=True) for i in range(3)]
    records += [dialogue(i, "שלום & $x$ %s {}", satisfied=False) for i in range(3)]
    page = evaluate(written(tmp_path / "x.jsonl", records), resamples=200).write(tmp_path / "out")
    text = page.read_text(encoding="utf-8")
    assert "系统 <b>" not in text
    assert "系统 &lt;b&gt;" in text


def test_scores_of_people_are_written_one_a_line_and_those_of_units_as_columns(both: Path, tmp_path: Path) -> None:
    run = evaluate(both, metrics=["length"], resamples=200)
    run.write(tmp_path / "out")
    rows = [json.loads(line) for line in (tmp_path / "out" / "scores.jsonl").read_text().splitlines()]
    single = [row for row in rows if row["kind"] == "score"]
    people = [row for row in single if row["measure"] == "human:satisfaction" and row["level"] == "dialogue"]
    assert len(people) == 40
    assert people[0]["rater"] == "person0"
    blocks = [row for row in rows if row["kind"] == "scores"]
    assert sum(len(block["dialogues"]) for block in blocks) == 40
    read = list(read_records(tmp_path / "out" / "scores.jsonl", Score))
    assert read == list(run.scores)
    assert len(read) == len(run.scores) > 120


@pytest.mark.mirror
def test_nine_real_recommenders(mirror: Path) -> None:
    """The satisfaction column of the nine systems: spec of CRSArena-Dial, satisfied 87 of 474."""
    run = evaluate("crsarena-dial", metrics=["length", "distinct(n=2)@per_response"], resamples=2000)
    satisfied = {s.system: round(s.estimate.value or 0, 3) for s in run.league("human:satisfaction").standings}
    assert satisfied == {
        "chatgpt_opendialkg": 0.523,
        "chatgpt_redial": 0.453,
        "barcor_redial": 0.298,
        "barcor_opendialkg": 0.145,
        "unicrs_redial": 0.102,
        "kbrd_redial": 0.081,
        "crbcrs_redial": 0.079,
        "unicrs_opendialkg": 0.048,
        "kbrd_opendialkg": 0.017,
    }
    assert run.findings.votes is not None
    assert (run.findings.votes.votes, run.findings.votes.ties) == (184, 72)  # 185 rows, one of them doubled


def test_systems_that_talked_less_are_compared_on_distinct_things_at_equal_size(tmp_path: Path) -> None:
    """Ten dialogues against forty of the same kind; every bigram of either system is another one, so both have 1."""
    records: list[Record] = [dialogue(i, "much", satisfied=True).model_copy(update={"ratings": ()}) for i in range(40)]
    records += [dialogue(i, "little", satisfied=True).model_copy(update={"ratings": ()}) for i in range(10)]
    run = evaluate(written(tmp_path / "x.jsonl", records), metrics=["distinct(n=2)@ratio"], resamples=200)
    (league,) = run.findings.leagues
    (contrast,) = league.contrasts
    assert (contrast.difference.value, contrast.difference.p, contrast.verdict) == (0.0, 1.0, "inconclusive")


def test_ratings_on_different_scales_are_not_averaged(tmp_path: Path) -> None:
    one = dialogue(1, "a", satisfied=True)
    five = one.model_copy(update={"id": "2", "ratings": (one.ratings[0].model_copy(update={"high": 5.0}),)})
    with pytest.raises(DataError, match="2 different scales: 0 to 1, 0 to 5"):
        evaluate(written(tmp_path / "x.jsonl", [one, five]), resamples=200)


def test_a_system_with_too_few_conversations_is_not_called_a_leader(tmp_path: Path) -> None:
    records: list[Record] = [dialogue(i, "a", satisfied=i > 0) for i in range(20)]
    records += [dialogue(i, "b", satisfied=i == 0) for i in range(20)]
    records.append(dialogue(99, "c", satisfied=False))
    answer = evaluate(written(tmp_path / "x.jsonl", records), metrics=["length"], resamples=500).findings.answer[0].text
    assert answer.startswith("On Satisfaction, a is better than b")
    assert answer.endswith("c could not be compared.")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"metrics": "length"}, "must be a list"),
        ({"alpha": 5}, "alpha must be above"),
        ({"resamples": 100.5}, "resamples must be"),
        ({"seed": "x"}, "seed must be"),
    ],
)
def test_impossible_options_are_refused(both: Path, options: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        trialogue.evaluate(both, **options)  # type: ignore[arg-type]


def test_nothing_to_evaluate_is_refused() -> None:
    with pytest.raises(UsageError, match="nothing to evaluate"):
        evaluate()


def test_situations_that_a_system_did_not_answer_are_reported(tmp_path: Path) -> None:
    records = [record for record in offline() if getattr(record, "situation_id", "") != "s3" or record.system == "echo"]  # type: ignore[attr-defined]
    run = evaluate(written(tmp_path / "x.jsonl", records), resamples=200)
    assert any("mute answered 11 of the 12 situations" in warning for warning in run.findings.warnings)
