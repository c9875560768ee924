"""Tampered samples, through the commands: none of their verdicts is firm; clean ones keep theirs."""

import csv
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from benchmarks.sample_cases import Case, attacks, rated, sample

from trialogue.errors import DataError
from trialogue.findings import Findings
from trialogue.findings.differences.strata import stratum_effects
from trialogue.findings.sample.records import Design, Draw, Factor
from trialogue.findings.threats import Severity, ThreatCode, Validity
from trialogue.records import Dialogue, Ending, Raters, Rating, Response, Role, Situation, Utterance, write_records
from trialogue.stats.arrays import Floats
from trialogue.subjects.board.commands.board import board
from trialogue.subjects.comparison.commands.compare import compare
from trialogue.subjects.evaluation.commands.evaluate import Run, evaluate
from trialogue.subjects.evaluation.pages.reading import DRAWS, reading_lines
from trialogue.subjects.judging.records import PlannedLabel

CASES = {each.name: each for each in attacks()}
FAILING = "'Internal Server Error (5' in 20%, paired"


def run(records: list[Dialogue]) -> Run:
    return evaluate(records, metrics=["turns"], resamples=300)


def verdict(findings: Findings) -> tuple[str, str]:
    (league,) = (each for each in findings.leagues if each.measure.by == "people")
    (pair,) = league.contrasts
    return pair.leader or "-", pair.validity.value


def is_firm(findings: Findings) -> bool:
    leader, validity = verdict(findings)
    return leader != "-" and validity == Validity.FIRM


def demoted_by(findings: Findings) -> set[ThreatCode]:
    return {each.code for each in findings.threats if each.severity is Severity.DEMOTES}


@pytest.mark.parametrize("attack", sorted({each.attack for each in CASES.values()}))
def test_no_verdict_of_a_tampered_sample_is_firm(attack: str) -> None:
    own = [each for each in CASES.values() if each.attack == attack][::5]
    assert [each.name for each in own if is_firm(run(each.make(random.Random(f"test {each.name}"))).findings)] == []


def decided(case: Case) -> tuple[list[Dialogue], Run]:
    """The first sample of a case in which somebody leads."""
    for seed in range(20):
        records = case.make(random.Random(seed))
        found = run(records)
        if verdict(found.findings)[0] != "-":
            return records, found
    raise AssertionError(case.name)


def test_every_command_says_so(tmp_path: Path) -> None:
    records, found = decided(next(each for each in CASES.values() if "12 dialogues 8 times, 5%" in each.name))
    leader, _ = verdict(found.findings)
    sides = [[each for each in records if each.system == system] for system in "AB"]
    light = compare(*(run(each) for each in sides), on=["human:satisfaction"], resamples=300)
    assert demoted_by(light.findings) >= {ThreatCode.COPIED_UNITS}
    (judged,) = (each for each in light.comparison.judgements if each.decides)
    assert (judged.light, judged.validity) == ("better" if leader == "B" else "worse", Validity.CONDITIONAL)
    folders = [
        run(each).write(tmp_path / system, explorer=False).parent for system, each in zip("AB", sides, strict=True)
    ]
    shown = board(*folders, on=["human:satisfaction"], resamples=300).findings
    (league,) = shown.columns[0].leagues
    assert league.contrasts[0].validity is Validity.CONDITIONAL
    assert ThreatCode.COPIED_UNITS in {each.code for each in shown.threats if each.severity is Severity.DEMOTES}


def test_failures_count_as_the_worst_value_rated_or_not() -> None:
    rng = random.Random(11)
    records = sample(rng, means=(3.0, 4.4), sizes=(30, 30))
    for place in range(30, 36):
        said = (records[place].utterances[0], records[place].utterances[1].model_copy(update={"text": "Error 500"}))
        ratings = records[place].ratings if place % 2 else ()
        records[place] = records[place].model_copy(update={"utterances": said, "ratings": ratings})
    findings = run(records).findings
    (again,) = findings.re_estimates
    of_a = [each.ratings[0].value for each in records[:30]]
    kept = [each.ratings[0].value for each in records[36:]]
    # 24 ratings of B remain, and six failures count as 1
    expected = sum(of_a) / 30 - (sum(kept) + 6 * 1) / 30
    assert again.difference.value == pytest.approx(expected)
    assert again.units == {"B": 6}


def test_copies_count_once_with_their_mean() -> None:
    rng = random.Random(2)
    records = sample(rng, means=(2.0, 4.5), sizes=(20, 20))
    copies = [records[0].model_copy(update={"id": f"again{n}", "ratings": rated(float(1 + n))}) for n in range(4)]
    (again,) = run([*records, *copies]).findings.re_estimates
    first = (records[0].ratings[0].value + 1 + 2 + 3 + 4) / 5
    a = (first + sum(each.ratings[0].value for each in records[1:20])) / 20
    b = sum(each.ratings[0].value for each in records[20:]) / 20
    assert again.units == {"A": 4}
    assert again.difference.value == pytest.approx(a - b)


