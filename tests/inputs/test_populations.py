"""Fingerprints of populations: what changes them, and what does not."""

from tests.subjects.board.commands.made import evaluated, share, simulated, talk
from tests.workflows.made import dialogue, good_and_bad, offline
from trialogue.inputs.populations import populations_of
from trialogue.records import Dialogue, PopulationKind, Response, Role, Situation


def test_two_systems_with_the_same_needs_have_one_sample_and_other_replies() -> None:
    one, other = populations_of([*simulated("a", share(0.5)), *simulated("b", share(0.9))])
    assert (one.kind_of, one.users, one.units) == (PopulationKind.SIMULATED, "sim", 40)
    assert one.sample == other.sample
    assert one.replies != other.replies


def test_another_seed_is_another_sample_though_users_have_the_same_codes() -> None:
    one, other = (populations_of(simulated("a", share(0.5), seed=seed))[0] for seed in (0, 1))
    assert one.sample != other.sample


def test_the_order_of_dialogues_does_not_matter_but_their_number_does() -> None:
    talks = simulated("a", share(0.5))
    assert populations_of(talks) == populations_of(list(reversed(talks)))
    assert populations_of(talks)[0].sample != populations_of([*talks, talks[0]])[0].sample


def test_simulated_users_without_needs_are_an_unknown_sample() -> None:
    talks = [each.model_copy(update={"need": None}) for each in simulated("a", share(0.5))]
    assert populations_of(talks)[0].sample is None


def test_what_the_agent_named_is_no_part_of_the_sample() -> None:
    one, other = talk("a", 1, met=True), talk("a", 1, met=False)
    assert one.need != other.need  # fits hold what the agent named
    assert populations_of([one])[0].sample == populations_of([other])[0].sample


def test_people_are_their_dialogues() -> None:
    one = populations_of([dialogue(1, "a", satisfied=True)])[0]
    other = populations_of([dialogue(2, "a", satisfied=True)])[0]
    assert one.kind_of is PopulationKind.PEOPLE
    assert one.sample != other.sample


def test_situations_are_those_that_were_given_whoever_answered_them() -> None:
    records = offline()
    situations = [each for each in records if isinstance(each, Situation)]
    responses = [each for each in records if isinstance(each, Response)]
    echo, mute = populations_of([], situations, responses)
    assert (echo.kind_of, echo.units) == (PopulationKind.SITUATIONS, 12)
    assert echo.sample == mute.sample
    assert echo.replies != mute.replies
    fewer = populations_of([], situations, [each for each in responses if each.situation_id != "s0"])
    assert fewer[0].sample == echo.sample  # a system that abstains was asked all the same
    changed = [situations[0].model_copy(update={"reference": situations[1].reference}), *situations[1:]]
    assert populations_of([], changed, responses)[0].sample != echo.sample


def test_baselines_have_no_population() -> None:
    talks = [each.model_copy(update={"role": Role.BASELINE}) for each in simulated("a", share(0.5))]
    assert populations_of(talks) == ()


def test_a_run_keeps_the_populations_of_its_systems() -> None:
    records = [each for each in good_and_bad() if isinstance(each, Dialogue)]
    assert [each.system for each in evaluated(records, ["length@words"]).findings.populations] == ["bad", "good"]
