"""Verdicts that cannot be fooled: what broke them once, line by line, and what they must say now."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from trialogue.cli.app import app
from trialogue.errors import UsageError
from trialogue.findings.threats import Severity, ThreatCode, Validity
from trialogue.records import (
    ActOrigin,
    Dialogue,
    DialogueAct,
    Ending,
    Estimate,
    Rating,
    Record,
    Response,
    Situation,
    Utterance,
    write_records,
)
from trialogue.subjects.comparison.commands.compare import compare
from trialogue.subjects.evaluation.commands.evaluate import evaluate


def written(path: Path, records: list[Record]) -> Path:
    write_records(path, records)
    return path


def rated(
    number: int, system: str, *, satisfied: bool, ending: Ending | None = Ending.USER_ENDED, turns: int = 3
) -> Dialogue:
    """A dialogue of a person who said whether they were satisfied."""
    said = [
        Utterance(speaker=speaker, text=text)
        for turn in range(turns)
        for speaker, text in (("user", f"something funny {turn}"), ("system", f"Try film {number} of {turn}"))
    ]
    return Dialogue(
        id=f"{system}-{number}",
        system=system,
        user=f"p{number}",
        utterances=tuple(said),
        ended_by=ending,
        ratings=(Rating(name="satisfaction", value=float(satisfied), rater="user", low=0, high=1),),
    )


def crashing(tmp_path: Path, *, failed: int = 40) -> tuple[Path, Path]:
    """A working version whose users are satisfied half of the time, and one that crashes before they can complain."""
    works = [rated(n, "crs", satisfied=n % 2 == 0) for n in range(40)]
    crashes = [
        rated(n, "crs", satisfied=True, turns=2, ending=Ending.AGENT_ERROR if n < failed else Ending.USER_ENDED)
        for n in range(40)
    ]
    return written(tmp_path / "old.jsonl", list(works)), written(tmp_path / "new.jsonl", list(crashes))


def test_a_version_that_crashes_in_every_dialogue_is_worse_whatever_the_measure_says(tmp_path: Path) -> None:
    old, new = crashing(tmp_path)
    compared = compare(old, new, on=["human:satisfaction"], resamples=200).comparison
    assert compared.light == "worse"
    assert compared.answer[0].startswith(
        "new is worse than old: 40 of its 40 dialogues failed because of the agent, against 0 of 40"
    )
    words = ["compare", str(old), str(new), "--on", "human:satisfaction", "--set", "resamples=200", "--fail-if-worse"]
    result = CliRunner().invoke(app, words)
    assert (result.exit_code, result.stdout.splitlines()[0]) == (1, "RED: worse")


@pytest.mark.parametrize(("failed", "light"), [(0, "better"), (1, "worse")])
def test_more_failures_than_the_margin_are_worse_by_themselves(tmp_path: Path, failed: int, light: str) -> None:
    old, new = crashing(tmp_path, failed=failed)  # 1 of 40 is 2.5 points, above the margin of one
    assert compare(old, new, resamples=200).comparison.light == light
    assert compare(old, new, failure_margin=0.05, resamples=200).comparison.light == "better"


def test_a_system_without_a_finished_dialogue_has_no_rank_and_beats_nobody(tmp_path: Path) -> None:
    works = [rated(n, "works", satisfied=n % 2 == 0) for n in range(40)]
    fails = [rated(n, "fails", satisfied=True, ending=Ending.AGENT_ERROR) for n in range(40)]
    run = evaluate(written(tmp_path / "d.jsonl", [*works, *fails]), resamples=200)
    for league in run.findings.leagues:
        ranks = {each.system: (each.rank_low, each.rank_high) for each in league.standings}
        assert ranks["fails"] == (None, None)
        assert {each.verdict for each in league.contrasts} <= {"undefined"}
    assert "none of fails's 40 dialogues finished" in run.answer.lower()


def test_dialogues_that_failed_by_another_s_fault_block_above_five_percent(tmp_path: Path) -> None:
    def lost(count: int) -> Validity:
        one = [rated(n, "a", satisfied=True, ending=Ending.LOST if n < count else None) for n in range(40)]
        other = [rated(n, "b", satisfied=False) for n in range(40)]
        run = evaluate(written(tmp_path / f"{count}.jsonl", [*one, *other]), metrics=["turns"], resamples=200)
        return run.league("human:satisfaction").contrasts[0].validity

    assert lost(2) is Validity.FIRM  # 5% are not above 5%
    assert lost(3) is Validity.BLOCKED


def test_a_system_is_a_system_whatever_it_is_called(tmp_path: Path) -> None:
    names = ["floor:mine", "floor:majority", "human:votes", "a,b@c|v1", "aria"]
    records: list[Record] = []
    for number in range(30):
        user = Utterance(speaker="user", text="A comedy?")
        said = Utterance(speaker="system", text="What about Heat tonight?")
        records.append(Situation(id=f"s{number}", context=(user,), reference=said, dialogue_id=f"d{number}"))
        for place, name in enumerate(names):
            text = "What about Heat tonight?" if number % 5 >= place else "No idea."
            records.append(
                Response(situation_id=f"s{number}", system=name, utterance=Utterance(speaker="system", text=text))
            )
    run = evaluate(written(tmp_path / "r.jsonl", records), metrics=["rouge_l@f1"], resamples=200)
    (league,) = run.findings.leagues
    assert {each.system for each in league.standings} == set(names)
    assert league.baselines == ()
    assert len(league.contrasts) == 10
    assert league.standings[0].system == "floor:mine"


def test_a_system_that_answers_where_it_is_easy_leads_only_conditionally(tmp_path: Path) -> None:
    records: list[Record] = []
    for number in range(40):
        user = Utterance(speaker="user", text="A comedy?")
        said = Utterance(speaker="system", text="What about Heat tonight?")
        records.append(Situation(id=f"s{number}", context=(user,), reference=said, dialogue_id=f"d{number}"))
        whole = Utterance(speaker="system", text=said.text if number % 4 else "No idea.")
        records.append(Response(situation_id=f"s{number}", system="steady", utterance=whole))
        if number < 24:  # it abstains in 40%
            records.append(Response(situation_id=f"s{number}", system="picky", utterance=said))
    run = evaluate(written(tmp_path / "r.jsonl", records), metrics=["rouge_l@f1"], resamples=500)
    (threat,) = (each for each in run.findings.threats if each.code is ThreatCode.ABSTENTION)
    assert (threat.systems, threat.severity) == (("picky",), Severity.DEMOTES)
    (contrast,) = run.findings.leagues[0].contrasts
    assert contrast.leader == "picky"
    assert contrast.validity is Validity.CONDITIONAL
    assert run.answer.startswith("Conditional: ")
    assert "picky answered only 24 of 40 situations" in run.answer


def test_every_output_of_a_run_carries_its_threats(tmp_path: Path) -> None:
    few = [rated(n, name, satisfied=name == "a") for name in ("a", "b") for n in range(7)]
    result = CliRunner().invoke(
        app,
        ["evaluate", str(written(tmp_path / "d.jsonl", list(few))), "-m", "turns", "-o", str(tmp_path / "run"), "-q"],
    )
    assert result.exit_code == 0, result.output
    for file in ("findings.json", "summary.json", "report.html"):
        assert (
            "few_clusters" in (tmp_path / "run" / file).read_text()
            or "independent clusters" in (tmp_path / "run" / file).read_text()
        ), file
    assert "conditional" in (tmp_path / "run" / "pairs.csv").read_text()
    assert "Conditional verdicts:" in result.stdout
    assert result.stdout.startswith("Conditional: ")


def test_the_report_shows_how_much_depends_on_how_failures_count(tmp_path: Path) -> None:
    def simulated(number: int, system: str, *, fails: bool) -> Dialogue:
        acts = ("Disclose", "List", "Note-end", "Record")
        said = [
            Utterance(
                speaker="user" if place % 2 == 0 else "system",
                text=act,
                acts=(DialogueAct(intent=act),),
                acts_by=ActOrigin.DECLARED,
            )
            for place, act in enumerate(acts)
        ]
        ending = Ending.AGENT_ERROR if fails else Ending.AGENDA_EMPTY
        return Dialogue(
            id=f"{system}{number}", system=system, user=f"u{number}", utterances=tuple(said), ended_by=ending
        )

    records = [simulated(n, "steady", fails=False) for n in range(20)]
    records += [simulated(n, "fragile", fails=n < 10) for n in range(20)]
    run = evaluate(written(tmp_path / "d.jsonl", list(records)), metrics=["turn_success"], resamples=200)
    values = {each.system: each.estimate.value for each in run.findings.leagues[0].standings}
    assert values == {"steady": 1.0, "fragile": 0.5}  # 10 of 20 count as 0
    (section,) = (each for each in run.findings.sections if each.title == "Does it matter how failures are counted?")
    (row,) = (row for row in section.rows if row[0] == "fragile")
    assert [each.value for each in row[2:] if isinstance(each, Estimate)] == [0.5, 1.0]


def test_failures_decide_also_where_the_measure_that_was_named_is_not_in_both_runs(tmp_path: Path) -> None:
    old, new = crashing(tmp_path)
    compared = compare(old, new, on=["human:relevance"], resamples=200).comparison
    assert compared.light == "worse"
    assert compared.answer[0].startswith("new is worse than old: 40 of its 40")
    assert "human:relevance is not measured in both runs." in compared.notes


def test_files_are_measured_by_the_metric_that_is_named_to_decide(tmp_path: Path) -> None:
    old, new = crashing(tmp_path, failed=0)
    compared = compare(old, new, on=["satisfaction"], resamples=200).comparison
    assert [each.measure for each in compared.judgements if each.decides] == ["satisfaction@linear|v1"]


def test_what_was_learned_from_people_is_conditional_on_simulated_users(tmp_path: Path) -> None:
    def simulated(name: str, *, words: str) -> Path:
        made = [
            rated(n, "crs", satisfied=True).model_copy(
                update={
                    "ratings": (),
                    "source": "simulated/cir6-pkg",
                    "utterances": tuple(
                        Utterance(speaker=speaker, text=f"{words} {n} {turn}")
                        for turn in range(4)
                        for speaker in ("user", "system")
                    ),
                }
            )
            for n in range(30)
        ]
        return written(tmp_path / f"{name}.jsonl", list(made))

    old = simulated("old", words="no")
    new = simulated("new", words="thanks great, what about these films for tonight my friend")
    compared = compare(old, new, on=["satisfaction"], resamples=200).comparison
    assert ThreatCode.OUTSIDE_DOMAIN in {threat.code for threat in compared.threats}
    assert compared.light != "better" or compared.validity is Validity.CONDITIONAL


def test_a_version_that_mends_one_that_never_finished_is_not_held_back(tmp_path: Path) -> None:
    works, crashes = crashing(tmp_path)
    compared = compare(crashes, works, resamples=200).comparison
    assert compared.light != "no verdict"
    assert compared.failures is not None
    assert not compared.failures.is_worse


def test_a_margin_that_holds_every_difference_is_refused(tmp_path: Path) -> None:
    old, new = crashing(tmp_path, failed=0)
    with pytest.raises(UsageError, match="covers every possible difference"):
        compare(old, new, on=["satisfaction"], margin=1.0, resamples=200)


def answered_by(dialogue: Dialogue, **meta: str) -> Dialogue:
    said = [
        each.model_copy(update={"meta": meta}) if each.speaker == "system" else each for each in dialogue.utterances
    ]
    return dialogue.model_copy(update={"utterances": tuple(said)})


@pytest.mark.parametrize(
    ("old", "new", "is_changed"),
    [
        ({"model": "m-1"}, {"model": "m-2"}, True),
        ({"model": "m-1", "system_fingerprint": "fp_1"}, {"model": "m-1", "system_fingerprint": "fp_2"}, True),
        ({"model": "m-1", "system_fingerprint": "fp_1"}, {"model": "m-1", "system_fingerprint": "fp_1"}, False),
    ],
)
def test_a_gain_under_another_model_is_never_green(
    tmp_path: Path, old: dict[str, str], new: dict[str, str], is_changed: bool
) -> None:
    before = [answered_by(rated(n, "crs", satisfied=n % 3 == 0), **old) for n in range(40)]
    after = [answered_by(rated(n, "crs", satisfied=True), **new) for n in range(40)]
    files = (written(tmp_path / "z.jsonl", [*before]), written(tmp_path / "a.jsonl", [*after]))  # "after" sorts first
    compared = compare(*files, resamples=200).comparison
    threats = [each for each in compared.threats if each.code is ThreatCode.MODEL_CHANGED]
    assert compared.light == "better"
    assert bool(threats) == is_changed
    assert compared.validity is (Validity.CONDITIONAL if is_changed else Validity.FIRM)
    if is_changed:
        assert threats[0].facts == {"before": " ".join(old.values()), "after": " ".join(new.values())}
        assert "but another model answered: m-1" in compared.answer[0]


def test_names_that_look_the_same_are_pointed_out(tmp_path: Path) -> None:
    names = ["aria", "ａria", "Aria", "bolt"]
    dialogues = [
        rated(n, name, satisfied=n % 2 == 0).model_copy(update={"id": f"{place}-{n}"})
        for place, name in enumerate(names)
        for n in range(4)
    ]
    run = evaluate(written(tmp_path / "d.jsonl", [*dialogues]), metrics=["turns"], resamples=100)
    assert {facts.system for facts in run.findings.systems} == set(names)
    (threat,) = (each for each in run.findings.threats if each.code is ThreatCode.LOOKALIKE_SYSTEMS)
    assert (threat.severity, set(threat.systems)) == (Severity.DEMOTES, set(names[:3]))


@pytest.mark.parametrize("tail", ["", " Enjoy!"])
@pytest.mark.parametrize(("copied", "stands"), [(40, False), (16, False), (16, True), (0, True)])
def test_a_lead_by_repeated_references_is_conditional_and_any_other_is_firm(
    tmp_path: Path, copied: int, stands: bool, tail: str
) -> None:
    """A system with the references as its replies had a ROUGE-L of 1.00, and led without a word."""
    records: list[Record] = []
    for number in range(40):
        user = Utterance(speaker="user", text="A comedy?")
        said = Utterance(speaker="system", text=f"What about the film called number {number} tonight?")
        records.append(Situation(id=f"s{number}", context=(user,), reference=said, dialogue_id=f"d{number}"))
        others = ("What about Ronin?", "The film called Ronin.") if stands else ("Heat!", "Heat?")
        own = said.text.upper() + tail if number < copied else others[number % 2]
        for name, text in (("copier", own), ("honest", ("Heat?", "Why not Heat?")[number % 2])):
            reply = Utterance(speaker="system", text=text)
            records.append(Response(situation_id=f"s{number}", system=name, utterance=reply))
    run = evaluate(written(tmp_path / "r.jsonl", records), metrics=["rouge_l@f1"], resamples=200)
    found = {each.severity for each in run.findings.threats if each.code is ThreatCode.COPIED_REFERENCES}
    assert found == ({Severity.NOTES} if copied else set()) | (set() if stands else {Severity.DEMOTES})
    (contrast,) = run.findings.leagues[0].contrasts
    assert contrast.leader == "copier"
    assert contrast.validity is (Validity.FIRM if stands else Validity.CONDITIONAL)
    assert ("without the situations in which a reply repeats the reference" in run.answer) == (not stands)
