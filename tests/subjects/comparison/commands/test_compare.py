"""Comparing two runs, or two files."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import trialogue
from tests.records.runs.made import reseal
from trialogue.errors import DataError, UnknownNameError, UsageError
from trialogue.findings.threats import Severity, ThreatCode
from trialogue.records import (
    Dialogue,
    DistinctCounts,
    MeasuredUnits,
    MeasureSums,
    Response,
    Score,
    Situation,
    StrategyDistribution,
    Utterance,
    read_records,
    write_records,
)
from trialogue.subjects.comparison.commands.compare import compare
from trialogue.subjects.evaluation.commands.evaluate import evaluate

IMPLICIT = "implicit_alignment"
METRICS = ["length@words", "turns@user_utterances", "distinct(n=2)@ratio"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run over the bundled conversations of three systems."""
    folder = tmp_path_factory.mktemp("run")
    evaluate("demo", metrics=METRICS, resamples=200).write(folder)
    return folder


def talks(path: Path, system: str, *replies: str) -> Path:
    """A file with one dialogue for each reply."""
    write_records(path, [
        Dialogue(id=f"talk {n}", system=system, utterances=(
            Utterance(speaker="user", text="hello"), Utterance(speaker="system", text=reply)))
        for n, reply in enumerate(replies)
    ])  # fmt: skip
    return path


def test_two_systems_of_one_run_are_compared_by_name(folder: Path) -> None:
    compared = compare(folder, folder, systems=["aria", "chip"], resamples=200)
    assert (compared.comparison.before, compared.comparison.after) == ("aria", "chip")
    assert compared.comparison.light == "worse"  # satisfaction .7 against .2 in the bundled conversations
    assert compared.comparison.answer[0] == "chip is significantly worse than aria on Satisfaction (invented people)."


def test_a_run_compared_with_itself_is_refused_at_once(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"bolt is compared with itself.*second --system \(aria, chip\)"):
        compare(folder, folder, systems=["bolt"], resamples=200)
    with pytest.raises(UsageError, match="bolt is compared with itself"):
        compare(folder / ".." / folder.name, f"new={folder}", systems=["bolt"], resamples=200)


def test_the_same_conversations_given_twice_are_evaluated_once_and_refused(tmp_path: Path) -> None:
    path, lines = talks(tmp_path / "talks.jsonl", "crs", *["try this film"] * 12), list[str]()
    with pytest.raises(UsageError, match="crs is compared with itself: the same run is given twice"):
        compare(path, path, resamples=100, progress=lines.append)
    assert sum(line.startswith("reading") for line in lines) == 1


