"""A learned measure is a default only where the data are like those it learned from; named, it says where it is used."""

import sys
from pathlib import Path

import pytest

from tests.metrics.satisfaction.test_metric import talk
from tests.records.runs.made import reseal
from trialogue.analysis import choose, measure
from trialogue.analysis.default_metrics import default_metrics
from trialogue.analysis.domains import domain_fits, domain_lines
from trialogue.findings.threats import ThreatCode, Validity
from trialogue.inputs.inputs import InputRecords
from trialogue.metrics import conversations_of
from trialogue.metrics.satisfaction.fit import domain_of
from trialogue.metrics.satisfaction.metric import Satisfaction, load_bundled_weights
from trialogue.records import Dialogue, Manifest, Score, write_records
from trialogue.subjects.agreement.commands.agree import agree
from trialogue.subjects.evaluation.commands.evaluate import evaluate

FILMS = ("I want to see a good movie", "How about Heat with Al Pacino?", "sounds good", "Enjoy the evening with it!")
FLIGHTS = ("a flight to Oslo, please", "Which day do you want to leave?", "on Monday", "It leaves at nine o'clock.")


def dialogues(films: int, flights: int) -> list[Dialogue]:
    return [talk(*FILMS, name=f"film-{n}") for n in range(films)] + [
        talk(*FLIGHTS, name=f"flight-{n}") for n in range(flights)
    ]


def names(given: list[Dialogue]) -> list[str]:
    return [metric.measure for metric in default_metrics(list(conversations_of(given)))]


def test_a_default_measure_in_its_domain_and_not_outside() -> None:
    assert "satisfaction@linear|v1" in names(dialogues(3, 1))  # three of four
    assert "satisfaction@linear|v1" not in names(dialogues(2, 1))


@pytest.mark.parametrize(
    ("change", "departure"),
    [
        ((*FILMS, *FLIGHTS * 6), "turns"),
        ((FILMS[0] + " and so on" * 40, *FILMS[1:]), "user_words"),
        ((FILMS[0], "word " * 200, *FILMS[2:]), "reply_words"),
        (FLIGHTS, "subject"),
    ],
)
def test_each_way_in_which_a_dialogue_differs_has_a_name(change: tuple[str, ...], departure: str) -> None:
    domain = load_bundled_weights().domain
    assert domain is not None
    assert domain.departures(talk(*FILMS)) == ()
    assert domain.departures(talk(*change)) == (departure,)


def test_left_out_by_default_it_says_why_in_one_line(tmp_path: Path) -> None:
    write_records(tmp_path / "d.jsonl", dialogues(1, 4))
    run = evaluate(tmp_path / "d.jsonl", resamples=100)
    (fit,) = run.findings.domains
    assert (fit.dialogues, fit.inside, fit.departures, fit.fits) == (5, 1, {"subject": 4}, False)
    assert not fit.is_measured
    assert run.findings.warnings.count(*domain_lines([fit])) == 1
    assert next(domain_lines([fit])).startswith(
        "Satisfaction is not among the default metrics here: 1 of 5 dialogues resemble those it was trained "
        "on (about films, 1 to 12 user turns of 1 to 25 words, replies of 4 to 45 words); 4 are about another topic."
    )


def test_what_the_choice_of_metrics_found_is_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    material = InputRecords(dialogues(3, 1))
    choice = choose(material)
    assert material.domains == domain_fits([Satisfaction()], material.online())
    monkeypatch.delattr(sys.modules["trialogue.analysis.measure"], "domain_fits")
    assert measure(material, choice, manifest=Manifest(command="evaluate")).domains == material.domains
    material.dialogues = dialogues(1, 0)
    assert material.domains is None