@pytest.mark.parametrize("paired", [False, True])
def test_the_tipping_point_is_that_of_a_hand_calculation(paired: bool) -> None:
    rng = random.Random(5)
    records = sample(rng, means=(2.6, 4.2), sizes=(40, 40), paired=paired)
    if paired:
        records = [*records[:40], *records[50:]]  # ten people never met B
    else:
        records = [*records[:40], *(each.model_copy(update={"ratings": ()}) for each in records[40:50]), *records[50:]]
    findings = run(records).findings
    (missing,) = findings.missing
    (league,) = (each for each in findings.leagues if each.measure.by == "people")
    interval = league.contrasts[0].difference.interval
    assert interval is not None
    assert missing.missing == {"A": 0, "B": 10}
    assert missing.share == 0.25  # 10 of 40, and none of A
    assert missing.tipping == pytest.approx(min(abs(interval.low), abs(interval.high)) / 0.25)
    mean = sum(each.ratings[0].value for each in records if each.system == "B" and each.ratings) / 30
    assert missing.reach == pytest.approx(mean - 1)  # of the leader, down to the end of the scale


def test_equal_shares_of_missing_ratings_are_nothing_to_weigh() -> None:
    records = sample(random.Random(6), means=(2.6, 4.2), sizes=(40, 40))
    gone = [each.model_copy(update={"ratings": ()}) if place % 4 == 0 else each for place, each in enumerate(records)]
    assert run(gone).findings.missing == ()


def test_the_estimate_within_sources_is_that_of_least_squares() -> None:
    import numpy as np

    rng = np.random.default_rng(0)
    strata = [rng.integers(0, 3, 50), rng.integers(0, 3, 70)]
    values: list[Floats] = [rng.normal(each, 1.0) for each in strata]
    effects = stratum_effects(values, strata)
    means = [float((own - effects[each]).mean()) for own, each in zip(values, strata, strict=True)]
    codes, first = np.concatenate(strata), np.concatenate([np.ones(50), np.zeros(70)])
    design = np.column_stack([first, *(codes == each for each in range(3))])
    slope = np.linalg.lstsq(design, np.concatenate(values), rcond=None)[0][0]
    assert means[0] - means[1] == pytest.approx(slope)


def test_clean_samples_keep_their_verdicts() -> None:
    firm = []
    for seed in range(12):
        records = sample(random.Random(seed), means=(2.6, 4.0), paired=seed % 2 == 0)
        if seed % 3 == 0:  # a tenth of the ratings is missing, whatever they are
            rng = random.Random(seed)
            records = [each.model_copy(update={"ratings": ()}) if rng.random() < 0.1 else each for each in records]
        firm.append(is_firm(run(records).findings))
    assert all(firm)


def test_templated_openings_are_no_copies_and_templated_answers_no_failures() -> None:
    rng = random.Random(8)
    records = sample(rng, means=(2.5, 4.2), sizes=(40, 40))
    opening = "Hello and welcome! I am your film assistant, here to find something that you will enjoy tonight. "
    greeted = []
    for each in records:
        said = [
            one.model_copy(update={"text": opening + one.text}) if one.speaker == "system" else one
            for one in each.utterances
        ]
        greeted.append(each.model_copy(update={"utterances": tuple(said)}))
    findings = run(greeted).findings
    assert not any(each.suspects or each.near_copies for each in findings.sample.units)
    assert is_firm(findings)


def test_a_competitor_that_its_file_calls_a_baseline_is_evaluated() -> None:
    records = sample(random.Random(9), means=(2.6, 4.0), sizes=(40, 40))
    records = [each.model_copy(update={"role": Role.BASELINE}) if each.system == "B" else each for each in records]
    found = run(records)
    assert verdict(found.findings) == ("B", Validity.FIRM)
    assert any("40 dialogues of B are marked as a baseline's" in line for line in found.findings.warnings)


def test_the_design_and_its_test_stand_above_the_league() -> None:
    paired = run(sample(random.Random(3), means=(2.6, 4.0), paired=True))
    assert "Compared: 60 users met both systems." in reading_lines(paired.findings)
    assert [each.design for each in paired.sample.crossings] == [Design.CROSSED]
    lines = reading_lines(run(sample(random.Random(3), means=(2.6, 4.0))).findings)
    (test,) = (line for line in lines if line.startswith("Test on Satisfaction: "))
    assert "permutation" in test
    assert test.endswith("because dialogues are independent as far as the data say.")


