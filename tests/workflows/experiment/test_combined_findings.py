"""An experiment's report knows of its stages' data whatever a threat is found in."""

from pathlib import Path

import pytest

from trialogue.findings import Findings, RankReversal, Sensitivity
from trialogue.findings.threats import Threat, ThreatCode
from trialogue.findings.threats.detect import OF_PROTOCOL
from trialogue.records import (
    Dialogue,
    DomainFit,
    Ending,
    Labeller,
    LanguageMismatch,
    Manifest,
    MeasureName,
    Record,
    Response,
    Situation,
    StrategyLabel,
    Utterance,
    write_records,
)
from trialogue.subjects.comparison.commands.compare import compare
from trialogue.subjects.evaluation.pages.write import read_findings
from trialogue.workflows.experiment import experiment_of, run_experiment
from trialogue.workflows.experiment.parts import Parts
from trialogue.workflows.experiment.threat_facts import joined_domains, joined_mismatches, joined_sensitivity

USERS = "cir6-pkg"
FROM_STAGES = "measure-people", f"measure-simulated-{USERS}", "align"


def failing(number: int) -> Dialogue:
    """A conversation with aria that people had; every second one failed by its fault."""
    return Dialogue(
        id=f"aria-{number}",
        system="aria",
        user=f"person{number}",
        utterances=(
            Utterance(speaker="user", text="Please recommend me a good film for tonight."),
            Utterance(speaker="system", text="You should watch the film that everybody likes."),
        ),
        ended_by=Ending.AGENT_ERROR if number % 2 else Ending.USER_ENDED,
    )


def labelled(text: str, by: Labeller) -> Utterance:
    label = StrategyLabel(strategy="similarity", origin=by.value, by=by)
    return Utterance(speaker="system", text=text, strategies=(label,))


def replies() -> list[Record]:
    """Situations that people labelled, and replies of aria that scripts did."""
    said = Utterance(speaker="user", text="I liked Heat.")
    before = (said, Utterance(speaker="system", text="Great!"), said)  # first turns are left out of alignment
    records: list[Record] = []
    for number in range(12):
        reference = labelled(f"Ronin is like Heat, number {number}.", Labeller.PERSON)
        records.append(Situation(id=f"s{number}", dialogue_id=f"d{number}", context=before, reference=reference))
        reply = labelled(f"Collateral is like Heat, number {number}.", Labeller.SCRIPTED)
        records.append(Response(situation_id=f"s{number}", system="aria", utterance=reply))
    return records


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Findings, dict[str, Findings]]:
    """(folder, findings of the report, those of each stage) of an experiment with people, simulated users and replies."""
    folder = tmp_path_factory.mktemp("joined")
    write_records(folder / "people.jsonl", [failing(number) for number in range(20)])
    write_records(folder / "replies.jsonl", replies())
    given = {
        "out": str(folder / "out"),
        "simulate": {"agents": {"aria": "echo", "bolt": "reference:popular"}, "users": [USERS], "n": 4, "max_turns": 3},
        "dialogues": [str(folder / "people.jsonl")],
        "align": {"situations": [str(folder / "replies.jsonl")]},
        "metrics": ["turns", "satisfaction"],
        "resamples": 100,
    }
    found = run_experiment(experiment_of(given)).findings
    stages = {name: read_findings(next(folder.glob(f"out/stages/{name}-*"))) for name in FROM_STAGES}
    return folder / "out", found, stages


def test_a_report_shows_every_threat_of_its_stages(done: tuple[Path, Findings, dict[str, Findings]]) -> None:
    _, joined, stages = done
    for name, stage in stages.items():
        users = USERS if USERS in name else None
        expected = {_of_column(threat, stage, users) for threat in stage.threats if threat.code not in OF_PROTOCOL}
        assert expected
        assert expected <= {threat.model_dump_json() for threat in joined.threats}, name
    codes = {threat.code for threat in joined.threats}
    assert {ThreatCode.FAILURES, ThreatCode.LABEL_ORIGIN, ThreatCode.OUTSIDE_DOMAIN} <= codes


def _of_column(threat: Threat, stage: Findings, users: str | None) -> str:
    if users is None:
        return threat.model_dump_json()
    columns = {league.measure.name: league.measure.with_simulated(users).name for league in stage.leagues}
    measure = None if threat.measure is None else columns[threat.measure]
    return threat.model_copy(update={"users": users, "measure": measure}).model_dump_json()


def test_a_report_holds_what_these_threats_were_found_in(done: tuple[Path, Findings, dict[str, Findings]]) -> None:
    _, joined, stages = done
    assert joined.labels == stages["align"].labels
    assert {(each.side, *each.by) for each in joined.labels} == {
        ("reference", Labeller.PERSON),
        ("reply", Labeller.SCRIPTED),
    }
    assert {each.measure for each in joined.domains} == {
        "satisfaction@linear|v1",
        f"{USERS}: satisfaction@linear|v1",
    }
    assert set(joined.languages) == {finding for stage in stages.values() for finding in stage.languages}
    (aria,) = [facts for facts in joined.systems if facts.system == "aria"]
    assert aria.simulated == 4
    assert aria.completion is not None
    # 20 dialogues with people, of which 10 failed, 4 simulated ones, and 12 situations that were all answered
    assert (aria.completion.dialogues, aria.completion.failed[Ending.AGENT_ERROR]) == (24, 10)
    assert (aria.completion.situations, aria.completion.answered) == (12, 12)


def test_comparing_experiments_judges_failures_first(done: tuple[Path, Findings, dict[str, Findings]]) -> None:
    folder, _, _ = done
    compared = compare(folder, folder, systems=["bolt", "aria"], on=[f"{USERS}: turns"], resamples=100)
    assert compared.comparison.failures is not None
    assert compared.comparison.failures.is_worse  # 10 of 24 against 0 of 4, beyond the margin of one point


def test_columns_of_simulated_users_keep_their_name_in_domains_mismatches_and_variants() -> None:
    name = "distinct(n=2)@ratio|v1"
    fit = DomainFit(measure=name, domain="films", dialogues=4, inside=0, is_measured=True)
    mismatch = LanguageMismatch(
        reason="language", measures=(MeasureName(name),), systems=("aria",), writer="system", languages=("de",)
    )
    flip = RankReversal(
        metric="distinct", a="aria", b="bolt", for_a=(name,), for_b=("distinct(n=2)@laps|v2",), sure=True
    )
    part = Findings(
        title="",
        answer=(),
        systems=(),
        leagues=(),
        primary=None,
        domains=(fit,),
        language_mismatches=(mismatch,),
        sensitivity=(Sensitivity(metric="distinct", leagues=(), flips=(flip,)),),
        manifest=Manifest(command="evaluate"),
    )
    parts = Parts(people=part, simulated={USERS: part}, aligned=None)
    assert [each.measure for each in joined_domains(parts)] == [name, f"{USERS}: {name}"]
    assert [each.measures for each in joined_mismatches(parts)] == [(name,), (f"{USERS}: {name}",)]
    people, simulated = joined_sensitivity(parts)
    assert people == part.sensitivity[0]
    assert simulated.metric == f"distinct ({USERS})"
    assert simulated.flips[0].for_a == (f"{USERS}: {name}",)
