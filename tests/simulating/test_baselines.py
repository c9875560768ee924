"""Baselines beside a simulation: they meet the same users, are no systems, and nonsense leads nothing."""

from pathlib import Path

import pytest

from trialogue.agents.baselines import OFF_TOPIC
from trialogue.agents.registry import make_agent
from trialogue.analysis.read import read
from trialogue.inputs.simulated_folder import baselines_in, with_baselines
from trialogue.records import Dialogue, Role, Utterance, read_records
from trialogue.simulating.simulate import BASELINES, simulate
from trialogue.simulation.batch.processes import ProcessPool
from trialogue.simulation.batch.simulation_file import study_of
from trialogue.subjects.evaluation.commands.evaluate import evaluate


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("simulated")
    fields = {"agents": {"guided": "reference:guided", "chatter": "off-topic"}, "users": ["cir6-pkg"], "n": 12}
    simulate(study_of({**fields, "seed": 3, "out": out}))
    return out


def test_five_baselines_meet_the_same_needs_as_the_agents(folder: Path) -> None:
    agents = list(read_records(folder / "dialogues.jsonl", Dialogue))
    beside = list(baselines_in(folder))
    needs = [each.cluster for each in agents if each.system == "guided"]
    assert {each.system for each in agents} == {"guided", "chatter"}
    assert list(dict.fromkeys(each.system for each in beside)) == list(BASELINES)
    for name in BASELINES:
        own = [each for each in beside if each.system == name]
        assert [each.cluster for each in own] == needs
        assert {each.role for each in own} == {Role.BASELINE}
    assert len(set(needs)) == 12


def test_a_report_has_the_baselines_beside_and_an_agent_no_better_than_them_cannot_lead(folder: Path) -> None:
    run = evaluate(folder / "dialogues.jsonl", metrics=["need_met"], resamples=100)
    _, league = run.findings.leagues  # beside lift
    assert [standing.system for standing in league.standings] == ["guided", "chatter"]
    assert {standing.system for standing in league.baselines} == set(BASELINES)
    assert {facts.system for facts in run.findings.systems} == {"guided", "chatter"}
    values = {standing.system: standing.estimate.value for standing in (*league.standings, *league.baselines)}
    assert values["chatter"] == values["off-topic"] == values["echo"] == 0
    ranks = {standing.system: standing.rank_low for standing in league.standings}
    assert ranks["chatter"] is None
    codes = {(threat.code.value, threat.systems, threat.severity.value) for threat in run.findings.threats}
    assert ("baseline_not_beaten", ("chatter",), "blocks") in codes


def test_without_baselines_the_outcome_is_conditional(tmp_path: Path) -> None:
    fields = {"agents": ["echo"], "users": ["cir6-pkg"], "n": 2, "baselines": 0, "out": tmp_path}
    simulate(study_of(fields))
    assert list(baselines_in(tmp_path)) == []
    run = evaluate(tmp_path / "dialogues.jsonl", metrics=["need_met", "length"], resamples=50)
    found = [threat for threat in run.findings.threats if threat.code == "no_baselines"]
    assert [threat.measure for threat in found] == ["lift(turns=10)@named|v2", "need_met(turns=10)@named|v1"]


def test_baselines_are_read_beside_a_simulation_and_each_once(folder: Path) -> None:
    material = read([folder / "dialogues.jsonl", folder])
    assert sum(each.role is Role.BASELINE for each in material.dialogues) == 6 * 12
    own = Dialogue(id="1", system="echo", utterances=())
    beside = own.model_copy(update={"role": Role.BASELINE})
    other = beside.model_copy(update={"utterances": (Utterance(speaker="user", text="hi"),)})
    assert [(each.system, each.id) for each in with_baselines([own], [beside, beside, other])] == [
        ("echo", "1"),
        ("echo (baseline)", "1"),
        ("echo (baseline)", "1'"),
    ]


def test_off_topic_draws_by_its_seed_and_the_dump_reads_out_the_catalogue() -> None:
    said = [Utterance(speaker="user", text="A film?")]
    chatter, dump = make_agent("off-topic"), make_agent("reference:dump")
    texts = [chatter.open("d", seed=seed).reply(said).utterances[0].text for seed in (1, 1, 2, 3, 4)]
    assert texts[0] == texts[1]
    assert set(texts) <= set(OFF_TOPIC)
    assert len(set(texts)) > 1
    session = dump.open("d", seed=0)
    turns = [session.reply([*said] * number) for number in range(1, 5)]
    named = [len(turn.utterances[0].mentions or ()) for turn in turns]
    assert named == [200, 200, 76, 0]  # 476 films
    assert [turn.ends for turn in turns] == [False, False, False, True]
    first = turns[0].utterances[0]
    assert all(first.text[m.start : m.end] == m.title for m in first.mentions or ())


def test_processes_are_started_once_for_agents_and_baselines_and_change_nothing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts: list[int] = []
    start = ProcessPool._start

    def count(pool: ProcessPool) -> object:
        starts.append(pool.jobs)
        return start(pool)

    monkeypatch.setattr(ProcessPool, "_start", count)
    fields = {"agents": {"guided": "reference:guided", "chatter": "off-topic"}, "users": ["cir6-pkg"], "n": 12}
    study = study_of({**fields, "seed": 3, "out": tmp_path, "jobs": 2})
    simulate(study)
    assert starts == [2]
    for name in ("dialogues.jsonl", "baselines/dialogues.jsonl"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()
    simulate(study)
    assert starts == [2]  # nothing is left to do