def test_the_sample_holds_who_met_what_and_who_rated() -> None:
    records = sample(random.Random(4), sizes=(30, 20), paired=True)
    found = run([*records, records[0].model_copy(update={"id": "again"})]).sample
    assert [(each.system, each.units, each.clusters, each.copies) for each in found.units] == [
        ("A", 31, 30, 1),
        ("B", 20, 20, 0),
    ]
    assert found.units[0].effective == pytest.approx(31**2 / (29 + 4))  # 29 people once, one twice
    (people,) = found.crossings
    assert (people.factor, people.levels, people.several, people.design) == (Factor.PEOPLE, 30, 20, Design.PARTLY)
    (column,) = found.columns
    assert (column.ratings, column.rated) == (51, {"A": 31, "B": 20})


def test_every_two_factors_that_occur_together_are_crossed_nested_or_partly_so(tmp_path: Path) -> None:
    """4 raters rate 12 dialogues of A and 12 of B, from 2 sources: raters 0 and 1 the web's, 2 and 3 the lab's."""
    found = []
    for place, each in enumerate(sample(random.Random(5), sizes=(12, 12))):
        is_web = place % 2
        given = rated(3.0 + place % 2, rater=f"rater {place // 2 % 2 + 2 * is_web}")
        source = "web" if is_web else "lab"
        found.append(each.model_copy(update={"source": source, "ratings": given, "meta": {"started_at": float(place)}}))
    result = run(found)
    held = {(each.factor, each.beside): each for each in result.sample.crossings}
    raters = held[Factor.RATERS, Factor.SYSTEMS]
    assert (raters.design, raters.levels, raters.others, raters.cells) == (Design.CROSSED, 4, 2, 8)
    by_source = held[Factor.RATERS, Factor.SOURCES]
    assert (by_source.design, by_source.cells, by_source.several) == (Design.NESTED, 4, 0)
    dialogues = held[Factor.RATERS, Factor.DIALOGUES]
    assert (dialogues.design, dialogues.others, dialogues.cells) == (Design.PARTLY, 24, 24)
    # the first 12 are of A, the last 12 of B: no quarter of the dialogues has both
    assert held[Factor.PERIODS, Factor.SYSTEMS].design is Design.NESTED
    (column,) = result.sample.columns
    assert (column.rated, column.units) == ({"A": 12, "B": 12}, {"A": 12, "B": 12})
    result.write(tmp_path, explorer=False)
    with (tmp_path / "sample.csv").open(encoding="utf-8") as file:
        rows = {(row["of"], row["beside"], row["quantity"]): row["value"] for row in csv.DictReader(file)}
    assert rows["raters", "sources", "design"] == "nested"
    assert rows["human:satisfaction", "A", "rated"] == "12"


@pytest.mark.parametrize("replies", [1, 4, 17])
def test_a_system_of_few_words_is_not_suspected_of_failing(replies: int) -> None:
    talks = [
        {
            "system": f"v{1 + number % 2}",
            "messages": [
                {"role": "user", "content": f"A film for tonight, number {number}?"},
                {"role": "assistant", "content": f"Try film {number % replies}."},
            ],
            "feedback": "up" if (number * 37) % 100 < (45 if number % 2 else 85) else "down",
        }
        for number in range(120)
    ]
    found = evaluate(talks, resamples=200).findings
    assert ThreatCode.SUSPECTED_FAILURES not in {threat.code for threat in found.threats}


def test_the_same_dialogues_rated_higher_under_one_name_say_what_the_name_is_worth() -> None:
    rng = random.Random(3)
    records = sample(rng, means=(2.5, 4.0), sizes=(40, 40), paired=True)
    for place in range(20):
        records[40 + place] = records[40 + place].model_copy(update={"utterances": records[place].utterances})
    found = run(records).findings
    assert ThreatCode.SHARED_DIALOGUES in demoted_by(found)
    (again,) = (each for each in found.re_estimates if each.code is ThreatCode.SHARED_DIALOGUES)
    # B minus A of the 20 equal ones is what the name is worth
    values = [each.ratings[0].value for each in records]
    worth = sum(values[40:60]) / 20 - sum(values[:20]) / 20
    assert again.difference.value == pytest.approx(sum(values[:40]) / 40 - sum(values[40:]) / 40 + worth)


def test_one_dialogue_logged_after_every_turn_is_one() -> None:
    records = [
        each.model_copy(update={"id": f"{each.id} {turns}", "utterances": each.utterances[: 2 * turns]})
        for each in sample(random.Random(3), means=(3.0, 3.4), sizes=(30, 30), turns=4)
        for turns in (2, 3, 4)
    ]
    found = run(records).findings
    assert verdict(found) == ("B", Validity.CONDITIONAL)
    (again,) = (each for each in found.re_estimates if each.code is ThreatCode.COPIED_UNITS)
    assert again.units == {"A": 60, "B": 60}
    whole = run(sample(random.Random(3), means=(3.0, 3.4), sizes=(30, 30), turns=4)).findings
    (pair,) = next(each.contrasts for each in whole.leagues if each.measure.by == "people")
    assert again.difference.value == pytest.approx(pair.difference.value)
    assert again.difference.clusters == 60


