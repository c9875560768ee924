"""Users fitted on people write like one of them each, copy no long message, and stay the same for a seed."""

from functools import partial

import pytest

from tests.simulation.made import film_ratings, films, rng
from trialogue.agents import make_agent
from trialogue.fingerprints import normalise
from trialogue.inputs.knowledge import load_catalogue
from trialogue.records import Dialogue
from trialogue.simulation import Users, fit_users
from trialogue.simulation.bundled import bundled_dialogues
from trialogue.simulation.dialogue import converse
from trialogue.simulation.language.rewording import is_long
from trialogue.simulation.users.agenda import INITIALISERS, draw_near
from trialogue.simulation.users.interaction import fit_interaction
from trialogue.simulation.users.population import UserModel

N = 40


@pytest.fixture(scope="module")
def model() -> UserModel:
    return fit_users(bundled_dialogues("guided"), films(), film_ratings(), calibrate=False)


def simulated(model: UserModel, **options: str) -> list[Dialogue]:
    known = load_catalogue()
    assert known.ratings is not None
    users = Users(model.with_options(**options), known.catalogue, known.ratings)
    agent = make_agent("reference:guided")
    return [
        converse(agent, users.new(str(case), seed=3), str(case), seed=case).as_dialogue(str(case)) for case in range(N)
    ]


def long_messages(dialogues: list[Dialogue]) -> list[str]:
    texts = [each.text for dialogue in dialogues for each in dialogue.utterances if each.speaker == "user"]
    return [normalise(text) for text in texts if is_long(normalise(text))]


def test_no_long_message_of_theirs_is_one_they_were_fitted_on(model: UserModel) -> None:
    written = set(long_messages(list(bundled_dialogues("guided"))))
    shares = {}
    for style in ("personal", "pooled"):
        said = long_messages(simulated(model, style=style))
        assert len(said) > N
        shares[style] = sum(text in written for text in said) / len(said)
    assert shares["personal"] <= 0.02 < 0.1 < shares["pooled"]


def test_the_same_seed_gives_the_same_dialogues(model: UserModel) -> None:
    assert simulated(model) == simulated(model)


def test_what_a_message_names_stands_where_it_says(model: UserModel) -> None:
    named = 0
    for dialogue in simulated(model):
        for said in dialogue.utterances:
            for mention in (said.mentions or ()) if said.speaker == "user" else ():
                named += 1
                assert mention.start is not None
                assert mention.end is not None
                piece = said.text[mention.start : mention.end].casefold()
                assert piece
                assert mention.title.casefold().startswith(piece)
    assert named > 0


def test_users_without_learned_styles_are_as_before(model: UserModel) -> None:
    plain = fit_users(bundled_dialogues("guided"), films(), film_ratings(), calibrate=False, styles=False)
    assert plain.styles == ()
    assert len(model.styles) == len(bundled_dialogues("guided"))
    assert simulated(plain) == simulated(plain, style="pooled")


def test_the_agenda_of_several_that_is_nearest_in_length_is_taken() -> None:
    chain = fit_interaction(bundled_dialogues())
    draw = INITIALISERS["cir6"]
    for wanted in (3, 20):
        source = rng(5)
        lengths = [len(draw(chain, source)) for _ in range(4)]
        nearest = min(lengths, key=lambda length: abs(length - wanted))
        assert len(draw_near(partial(draw, chain), wanted, rng(5), label="Complete", goodbye=True)) == nearest


def test_the_agenda_says_goodbye_as_the_person_did_where_one_of_those_drawn_does() -> None:
    chain = fit_interaction(bundled_dialogues())
    draw, label = INITIALISERS["cir6"], chain.space.roles.complete
    mixed = 0
    for seed in range(60):
        source = rng(seed)
        ends = [label in draw(chain, source) for _ in range(4)]
        mixed += len(set(ends)) == 2
        for goodbye in (True, False):
            taken = label in draw_near(partial(draw, chain), 8, rng(seed), label=label, goodbye=goodbye)
            assert taken is (goodbye if goodbye in ends else not goodbye)
    assert mixed > 5