def test_distinct_words_of_files_of_different_size_are_compared_by_rarefaction(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    words = [f"w{n}" for n in range(60)]
    said = {n: [" ".join(rng.choice(words, size=8)) for _ in range(n)] for n in (20, 80)}
    old, new = (talks(tmp_path / f"{n}.jsonl", "crs", *replies) for n, replies in said.items())
    found = compare(old, new, on=["distinct(n=2)@ratio"], resamples=100).comparison
    (judged,) = (each for each in found.judgements if each.decides)
    assert judged.difference.interval is not None
    assert judged.difference.interval.facts["rarefied_to"] == 20 * 7  # bigrams of 20 replies of eight words
    assert judged.light == "inconclusive"  # one source of words; the values themselves are .97 and .86
    assert judged.difference.value == pytest.approx(0, abs=0.03)
    for path in (old, new):
        evaluate(path, metrics=["distinct(n=2)@ratio"], resamples=100).write(tmp_path / path.stem)
    on = ["distinct(n=2)@ratio"]
    for one, other in (("20", "80"), ("20.jsonl", "80"), ("20", "80.jsonl")):
        runs = compare(tmp_path / one, tmp_path / other, on=on, resamples=100).comparison
        assert runs.judgements == found.judgements
        assert runs.notes == found.notes
        assert runs.answer == found.answer


def test_a_run_without_counts_says_what_to_do(tmp_path: Path) -> None:
    for size in (20, 80):
        replies = [f"w{n} w{n % 7} w{n % 11}" for n in range(size)]
        run = evaluate(talks(tmp_path / "talks.jsonl", "crs", *replies), metrics=METRICS, resamples=100)
        run.write(tmp_path / str(size))
    (tmp_path / "20" / "counts.jsonl").unlink()
    reseal(tmp_path / "20")
    runs = compare(tmp_path / "20", tmp_path / "80", on=METRICS[2:], resamples=100).comparison
    assert all(each.difference.value is None for each in runs.judgements)
    assert any("evaluate again with this version" in note for note in runs.notes)


def test_counts_of_another_run_are_refused(tmp_path: Path) -> None:
    """They would be taken for this run's, and compared without a word."""
    for size, shift in ((20, 3), (30, 7), (40, 11)):
        replies = [f"w{n} w{n % shift} w{n % 2} w{n % 5}" for n in range(size)]
        run = evaluate(talks(tmp_path / "talks.jsonl", "crs", *replies), metrics=METRICS, resamples=100)
        run.write(tmp_path / str(size))
    (tmp_path / "20" / "counts.jsonl").write_bytes((tmp_path / "40" / "counts.jsonl").read_bytes())
    with pytest.raises(DataError, match=r"20/counts.jsonl: this file of the run was changed"):
        compare(tmp_path / "20", tmp_path / "30", on=METRICS[2:], resamples=100)


def test_counts_of_an_earlier_run_do_not_stay_in_a_folder(tmp_path: Path) -> None:
    path = talks(tmp_path / "talks.jsonl", "crs", *["try this film", "and that one"] * 6)
    for metrics in (METRICS, METRICS[:1]):
        evaluate(path, metrics=metrics, resamples=100).write(tmp_path / "run")
        kept = list(read_records(tmp_path / "run" / "counts.jsonl", DistinctCounts, MeasuredUnits, MeasureSums))
        assert any(isinstance(each, DistinctCounts) for each in kept) == (len(metrics) > 1)


def test_two_files_of_conversations_are_evaluated_first(tmp_path: Path) -> None:
    short = talks(tmp_path / "old.jsonl", "crs", *["try this film"] * 12)
    long = talks(tmp_path / "new.jsonl", "crs", *[f"try this film {'please ' * n}".strip() for n in range(1, 13)])
    compared = compare(short, long, resamples=200)
    assert (compared.comparison.before, compared.comparison.after) == ("old", "new")
    found = {each.measure.partition("|")[0]: each for each in compared.comparison.judgements}
    length = found["length@words"]
    assert length.difference.value == pytest.approx(6.5)  # (1 + ... + 12) / 12 words more
    assert (length.decides, length.light) == (False, "changed")


def test_what_is_written_is_the_same_for_the_same_runs(folder: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        compare(folder, folder, systems=["aria", "bolt"], resamples=200).write(tmp_path / name)
    for file in ("comparison.json", "moved.csv", "report.html"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    assert (tmp_path / "one" / "moved.csv").read_text().startswith("measure,unit,before,after\n")


def test_a_run_of_several_systems_needs_a_name(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"has 3 systems .*--system"):
        compare(folder, folder)


def test_unknown_systems_and_measures_are_named_with_the_nearest(folder: Path) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'chip'"):
        compare(folder, folder, systems=["chipp"])
    with pytest.raises(
        UnknownNameError, match=r"There is no measure 'lenth' that both runs hold\. .*Known: .*length@words"
    ):
        compare(folder, folder, systems=["chip", "aria"], on=["lenth"])


def test_of_a_measure_that_was_not_taken_the_command_is_reported_that_takes_it(folder: Path) -> None:
    with pytest.raises(
        UnknownNameError, match=r"measured by trialogue align, or trialogue evaluate --metric 'behavior_al"
    ):
        compare(folder, folder, systems=["chip", "aria"], on=["behavior_alignment"])


def test_of_a_measure_that_one_run_holds_it_is_reported_which(tmp_path: Path) -> None:
    file = talks(tmp_path / "a.jsonl", "crs", "one", "two")
    for name, metrics in (("one", ["length"]), ("two", ["length", "distinct(n=2)"])):
        evaluate(str(file), metrics=metrics, resamples=100).write(tmp_path / name)
    with pytest.raises(
        UnknownNameError, match=r"Only two holds it\. It is measured by trialogue evaluate --metric 'dist"
    ):
        compare(tmp_path / "one", tmp_path / "two", on=["distinct"], resamples=100)


def test_a_measure_without_direction_cannot_be_asked_to_decide(folder: Path) -> None:
    with pytest.raises(
        UsageError, match=r"length@words\|v1 has no direction .* cannot decide\. Those with one: human:satisfaction"
    ):
        compare(folder, folder, systems=["aria", "chip"], on=["length"], resamples=100)


def test_what_could_not_be_tested_decides_nothing_and_the_methods_name_the_correction(tmp_path: Path) -> None:
    old = talks(tmp_path / "old.jsonl", "crs", *["try this film"] * 12)
    new = talks(tmp_path / "new.jsonl", "crs", *["or that one"] * 6)
    runs = [evaluate(path, metrics=["distinct(n=2)@ratio"], resamples=100, title=path.stem) for path in (old, new)]
    without = [
        replace(run, counts=()) for run in runs
    ]  # as an earlier version left them: not to be brought to one size
    compared = compare(*without, on=["distinct(n=2)@ratio"], resamples=100)
    (messages,) = compared.comparison.answer
    assert messages.startswith("On Distinct-n, new and old cannot be compared: one of the runs does not store what")
    assert compared.comparison.light == "no verdict"
    page = compared.write(tmp_path / "out").read_text()
    assert "across the deciding measures together" in page
    assert "There is no correction" not in page


def test_a_margin_needs_a_measure_that_decides(tmp_path: Path) -> None:
    files = [talks(tmp_path / f"{name}.jsonl", "crs", "try this film", "or that one") for name in ("old", "new")]
    with pytest.raises(UsageError, match="name the measure with on"):
        compare(*files, margin=0.1, resamples=100)


def test_the_measure_that_people_answered_has_the_margin_without_being_named(folder: Path) -> None:
    found = compare(folder, folder, systems=["aria", "bolt"], margin=0.9, resamples=200).comparison
    assert found.light == "equivalent"  # .7 and .55 of 20 each: no interval of shares reaches .9


@pytest.mark.parametrize("margin", [float("nan"), float("inf"), -1.0])
def test_a_margin_is_a_number(folder: Path, margin: float) -> None:
    with pytest.raises(UsageError, match="at least 0"):
        trialogue.compare(folder, folder, systems=["aria", "bolt"], on=["human:satisfaction"], margin=margin)


def test_versions_with_points_in_their_names_keep_them(tmp_path: Path) -> None:
    for version in ("v1.0", "v1.1"):
        run = evaluate(
            talks(tmp_path / f"{version}.jsonl", "crs", *["try this"] * 3), metrics=["length"], resamples=100
        )
        run.write(tmp_path / version)
    for ending in ("", ".jsonl"):
        given = [tmp_path / f"v1.0{ending}", tmp_path / f"v1.1{ending}"]
        found = compare(*given, resamples=100).comparison
        assert (found.before, found.after) == ("v1.0", "v1.1")


def test_a_text_too_long_for_a_path_names_nothing(folder: Path) -> None:
    with pytest.raises(UnknownNameError, match="no file or corpus"):
        compare("x" * 5_000, folder)


def test_a_run_whose_scores_are_empty_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "findings.json").write_bytes((folder / "findings.json").read_bytes())
    (tmp_path / "scores.jsonl").touch()
    reseal(tmp_path)
    with pytest.raises(DataError, match="contains no scores"):
        compare(tmp_path, folder)


def test_a_run_without_its_scores_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "findings.json").write_bytes((folder / "findings.json").read_bytes())
    reseal(tmp_path)
    with pytest.raises(DataError, match=r"the run has no scores"):
        compare(tmp_path, folder, systems=["chip"])


def test_runs_without_a_measure_in_common_are_refused(folder: Path, tmp_path: Path) -> None:
    file = talks(tmp_path / "a.jsonl", "crs", "one", "two")
    for name, metric in (("one", "length@words"), ("two", "length@characters")):
        evaluate(str(file), metrics=[metric], resamples=200).write(tmp_path / name)
    with pytest.raises(DataError, match="no measure in common"):
        compare(tmp_path / "one", tmp_path / "two")


def believed(folder: Path, *, shares: dict[str, float], origin: str = "m|1") -> Path:
    """A run of systems whose replies match the human's strategy in a share of 60 situations, says a model."""
    asked = Utterance(speaker="user", text="What shall I watch?")
    records: list[Situation | Response] = []
    for number in range(60):
        at = f"d{number // 3}#{number}"
        said = Utterance(speaker="system", text="Try Heat.", strategy_distribution=_belief(0.99, origin))
        records.append(Situation(id=at, dialogue_id=f"d{number // 3}", turn=2, context=(asked,), reference=said))
        for system, share in shares.items():
            chance = 0.9 if number % 10 < 10 * share else 0.15
            reply = Utterance(speaker="system", text="Or Alien.", strategy_distribution=_belief(chance, origin))
            records.append(Response(situation_id=at, system=system, utterance=reply))
    write_records(folder.with_suffix(".jsonl"), records)
    run = evaluate(folder.with_suffix(".jsonl"), metrics=["implicit_alignment"], resamples=200)
    run.write(folder)
    return folder


def _belief(credibility: float, origin: str) -> StrategyDistribution:
    shares = {"credibility": credibility, "similarity": 1 - credibility}
    return StrategyDistribution(
        origin=origin, probabilities=shares, matching=(1.0, 0.0), matching_error=(0.05, -0.02, 0.04)
    )


def test_a_calibration_that_two_runs_share_cancels_as_in_one_run(tmp_path: Path) -> None:
    before = believed(tmp_path / "v1", shares={"crs": 0.2})
    after = believed(tmp_path / "v2", shares={"crs": 0.6})
    found = compare(before, after, on=[IMPLICIT], resamples=200).comparison
    assert ThreatCode.LABELLER_CHANGED not in {threat.code for threat in found.threats}
    path = believed(tmp_path / "both", shares={"v1": 0.2, "v2": 0.6}).with_suffix(".jsonl")
    together = evaluate(path, metrics=["implicit_alignment"], resamples=200)
    exact = next(score for score in together.scores if (score.system, score.versus) == ("v1", "v2"))
    separate = found.judgements[0].difference.negate()
    assert (separate.value, separate.p, separate.clusters) == (exact.value, exact.p, exact.clusters)
    assert separate.interval is not None
    assert exact.interval is not None
    ends = (exact.interval.low, exact.interval.high)
    assert (separate.interval.low, separate.interval.high) == pytest.approx(ends)
    assert separate.interval.method == exact.interval.method


def test_runs_that_were_judged_by_different_models_are_distinguished(tmp_path: Path) -> None:
    before = believed(tmp_path / "v1", shares={"crs": 0.2})
    after = believed(tmp_path / "v2", shares={"crs": 0.2}, origin="n|1")
    found = compare(before, after, on=[IMPLICIT], resamples=200).comparison
    (threat,) = (threat for threat in found.threats if threat.code is ThreatCode.LABELLER_CHANGED)
    assert threat.facts == {"before": "m|1", "after": "n|1"}
    assert threat.severity is Severity.DEMOTES


def test_of_two_systems_of_one_run_its_own_difference_counts(tmp_path: Path) -> None:
    run = believed(tmp_path / "run", shares={"a": 0.6, "b": 0.2})
    for systems, sign in ((["a", "b"], -1), (["b", "a"], 1)):
        found = compare(run, run, systems=systems, on=[IMPLICIT], resamples=200).comparison
        (judged,) = found.judgements
        (own,) = (one for one in read_records(run / "scores.jsonl", Score) if {one.system, one.versus} == {"a", "b"})
        assert own.value is not None
        assert judged.difference.value == pytest.approx(sign * abs(own.value))
        assert judged.difference.interval is not None
        assert judged.light == ("worse" if sign < 0 else "better")


def test_a_plan_needs_a_difference_and_one_measure(folder: Path) -> None:
    from trialogue.subjects.planning.commands.compare_plan import plan as plan_compare
    from trialogue.subjects.planning.commands.compare_plan import plan_lines

    plan = plan_compare(folder, difference=0.3, systems=["chip"], users=[30], simulations=10)
    assert plan.measure.startswith("human:satisfaction")
    assert "30 users, 30 dialogues per version" in plan_lines(plan)[1]
    with pytest.raises(UsageError, match="is not a mean over"):
        plan_compare(folder, difference=0.1, systems=["chip"], on="distinct(n=2)@ratio", users=[30])