@pytest.mark.parametrize("attack", ["twins", "openings", "questions"])
def test_two_runs_are_looked_at_together(tmp_path: Path, attack: str) -> None:
    """Neither run has anything suspicious of its own: only beside the other."""
    records = sample(random.Random(4), means=(3.0, 4.2), sizes=(40, 40))
    sides = {system: [each for each in records if each.system == system] for system in "AB"}
    said = records[0].utterances[0].model_copy(update={"text": "hello there, any good film for me :-)"})
    for place in range(30):
        a, b = sides["A"][place], sides["B"][place]
        asked = Utterance(speaker="user", text="And the price?")
        words = {"twins": a.utterances, "openings": (said, *b.utterances[1:]), "questions": (*b.utterances, asked)}[
            attack
        ]
        sides["B"][place] = b.model_copy(update={"utterances": words, "user": f"v{place}"})
    runs = [run(each) for each in sides.values()]
    assert not any(
        each.near_copies or each.twins or each.suspects for one in runs for each in one.findings.sample.units
    )
    code = {
        "twins": ThreatCode.SHARED_DIALOGUES,
        "openings": ThreatCode.COPIED_UNITS,
        "questions": ThreatCode.SUSPECTED_FAILURES,
    }[attack]
    together = run([*sides["A"], *sides["B"]])
    assert code in {each.code for each in together.findings.re_estimates}
    found = compare(*runs, on=["human:satisfaction"], resamples=300)
    assert code in {each.code for each in found.findings.re_estimates}
    folders = [one.write(tmp_path / system, explorer=False).parent for one, system in zip(runs, "AB", strict=True)]
    shown = board(*folders, on=["human:satisfaction"], resamples=300).findings
    mine = {each.code for each in shown.threats if each.severity is Severity.DEMOTES}
    assert (code in mine) == (code in demoted_by(together.findings))


def test_dialogues_of_two_systems_that_differ_in_their_names_and_signs_are_the_same() -> None:
    """Each system greets with its own name, and one file has other quotes and spaces; B is rated higher under its name."""
    records = []
    for each in sample(random.Random(4), means=(3.0, 4.2), sizes=(40, 40), paired=True):
        name, space, quote = ("Nova 2", " ", "'") if each.system == "A" else ("Wren", "\u00a0", "\u2019")
        number = each.id.strip("AB-_")
        words = " ".join(f"word{place}of{number}" for place in range(40))
        texts = ("user", f"I{quote}d like {words}"), ("system", f"{name.upper()}{space}here.{space}How about Heat?")
        said = tuple(Utterance(speaker=speaker, text=text) for speaker, text in texts)
        records.append(each.model_copy(update={"system": name, "utterances": said}))
    findings = run(records).findings
    assert [each.twins for each in findings.sample.units] == [40, 40]
    assert ThreatCode.SHARED_DIALOGUES in demoted_by(findings)


@pytest.mark.parametrize(
    ("last", "of", "ended_by", "is_doubted"),
    [
        (["And the price?"], "B", None, True),
        (["And the price?", "ok bye then"], "B", None, True),
        (["价格呢？"], "B", None, True),
        (["Great, thank you!"], "B", None, False),
        (["And the price?"], "AB", None, False),
        (["And the price?"], "B", Ending.TURN_LIMIT, False),
    ],
)
def test_a_question_without_an_answer_is_a_failure_unless_every_system_leaves_some(
    last: list[str], of: str, ended_by: Ending | None, is_doubted: bool
) -> None:
    """Of the dialogues of a system, two in five end with what the user said."""
    said = tuple(Utterance(speaker="user", text=text) for text in last)
    records = [
        each.model_copy(update={"utterances": (*each.utterances, *said), "ended_by": ended_by})
        if str(each.system) in of and place % 5 < 2
        else each
        for place, each in enumerate(sample(random.Random(6), means=(3.0, 4.2), sizes=(60, 60), paired=True))
    ]
    findings = run(records).findings
    assert any(each.suspects for each in findings.sample.units) == is_doubted
    assert (ThreatCode.SUSPECTED_FAILURES in demoted_by(findings)) == is_doubted


def test_what_people_of_many_codes_begin_alike_is_one_person_unless_both_systems_hear_it() -> None:
    rng = random.Random(5)
    records = sample(rng, means=(3.0, 3.0), sizes=(40, 40))
    said = records[0].utterances[0].model_copy(update={"text": "hello there, any good film for me :-)"})
    copied = [
        each.model_copy(update={"utterances": (said, *each.utterances[1:]), "ratings": rated(5.0)})
        if each.system == "B" and place % 2
        else each
        for place, each in enumerate(records)
    ]
    assert ThreatCode.COPIED_UNITS in demoted_by(run(copied).findings)
    studied = [each.model_copy(update={"utterances": (said, *each.utterances[1:])}) for each in records]
    assert not any(each.near_copies for each in run(studied).findings.sample.units)


