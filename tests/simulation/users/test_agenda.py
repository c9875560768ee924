from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.simulation.made import dialogue, rng
from trialogue.errors import UnknownNameError, UsageError
from trialogue.simulation.actions import QRFA_RELEASED
from trialogue.simulation.bundled import bundled_dialogues
from trialogue.simulation.users.agenda import (
    INITIALISERS,
    Cir6,
    UpdateRule,
    continuation,
    initialiser,
    walk,
)
from trialogue.simulation.users.course import Course
from trialogue.simulation.users.interaction import InteractionModel, class_bigrams, fit_interaction, labels_of

DRAWS = 2000
# user_simulation.md §3.3; cap 25 was computed once with an independent script (4,000 draws), the others are the spec's
LENGTHS = {
    "corpus": (9.2, 14.84, 20.24),  # AvgTurns of real users
    "cir6-released": (6.9, 8.3, 8.1),
    "cir6": (8.8, 12.1, 12.9),
    "cir6-any": (9.5, 15.3, 20.7),
    "qrfa-chain": (9.5, 12.2, 13.0),
    "qrfa-top10": (11.1, 18.6, 21.2),
}


@pytest.fixture(scope="module")
def model() -> InteractionModel:
    return fit_interaction(bundled_dialogues())


@given(seed=st.integers(0, 2**32), name=st.sampled_from(sorted(INITIALISERS)))
def test_an_agenda_begins_with_the_opening_and_holds_labels_of_the_model(seed: int, name: str) -> None:
    model = fit_interaction(bundled_dialogues())
    agenda = initialiser(name)(model, rng(seed))
    assert agenda[0] == model.opening_label
    assert set(agenda) <= set(model.labels)
    assert initialiser(name)(model, rng(seed)) == agenda


@given(seed=st.integers(0, 2**32))
def test_cir6_discloses_soon_and_keeps_its_cap(seed: int) -> None:
    agenda = Cir6(cap=12)(fit_interaction(bundled_dialogues()), rng(seed))
    assert len(agenda) <= 12
    assert "Disclose" in agenda[:5]


def test_a_model_that_never_discloses_is_not_asked_to(model: InteractionModel) -> None:
    plain = fit_interaction([dialogue("u:Non-disclose", "a:Elicit", "u:Note", "a:Record")])
    for draw in INITIALISERS.values():
        assert draw(plain, rng()) in {("Non-disclose", "Note"), ("Non-disclose",)}


def test_a_chain_without_an_end_is_cut() -> None:
    endless = InteractionModel("x", {"Non-disclose": {"Disclose": 1}, "Disclose": {"Disclose": 1}}, {}, {}, (), {}, 1)
    assert len(Cir6(cap=12)(endless, rng())) == 12
    assert len(Cir6(cap=None)(endless, rng())) == 1000
    assert len(initialiser("qrfa-chain")(endless, rng())) == 40
    assert len(continuation(endless, "Disclose", rng())) == 25


def test_a_continuation_starts_after_the_label(model: InteractionModel) -> None:
    nexts = {continuation(model, "Complete", rng(seed)) for seed in range(30)}
    assert () in nexts
    only = fit_interaction([dialogue("u:Disclose", "a:List", "u:Note", "a:Record")])
    assert continuation(only, "Disclose", rng()) == ("Note",)
    assert continuation(only, "Note", rng()) == ()
    assert continuation(only, "unheard of", rng()) == ()


def test_a_walk_stops_one_beyond_the_longest(model: InteractionModel) -> None:
    loop = {"a": model.next_label["Non-disclose"].__class__({"a": 1})}
    assert walk(loop, "a", rng(), longest=4) == ["a"] * 5


def test_a_replacement_answers_the_agents_label_or_any_if_it_is_unknown(model: InteractionModel) -> None:
    only = fit_interaction(
        [dialogue("u:Non-disclose", "a:Elicit", "u:Disclose", "a:List", "u:Note", "a:Record", "u:Complete")]
    )
    course = Course(only, QRFA_RELEASED)
    assert course.replace("Disclose", "List", rng()) == "Note"
    for heard in (None, "Fail"):
        assert {course.replace("Note", heard, rng(seed)) for seed in range(40)} == {"Disclose", "Note", "Complete"}


def test_unknown_update_rules_are_refused() -> None:
    with pytest.raises(UsageError, match="'last' or 'first'"):
        UpdateRule(decides="loudest")  # type: ignore[arg-type]


def test_unknown_ways_to_draw_are_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="cir6-released"):
        initialiser("cir7")


@pytest.mark.mirror
@pytest.mark.parametrize("name", LENGTHS)
def test_agendas_of_the_annotated_files_are_as_long_as_those_of_the_released_code(mirror: Path, name: str) -> None:
    from trialogue.datasets.corpora.kdd2020 import read_file

    stems = ("1219_andchill", "1225_mb", "1224_ms")
    files = [list(read_file(mirror / "kdd2020" / f"{stem}.json", note=lambda _: None)) for stem in stems]
    usual = class_bigrams(labels_of(each) for messages in files for each in messages)
    for messages, expected in zip(files, LENGTHS[name], strict=True):
        fitted, drawn = fit_interaction(messages, usual=usual), rng(7)
        lengths = np.array([len(initialiser(name)(fitted, drawn)) for _ in range(DRAWS)])
        error = 4 * lengths.std() / DRAWS**0.5 + 0.05  # Monte-Carlo error, and the rounding of the expected number
        assert abs(lengths.mean() - expected) < error, (expected, lengths.mean())
