"""Faults of users where the catalogue of their needs is known, and where it is not."""

from dataclasses import replace
from pathlib import Path

import pytest

from trialogue.analysis.system_facts import faults_of_users
from trialogue.catalogue import Catalogue, Item
from trialogue.inputs.inputs import gather
from trialogue.inputs.knowledge import facts_of_catalogue
from trialogue.inputs.link import catalogue_step, link_step
from trialogue.records import Dialogue, Mention, Need, Utterance, write_records
from trialogue.records.kinds.suspicions import Gate
from trialogue.simulating.simulate import simulate
from trialogue.simulation.batch.simulation_file import study_of
from trialogue.subjects.evaluation.commands.evaluate import evaluate
from trialogue.subjects.simulated_users.commands.sides import gate_flags
from trialogue.workflows.experiment.file import experiment_of
from trialogue.workflows.experiment.simulating import catalogue_of

ITEMS = (
    Item(id="1", title="Ronin", year=1998, attributes={"actor": ("Jean Reno", "Natascha McElhone")}),
    Item(id="2", title="Léon", year=1994, attributes={"actor": ("Jean Reno", "Natalie Portman")}),
)
LEAK = {("s", "d"): (Gate.TARGET_LEAKED,)}


@pytest.fixture
def catalogue(tmp_path: Path) -> str:
    path = tmp_path / "films.jsonl"
    Catalogue.from_items(ITEMS).write(path)
    return str(path)


NEED = Need(id="n", acceptable=("1",))


def talk(*, need: Need | None = NEED) -> Dialogue:
    said = Utterance(speaker="user", text="That one with Jean Reno and Natascha McElhone, please.", mentions=())
    return Dialogue(id="d", system="s", utterances=(said, Utterance(speaker="system", text="I see.")), need=need)


def test_descriptions_are_found_where_the_catalogue_is_known(catalogue: str) -> None:
    assert faults_of_users([talk()], catalogue) == LEAK
    assert faults_of_users([talk()]) == {}
    assert faults_of_users([talk(need=None)], catalogue) == {}
    assert gate_flags([talk()], catalogue).flags[0][Gate.TARGET_LEAKED] is True
    assert gate_flags([talk()]).flags[0][Gate.TARGET_LEAKED] is False


def test_a_catalogue_that_is_gone_or_says_nothing_of_people_has_no_facts(tmp_path: Path) -> None:
    for name in (None, str(tmp_path / "gone.jsonl"), "movielens-latest-small"):
        assert facts_of_catalogue(name) is None
    assert facts_of_catalogue("demo") is facts_of_catalogue("demo") is not None


def test_an_evaluation_that_links_titles_knows_the_catalogue(catalogue: str, tmp_path: Path) -> None:
    records = tmp_path / "talks.jsonl"
    write_records(records, [talk()])
    assert evaluate(records, metrics=["need_met"], resamples=10).faults == {}
    for step in (link_step(catalogue), catalogue_step(catalogue)):
        assert evaluate(records, metrics=["need_met"], resamples=10, steps=[step]).faults == LEAK


def test_the_folder_of_a_simulation_says_what_its_needs_are_about(tmp_path: Path) -> None:
    fields = {"agents": ["reference:guided"], "users": ["cir6-pkg"], "n": 1, "out": tmp_path / "a", "baselines": 0}
    dialogues = simulate(study_of(fields)).dialogues
    assert gather([str(dialogues)]).catalogue == "demo"
    assert gather([str(tmp_path / "a")]).catalogue == "demo"
    alone = tmp_path / "talks.jsonl"
    write_records(alone, [talk()])
    assert gather([str(alone)]).catalogue is None
    leaky = gather([str(dialogues)])
    film = Need(id="n", acceptable=("gladiator-2000",))
    text = "with Russell Crowe and Joaquin Phoenix"
    said = (Utterance(speaker="user", text=text, mentions=(Mention(title="Up", item_id="up-2009"),)),)
    leaky = replace(leaky, dialogues=[talk().model_copy(update={"utterances": said, "need": film})])
    assert faults_of_users(leaky.dialogues, leaky.catalogue) == LEAK


def test_stages_of_an_experiment_know_the_catalogue(catalogue: str, tmp_path: Path) -> None:
    simulation = {"agents": ["reference:guided"], "users": ["cir6-pkg"], "catalogue": catalogue}
    found = experiment_of({"simulate": simulation, "dialogues": "demo", "catalogue": "demo", "out": tmp_path / "out"})
    assert catalogue_of(found, "cir6-pkg") == catalogue
    assert catalogue_of(found, None) == "demo"
    assert catalogue_of(experiment_of({"dialogues": "demo", "out": tmp_path / "out"}), None) is None