@pytest.mark.parametrize("own", ["user", "rater {}"])
def test_of_contradictory_ratings_the_one_against_the_winner_counts(own: str) -> None:
    """B has 4 everywhere; half of A's dialogues have 1 and 5 by one rater, the others 3 or 4."""
    records = sample(random.Random(6), means=(3.0, 3.2), sizes=(40, 40))
    found = []
    for place, each in enumerate(records):
        rater = own.format(place % 10)
        given = rated(4.0 if each.system == "B" else 3.0 + place % 4 / 2, rater=rater)
        if each.system == "A" and place % 2:
            given = rated(1.0, rater=rater) + rated(5.0, rater=rater)
        found.append(each.model_copy(update={"ratings": given}))
    findings = run(found).findings
    leader, validity = verdict(findings)
    (again,) = (each for each in findings.re_estimates if each.code is ThreatCode.CONTRADICTORY_RATINGS)
    assert (leader, validity) == ("B", Validity.CONDITIONAL)
    assert (again.units, again.stands) == ({"A": 20}, False)
    # of A, 20 dialogues count as 5, and 10 each as 3 and as 4: (20 * 5 + 10 * 3 + 10 * 4) / 40, less 4
    assert again.difference.value == pytest.approx(4.25 - 4.0)


def test_a_source_or_rater_on_a_reversed_scale_is_turned_round() -> None:
    rng = random.Random(7)
    found = []
    for each in sample(rng, means=(3.0, 3.0), sizes=(80, 80)):
        value = each.ratings[0].value
        source = "web" if rng.random() < (0.8 if each.system == "B" else 0.2) else "lab"
        given = rated(6 - min(5.0, value + 1) if source == "web" else min(5.0, value + 1))
        found.append(each.model_copy(update={"source": source, "ratings": given + rated(value, name="again")}))
    findings = run(found).findings
    again = [each for each in findings.re_estimates if each.code is ThreatCode.MIXED_SCALES]
    assert {each.measure for each in again} >= {"human:satisfaction"}
    assert not any(each.stands for each in again if each.measure == "human:satisfaction")


@pytest.mark.parametrize("declared", [True, False])
def test_ratings_up_to_a_hundred_among_those_up_to_five_are_on_a_scale_of_their_own(declared: bool) -> None:
    rng = random.Random(8)
    found = []
    for each in sample(rng, means=(3.0, 3.0), sizes=(90, 90)):
        value = each.ratings[0].value
        value = round(25 * (value - 1) + rng.uniform(6, 9)) if each.system == "B" and rng.random() < 0.4 else value
        ends = {"low": 0.0, "high": 110.0} if declared else {}
        rating = rated(3.0)[0].model_copy(update={"value": float(value), "low": None, "high": None, **ends})
        found.append(each.model_copy(update={"ratings": (rating,)}))
    assert ThreatCode.MIXED_SCALES in demoted_by(run(found).findings)


def given_by_quality(rng: random.Random, *, chosen: bool) -> list[Dialogue]:
    """Half of the dialogues are rated, of B the better half if ``chosen``; a model has scored all of them."""
    found = []
    for each in sample(rng, means=(3.0, 3.0), sizes=(120, 120)):
        value = each.ratings[0].value if each.system == "B" or chosen else max(1.0, each.ratings[0].value - 1)
        score = Rating(name="judge", value=value + rng.gauss(0, 1), rater="gpt-4o", raters=Raters.MODEL)
        is_rated = rng.random() < (0.5 if each.system == "A" or not chosen else 0.05 + 0.22 * (value - 1))
        found.append(each.model_copy(update={"ratings": (score, *(rated(value) if is_rated else ()))}))
    return found


def test_ratings_that_are_given_by_quality_show_in_a_column_that_covers_all() -> None:
    findings = run(given_by_quality(random.Random(3), chosen=True)).findings
    (missing,) = (each for each in findings.missing if each.measure == "human:satisfaction")
    (league,) = (each for each in findings.leagues if each.measure.name == "human:satisfaction")
    (pair,) = league.contrasts
    assert (pair.leader, pair.validity) == ("B", Validity.CONDITIONAL)
    assert missing.chosen == "Judge (a model)"
    assert missing.share == missing.missing["B"] / 120
    assert missing.is_within_reach


def test_ratings_missing_at_random_keep_their_verdict_beside_a_models_scores() -> None:
    findings = run(given_by_quality(random.Random(2), chosen=False)).findings
    (league,) = (each for each in findings.leagues if each.measure.name == "human:satisfaction")
    (pair,) = league.contrasts
    assert (pair.leader, pair.validity) == ("B", Validity.FIRM)


