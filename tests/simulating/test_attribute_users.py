"""Users who answer questions about attributes, from the simulation to the report and the passport."""

from collections.abc import Sequence
from email.message import Message
from pathlib import Path

import pytest

from trialogue.agents.base import SimpleSession
from trialogue.agents.protocols.exchange import Exchange, turn_in
from trialogue.agents.registry import make_agent
from trialogue.agents.replies import turn_of
from trialogue.inputs.knowledge import load_catalogue
from trialogue.inputs.simulated_folder import baselines_in
from trialogue.records import Dialogue, Ending, Utterance, read_records
from trialogue.render.media.terminal import document_text
from trialogue.simulating.simulate import simulate
from trialogue.simulation.attributes.kinds import AttributeKind
from trialogue.simulation.batch.plan import Plan
from trialogue.simulation.batch.simulation_file import study_of
from trialogue.simulation.batch.workers import DialogueRunner
from trialogue.simulation.users.world import World
from trialogue.subjects.evaluation.commands.evaluate import evaluate
from trialogue.subjects.simulated_users.commands.passport import passport
from trialogue.subjects.simulated_users.commands.simulated_sample import PassportPlan
from trialogue.subjects.simulated_users.pages.document import passport_document
from trialogue.transport.http import HttpResponse

NAME = "target-item:attributes"
FIELDS = {"agents": ["reference:genre-led", "reference:guided"], "users": [NAME], "n": 12, "seed": 3}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("simulated")
    simulate(study_of({**FIELDS, "out": out}))
    return out


def test_two_processes_write_the_same_bytes_as_one(folder: Path, tmp_path: Path) -> None:
    simulate(study_of({**FIELDS, "out": tmp_path, "jobs": 2}))
    for name in ("dialogues.jsonl", "baselines/ledger.jsonl"):
        assert (folder / name).exists() is (tmp_path / name).exists()
    assert (folder / "dialogues.jsonl").read_bytes() == (tmp_path / "dialogues.jsonl").read_bytes()
    assert list(baselines_in(folder)) == list(baselines_in(tmp_path))


def test_the_report_ranks_an_agent_that_asks_for_attributes_and_nonsense_meets_no_need(folder: Path) -> None:
    leagues = evaluate(folder / "dialogues.jsonl", metrics=["need_met"], resamples=100).findings.leagues
    (league,) = (each for each in leagues if str(each.measure.name).startswith("need_met"))
    values = {each.system: each.estimate.value for each in (*league.standings, *league.baselines)}
    assert values["reference:genre-led"] is not None
    assert values["reference:genre-led"] > 0.3
    assert values["off-topic"] == values["echo"] == 0
    dialogues = list(read_records(folder / "dialogues.jsonl", Dialogue))
    assert {each.source for each in dialogues} == {f"simulated/{NAME}"}
    assert {each.ended_by for each in dialogues} == {Ending.USER_ENDED, Ending.TURN_LIMIT}


def test_the_passport_finds_no_fault_of_the_users_and_that_they_ask_no_model(folder: Path) -> None:
    plan = PassportPlan(("reference:genre-led", "reference:guided"), n=6, seeds=1, ways=())
    found = passport(NAME, plan=plan, out=folder / "of-kind", resamples=50)
    assert found.gates is not None
    assert [share.simulated.value for share in found.gates.shares if share.simulated.value] == []
    assert found.cost is not None
    assert "language model" not in (document_text(passport_document(found)).partition("Gates")[0])


class Chooser(SimpleSession):
    """An agent that answers with letters, asks for everything once, and recommends what has all the values it was told."""

    name = "chooser"
    sessions_at_once = None

    def __init__(self) -> None:
        self.catalogue = load_catalogue().catalogue
        self.left = list("ABC")
        self.told: list[str] = []

    def open(self, dialogue_id: str, *, seed: int) -> "Chooser":
        return Chooser()

    def reply(self, history: Sequence[Utterance]):  # type: ignore[no-untyped-def]
        if len(history) > 1:
            self.told += history[-1].text.rstrip(".").split(", ")
        if self.left:
            return turn_of(self.left.pop(0))
        wanted = set(self.told)
        match = next(
            item for item in self.catalogue.values()
            if wanted <= {value for values in item.attributes.values() for value in values}
        )  # fmt: skip
        return turn_of({"text": "I recommend this one.", "mentions": [{"title": match.title, "item_id": match.id}]})


def test_an_agent_that_answers_with_letters_finds_what_was_described() -> None:
    known = load_catalogue()
    users = AttributeKind().settle(World(known.catalogue, known.ratings))
    plan = Plan(("chooser",), (NAME,), 10, seed=1)
    found = [DialogueRunner()(Chooser(), users, task) for task in plan]
    assert sum(each.ended_by is Ending.USER_ENDED for each in found) == 10
    assert all(
        [said.meta.get("asked") for said in each.utterances[2:7:2]] == [["genre"], ["actor"], ["director"]]
        for each in found
    )


def test_an_option_in_an_http_response_reaches_the_user() -> None:
    exchange = Exchange(reply="text", keep={"option": "choice"})
    body = HttpResponse(200, Message(), b'{"text": "Let me see.", "choice": "C"}', 0.0)
    turn = turn_in(body, exchange, longest=100, latency_s=None)
    known = load_catalogue()
    user = AttributeKind().settle(World(known.catalogue, known.ratings)).new("1", seed=1)
    director = known.catalogue[user.need.targets[0]].attributes["director"]
    said = user.answer(turn)
    assert isinstance(said, Utterance)
    assert said.text == f"{', '.join(director)}."


def test_replies_that_are_worse_for_the_user_are_worse_for_the_agent() -> None:
    known = load_catalogue()
    users = AttributeKind().settle(World(known.catalogue, known.ratings))
    for reply in ("A", "Which genre, star and director?", "D", "recommend", "Yes, that is it!", "No information."):
        agent = make_agent({"agent": "fixed", "text": reply})
        for task in Plan(("fixed",), (NAME,), 3, seed=1):
            assert DialogueRunner()(agent, users, task).ended_by is Ending.TURN_LIMIT
