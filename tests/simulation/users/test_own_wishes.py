"""Users with a need ask for nothing else: not even for more of what they were just shown."""

import pytest

from trialogue.agents.registry import make_agent
from trialogue.inputs.knowledge import load_catalogue
from trialogue.metrics.gates.detect import gates_in, vocabulary_of
from trialogue.records.kinds.suspicions import Gate
from trialogue.simulation.batch.plan import Plan
from trialogue.simulation.batch.workers import DialogueRunner
from trialogue.simulation.users.kinds import load_kind
from trialogue.simulation.users.world import World


@pytest.mark.parametrize("kind", ["cir6-pkg", "qrfa-single"])
def test_no_user_contradicts_their_need(kind: str) -> None:
    known = load_catalogue("demo")
    users = load_kind(kind).settle(World(known.catalogue, known.ratings))
    agent = make_agent("reference:guided")
    tasks = Plan(("guided",), (kind,), 150, seed=4)  # 2 and 1 of these dialogues did
    held = [DialogueRunner()(agent, users, task) for task in tasks]
    vocabulary = vocabulary_of(each.need for each in held if each.need is not None)
    assert not [each.id for each in held if gates_in(each, vocabulary)[Gate.NEED_CONTRADICTED]]