def test_references_that_only_one_version_lacks_are_counted(tmp_path: Path) -> None:
    """80 situations; B better where both have a reference, and without references in the other half."""
    rng = random.Random(3)
    runs = []
    for system, words in (("A", 6), ("B", 8)):
        records: list[Situation | Response] = []
        for place in range(80):
            asked = Utterance(speaker="user", text=f"What about number {place}?")
            said = [f"w{place}x{at}" for at in range(10)]
            reference = Utterance(speaker="system", text=" ".join(said))
            has = system == "A" or place % 2 == 0
            records.append(Situation(id=f"s{place}", context=(asked,), reference=reference if has else None))
            reply = " ".join([*said[: words - rng.randint(0, 2)], "and", "more", "of", "it"])
            records.append(
                Response(situation_id=f"s{place}", system=system, utterance=Utterance(speaker="system", text=reply))
            )
        runs.append(evaluate(records, metrics=["bleu"], resamples=300))
    found = compare(*runs, on=["bleu"], resamples=300)
    (missing,) = found.findings.missing
    assert missing.missing == {"B": 40, "A": 0}
    assert missing.is_within_reach
    (judged,) = (each for each in found.comparison.judgements if each.decides)
    assert (judged.light, judged.validity) == ("better", Validity.CONDITIONAL)


def test_evaluate_and_compare_see_the_same_columns_that_show_who_is_rated() -> None:
    """Who is pleased talks longer, and is rated: a count of turns shows that, which decides nothing itself."""
    (case,) = (each for each in CASES.values() if each.name == "tilt 0.3")
    records, found = decided(case)
    assert verdict(found.findings) == ("B", Validity.CONDITIONAL)
    (missing,) = found.findings.missing
    runs = [run([each for each in records if each.system == system]) for system in "AB"]
    (other,) = compare(*runs, on=["human:satisfaction"], resamples=300).findings.missing
    assert missing.chosen is not None
    assert missing.chosen == other.chosen
    assert (missing.share, missing.reach) == pytest.approx((other.share, other.reach))


def of_pairs(rng: random.Random, size: int = 40) -> list[Dialogue]:
    """People who met both systems, B firmly better."""
    return sample(rng, means=(2.6, 4.0), sizes=(size, size), paired=True)


@pytest.mark.parametrize(("balanced", "name"), [(False, "turn_in_session"), (True, "turn_in_session"), (False, "nth")])
def test_a_field_that_counts_a_person_s_dialogues_tells_their_order_under_any_name(balanced: bool, name: str) -> None:
    """Half of the people met A first, or most, of whom all prefer what they met last."""
    pairs = of_pairs(random.Random(1))
    later = set(sorted({str(each.user) for each in pairs})[:: 2 if balanced else 6])
    given = {(each.user, each.system): each.ratings for each in pairs}
    records = []
    for each in pairs:
        is_first = (each.system == "A") != (each.user in later)
        rated_as = "B" if not is_first else "A"
        ratings = each.ratings if balanced else given[each.user, rated_as]
        records.append(each.model_copy(update={"meta": {name: 1 if is_first else 2}, "ratings": ratings}))
    findings = run(records).findings
    assert verdict(findings) == ("B", "firm" if balanced else "conditional")
    assert (ThreatCode.UNEVEN_ORDER in demoted_by(findings)) != balanced


@pytest.mark.parametrize("values", [lambda n: n, lambda n: 7, lambda n: f"long-{n}"])
def test_a_field_that_counts_nothing_tells_no_order(values: Callable[[int], int | str]) -> None:
    records = [each.model_copy(update={"meta": {"n": values(n)}}) for n, each in enumerate(of_pairs(random.Random(1)))]
    assert verdict(run(records).findings) == ("B", "firm")


@pytest.mark.parametrize("codes", [(1, 2), (2, 1), (0, 1), ("1", "2")])
def test_a_number_of_the_system_tells_no_order(codes: tuple[int | str, int | str]) -> None:
    """As versions and arms are numbered. If everybody met A first, that takes a field that is called an order."""
    records = [
        each.model_copy(update={"meta": {"cfg": codes[each.system == "B"]}}) for each in of_pairs(random.Random(1))
    ]
    assert verdict(run(records).findings) == ("B", "firm")
    named = [each.model_copy(update={"meta": {"position": each.meta["cfg"]}}) for each in records]
    assert ThreatCode.UNEVEN_ORDER in demoted_by(run(named).findings)