def test_named_it_is_computed_and_says_that_it_is_outside_its_domain(tmp_path: Path) -> None:
    write_records(tmp_path / "d.jsonl", dialogues(0, 4))
    run = evaluate(tmp_path / "d.jsonl", metrics=["satisfaction"], resamples=100)
    (fit,) = run.findings.domains
    assert fit.is_measured
    assert run.league("satisfaction").standings[0].estimate.value is not None
    said = "Satisfaction is used outside its domain"
    assert any(line.startswith(said) for line in run.findings.warnings)
    run.write(tmp_path / "run")
    rater = {"measure": "human:liked", "level": "dialogue", "system": "s", "rater": "x"}
    people = [Score.model_validate({**rater, "dialogue_id": f"flight-{n}", "value": n}) for n in range(4)]
    write_records(tmp_path / "run" / "scores.jsonl", [*run.scores, *people])
    reseal(tmp_path / "run")
    assert any(line.startswith(said) for line in agree(tmp_path / "run", resamples=10).warnings)


def test_in_its_domain_there_is_no_line() -> None:
    fit = Satisfaction().domain_fit(dialogues(4, 0), is_measured=True)
    assert fit is not None
    assert (fit.fits, list(domain_lines([fit]))) == (True, [])


def test_an_estimator_of_ones_own_has_the_domain_of_its_training_dialogues() -> None:
    found = domain_of(dialogues(0, 4))
    assert (found.films, found.user_turns, found.user_words) == (False, (2, 2), (3.5, 3.5))  # (5 + 2) / 2 words
    assert found.departures(talk(*FLIGHTS)) == ()
    assert domain_of(dialogues(3, 1)).films


def of_system(name: str, given: list[Dialogue]) -> list[Dialogue]:
    return [each.model_copy(update={"id": f"{name}-{each.id}", "system": name}) for each in given]


def test_a_small_system_outside_the_domain_does_not_hide_among_the_others(tmp_path: Path) -> None:
    given = [*of_system("cinema", dialogues(30, 0)), *of_system("airline", dialogues(0, 4))]  # 30 of 34 are inside
    assert "satisfaction@linear|v1" not in names(given)
    write_records(tmp_path / "d.jsonl", given)
    run = evaluate(tmp_path / "d.jsonl", metrics=["satisfaction"], resamples=100)
    assert {fit.system: fit.fits for fit in run.findings.domains} == {"airline": False, "cinema": True}
    (threat,) = (each for each in run.findings.threats if each.code is ThreatCode.OUTSIDE_DOMAIN)
    assert (threat.systems, threat.facts["inside"], threat.facts["dialogues"]) == (("airline",), 0, 4)
    assert run.league("satisfaction").contrasts[0].validity is Validity.CONDITIONAL
    (line,) = domain_lines(run.findings.domains)
    assert "0 of 4 dialogues of airline resemble those" in line


def test_dialogues_are_counted_over_all_that_are_looked_at_together(monkeypatch: pytest.MonkeyPatch) -> None:
    both = [*of_system("airline", dialogues(2, 5)), *of_system("cinema", dialogues(4, 0))]
    given = list(conversations_of(both[::2] + both[1::2]))
    whole = domain_fits([Satisfaction()], given, are_measured=False)
    assert [(each.system, each.inside, each.dialogues) for each in whole] == [("airline", 2, 7), ("cinema", 4, 4)]
    assert whole[0].departures["subject"] == 5
    monkeypatch.setattr("trialogue.analysis.domains.BATCH_SIZE", 3)
    assert domain_fits([Satisfaction()], iter(given), are_measured=False) == whole


def test_where_every_system_is_outside_the_measure_as_a_whole_is_demoted(tmp_path: Path) -> None:
    write_records(tmp_path / "d.jsonl", [*of_system("rail", dialogues(0, 12)), *of_system("airline", dialogues(0, 12))])
    run = evaluate(tmp_path / "d.jsonl", metrics=["satisfaction"], resamples=100)
    (threat,) = (each for each in run.findings.threats if each.code is ThreatCode.OUTSIDE_DOMAIN)
    assert (threat.systems, threat.facts["dialogues"]) == ((), 24)
    assert run.league("satisfaction").validity is Validity.CONDITIONAL