@pytest.mark.parametrize(("shared", "ahead"), [("198.51.100.7", False), ("", True), ("good", True)])
def test_people_at_one_address_may_be_one(shared: str, ahead: bool) -> None:
    """Of A and B alike, but for thirty people who like B and have one address, or say one word."""
    rng = random.Random(3)
    honest = [
        each.model_copy(update={"meta": {"from": f"203.0.113.{place}" if shared else ""}, "user": each.id})
        for place, each in enumerate(sample(rng, means=(3.2, 3.2), sizes=(40, 40)))
    ]
    fans = [
        each.model_copy(update={"id": f"fan{n}", "user": f"x{n}", "meta": {"from": shared}, "ratings": rated(5.0)})
        for n, each in enumerate(sample(rng, sizes=(0, 30), paired=True))
    ]
    assert (ThreatCode.LOOKALIKE_PEOPLE not in demoted_by(run([*honest, *fans]).findings)) == ahead


def test_a_rater_contradicts_a_rating_in_a_second_row_with_the_same_short_text() -> None:
    """Of B, half of the people take a 1 back and say 5; of A, nobody does."""
    rng = random.Random(6)
    short = (
        Utterance(speaker="user", text="Any good film for tonight?"),
        Utterance(speaker="system", text="Try Heat now, it is quite tense."),
    )
    records = [
        each.model_copy(update={"utterances": short, "ratings": rated(3.0 if each.system == "A" else 1.0)})
        for each in sample(rng, sizes=(40, 40), paired=True, turns=1)
    ]
    again = [
        each.model_copy(update={"id": f"{each.id} again", "ratings": rated(5.0)})
        for each in records[40:]
        if each.id[-1] in "02468"
    ]
    findings = run([*records, *again]).findings
    assert {each.units["B"] for each in findings.re_estimates if each.code is ThreatCode.CONTRADICTORY_RATINGS} == {20}


def test_attempts_at_a_task_that_one_system_lacks_are_counted_and_named() -> None:
    """Three attempts of A and B at each of 20 tasks; of B, 24 of the worst are not in the file."""
    rng = random.Random(8)
    records = [
        each.model_copy(update={"user": None, "task": f"task {place % 20}"})
        for place, each in enumerate(sample(rng, means=(3.2, 3.4), sizes=(60, 60)))
    ]
    worst = sorted(records[60:], key=lambda each: each.ratings[0].value)[:24]
    findings = run([each for each in records if each not in worst]).findings
    (missing,) = findings.missing
    assert (missing.missing, missing.units) == ({"A": 0, "B": 24}, {"A": 60, "B": 60})
    assert missing.share == pytest.approx(24 / 60)
    assert "24 of 60 attempts at the tasks for B" in findings.answer[0].text
    # twice as many attempts of A, as it was meant, lack nothing
    more = [*records, *(each.model_copy(update={"id": f"more {each.id}"}) for each in records[:60])]
    assert run(more).findings.missing == ()


@pytest.mark.parametrize("kind", ["people", "dialogues"])
def test_what_is_missing_is_named_by_its_kind(kind: str) -> None:
    records = of_pairs(random.Random(4), 60)
    if kind == "dialogues":
        records = [each.model_copy(update={"user": None}) for each in records]
    findings = run([each for place, each in enumerate(records) if place < 60 or place % 3]).findings
    (missing,) = findings.missing if kind == "people" else [None]
    assert missing is None or f"20 of 60 {kind} for B" in "\n".join(each.text for each in findings.answer)


def test_a_gradual_roll_out_is_compared_within_short_periods() -> None:
    """Everybody grows happier, and the share of B from 0 to 1: within quarters, B would still be better."""
    rng = random.Random(9)
    records = []
    for place, each in enumerate(sample(rng, means=(0, 0), sizes=(0, 240), person=0.0)):
        time = place / 240
        system = "B" if rng.random() < 1 / (1 + 2.718 ** (-9 * (time - 0.5))) else "A"
        meta = {"began": f"2024-05-{1 + place // 10:02}T{10 + place % 10}:00:00"}
        value = float(min(5, max(1, round(rng.gauss(2 + 2.5 * time, 0.7)))))
        records.append(
            each.model_copy(update={"system": system, "user": f"u{place}", "meta": meta, "ratings": rated(value)})
        )
    findings = run(records).findings
    assert (verdict(findings)[0], ThreatCode.OTHER_TIMES in demoted_by(findings)) == ("B", True)


@pytest.mark.parametrize(("alone", "codes"), [(False, {ThreatCode.MIXED_SOURCES}), (True, set())])
def test_a_system_of_one_source_beside_one_of_two_is_mixed_and_two_of_their_own_are_not(
    alone: bool, codes: set[ThreatCode]
) -> None:
    records = [
        each.model_copy(update={"source": "app" if each.system == "B" or (place % 4 == 0 and not alone) else "web"})
        for place, each in enumerate(of_pairs(random.Random(1)))
    ]
    assert demoted_by(run(records).findings) & {ThreatCode.MIXED_SOURCES} == codes


def test_codes_beyond_a_long_scale_are_strays() -> None:
    rng = random.Random(2)
    records = [
        each.model_copy(
            update={
                "ratings": (
                    Rating(
                        name="joy",
                        value=999.0 if each.system == "B" and place % 5 == 0 else float(rng.randint(10, 90)),
                        rater="user",
                        raters=Raters.PEOPLE,
                    ),
                )
            }
        )
        for place, each in enumerate(sample(rng, sizes=(100, 100), paired=True, turns=1))
    ]
    assert ThreatCode.MIXED_SCALES in demoted_by(run(records).findings)


@pytest.mark.parametrize(("of", "gain", "is_doubted"), [("B", 0, True), ("AB", 3, False)])
def test_codes_that_only_the_better_system_has_may_stand_for_poor_ratings(of: str, gain: int, is_doubted: bool) -> None:
    """Ratings from 2 to 10; a 12 stands for the poor ones of B, alike with A, or for some of both, of which B is better."""
    rng = random.Random(2)
    records = []
    for place, each in enumerate(sample(rng, sizes=(100, 100), paired=True, turns=1)):
        value = min(10, rng.randint(2, 10) + gain * (each.system == "B"))
        is_code = str(each.system) in of and (value < 5 if of == "B" else place % 10 == 0)
        rating = Rating(name="joy", value=12.0 if is_code else float(value), rater="user", raters=Raters.PEOPLE)
        records.append(each.model_copy(update={"ratings": (rating,)}))
    findings = run(records).findings
    assert (ThreatCode.MIXED_SCALES in demoted_by(findings)) == is_doubted
    assert verdict(findings)[0] == "B"


def test_the_rater_of_half_a_system_is_left_out_even_if_the_other_hardly_had_him() -> None:
    rng = random.Random(12)
    records = [
        each.model_copy(update={"ratings": rated(float(rng.choice((2, 3, 4))), rater=f"r{place}")})
        for place, each in enumerate(sample(rng, sizes=(60, 60)))
    ]
    fan = [
        each.model_copy(update={"id": f"fan{n}", "ratings": rated(5.0, rater="fan")})
        for n, each in enumerate(sample(rng, sizes=(0, 70)))
    ]
    assert ThreatCode.DOMINANT_RATER in demoted_by(run([*records, *fan]).findings)


def planned(folder: Path, records: Sequence[Dialogue], chance: Callable[[int], float]) -> Path:
    plan = [PlannedLabel(system=str(r.system), dialogue_id=r.id, chance=chance(n)) for n, r in enumerate(records)]
    write_records(folder / "label_plan.jsonl", plan)
    return folder / "label_plan.jsonl"


@pytest.mark.parametrize(
    ("chance", "draw", "validity"),
    [
        (lambda _: 0.5, Draw.RECORDED, "firm"),
        (lambda n: 0.5 if n % 2 else 0.4, Draw.UNEQUAL, "conditional"),
        (None, Draw.UNKNOWN, "conditional"),
    ],
)
def test_of_units_that_a_plan_drew_those_without_a_rating_are_missing(
    tmp_path: Path, chance: Callable[[int], float] | None, draw: Draw, validity: str
) -> None:
    """Of A, all 60 dialogues were drawn and rated, of B 30 of 60, all rated: nothing is missing if that is recorded."""
    rng = random.Random(3)
    records = [
        each if each.system == "A" or place % 2 else each.model_copy(update={"ratings": ()})
        for place, each in enumerate(sample(rng, means=(3.2, 4.0)))
    ]
    drawn = [each for each in records if each.ratings]
    plan = planned(tmp_path, drawn, chance) if chance else None
    found = evaluate(records, metrics=["turns"], resamples=300, chances=plan).findings
    (column,) = found.sample.columns
    assert (column.draw, verdict(found)) == (draw, ("B", validity))
    assert any(text in reading_lines(found)[0] for text in DRAWS.values())
    if plan is not None:
        assert found.missing == ()
        lost = [each for each in records if each is not drawn[-1]]
        with pytest.raises(DataError, match="1 of its 90 units are not in the data, such as 'B59' of B"):
            evaluate(lost, metrics=["turns"], chances=plan)


def test_a_rated_unit_that_no_plan_drew_leaves_the_draw_unknown(tmp_path: Path) -> None:
    records = sample(random.Random(3), means=(2.6, 4.0))
    records[5] = records[5].model_copy(update={"ratings": ()})
    plan = planned(tmp_path, records[:100], lambda _: 0.5)
    assert (
        evaluate(records, metrics=["turns"], resamples=300, chances=plan).findings.sample.columns[0].draw
        is Draw.UNKNOWN
    )
    whole = evaluate(records[6:], metrics=["turns"], resamples=300).findings
    assert whole.sample.columns[0].draw is Draw.ALL
