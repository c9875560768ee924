"""Preferences, realism and codes of explanations."""

from pathlib import Path

import numpy as np
import pytest

from tests.subjects.people.made import judged, participants
from trialogue.errors import DataError
from trialogue.inputs.study_data import Code, Presentation
from trialogue.records import Preference
from trialogue.subjects.people import analyse_preferences, analyse_realism


def choice(number: int, a: str, b: str, chosen: str, *, rater: str = "P1", situation: str = "s1") -> Preference:
    """One choice between replies."""
    return Preference.model_validate(
        {"id": str(number), "a": a, "b": b, "choice": chosen, "rater": rater, "situation_id": situation}
    )


def test_table_6_of_kdd_2020_comes_back() -> None:
    """61, 76 and 81 wins, 115, 103 and 93 losses, 49, 46 and 51 ties of 225; shares .35, .42 and .47."""
    published = {"QRFA-Single": (61, 115, 49), "CIR6-Single": (76, 103, 46), "CIR6-PKG": (81, 93, 51)}
    given = []
    for simulator, counts in published.items():
        sides = [side for side, count in zip(("a", "b", "tie"), counts, strict=True) for _ in range(count)]
        for place, side in enumerate(np.random.default_rng(0).permutation(sides).tolist()):
            one = Preference.model_validate(
                {
                    "id": f"{simulator}{place}",
                    "a": simulator,
                    "b": "human",
                    "choice": side,
                    "rater": f"w{place}",
                    "dialogue_a": f"{simulator}{place // 3}",
                    "dialogue_b": f"h{place // 3}",
                    "reason": "because",
                }
            )
            given.append(one)
    found = analyse_realism(given)
    rows = {pair.a: pair for pair in found.pairs}
    for simulator, (wins, losses, ties) in published.items():
        row = rows[simulator]
        assert (row.wins, row.losses, row.ties, row.items) == (wins, losses, ties, 75)
        assert row.exact.value == pytest.approx(wins / (wins + losses))
    assert [rows[name].verdict for name in published] == ["b", "inconclusive", "inconclusive"]


def test_judgements_without_an_explanation_are_left_out() -> None:
    rng = np.random.default_rng(0)
    found = analyse_realism([*judged(rng), *judged(rng, simulator="other", explained=False)])
    assert found.without_reason == 90
    assert {pair.a for pair in found.pairs} == {"sim"}


def test_realism_has_a_row_for_each_recommender() -> None:
    found = analyse_realism(judged(np.random.default_rng(0)))
    assert [pair.group for pair in found.pairs] == ["", "agent0", "agent1", "agent2"]
    assert sum(pair.wins for pair in found.pairs[1:]) == found.pairs[0].wins


def test_sides_do_not_matter() -> None:
    given = [choice(1, "x", "y", "a"), choice(2, "y", "x", "b"), choice(3, "y", "x", "tie")]
    (pair,) = analyse_preferences(given).pairs
    assert (pair.a, pair.wins, pair.losses, pair.ties) == ("x", 2, 0, 1)


def test_the_larger_of_two_clustered_p_values_counts() -> None:
    given = [choice(i, "x", "y", "a", rater=f"P{i % 3}", situation=f"s{i}") for i in range(12)]
    (pair,) = analyse_preferences(given).pairs
    assert pair.p_by_item == 2 / 2**12
    assert pair.p_by_rater == 2 / 2**3
    assert pair.p == pair.p_by_rater
    assert pair.verdict == "inconclusive"


def test_a_preference_for_the_first_side_is_seen() -> None:
    given = [choice(i, "x", "y", "a" if i % 2 else "b", rater=f"P{i}", situation=f"s{i}") for i in range(20)]
    shown = {str(i): Presentation(position=1 if i % 2 else 2) for i in range(20)}
    found = analyse_preferences(given, presentations=shown)
    assert found.first.value == 1
    assert (found.first_p or 1) < 0.01
    assert analyse_preferences(given).first.value is None


def test_three_systems_get_a_ranking() -> None:
    rng = np.random.default_rng(0)
    given = [
        choice(i, *pair, "a" if rng.random() < 0.7 else "b", rater=f"P{i % 20}", situation=f"s{i % 15}")
        for i, pair in enumerate([("x", "y"), ("y", "z"), ("x", "z")] * 20)
    ]
    found = analyse_preferences(given)
    assert found.votes is not None
    assert len(found.votes.strengths) == 3


def test_excluded_people_do_not_choose() -> None:
    given = [choice(i, "x", "y", "a", rater=f"P{i:03d}", situation=f"s{i}") for i in range(6)]
    found = analyse_preferences(given, people=participants(6, flagged=(0, 1)))
    assert found.judgements == 4
    assert any("2 choices of excluded" in warning for warning in found.warnings)


def test_two_choices_under_one_id_are_refused() -> None:
    with pytest.raises(DataError, match="two choices have the id '1'"):
        analyse_preferences([choice(1, "x", "y", "a"), choice(1, "x", "y", "b", rater="P2")])


def test_two_dialogues_of_one_system_rank_nothing() -> None:
    same = Preference(id="9", a="x", b="x", choice="a", rater="P1", dialogue_a="d1", dialogue_b="d2")
    found = analyse_preferences([same, choice(1, "x", "y", "a")])
    assert len(found.pairs) == 1
    assert any("do not rank systems" in warning for warning in found.warnings)


def test_codes_of_two_coders_have_kappa() -> None:
    given = judged(np.random.default_rng(0), pairs=10)
    codes = []
    for place, one in enumerate(given):
        codes.append(Code(one.id, "ann", "grammar" if place % 2 else None))
        codes.append(Code(one.id, "bob", "grammar" if place % 2 or place == 0 else "length"))
    found = {one.code: one for one in analyse_realism(given, codes=codes).codes}
    assert found["grammar"].counts == {"ann": 15, "bob": 16}
    assert (found["grammar"].kappa.value or 0) > 0.9
    assert found["length"].counts == {"ann": 0, "bob": 14}


def test_one_coder_has_no_kappa() -> None:
    given = judged(np.random.default_rng(0), pairs=2)
    found = analyse_realism(given, codes=[Code(given[0].id, "ann", "length")])
    assert found.codes[0].kappa.value is None


@pytest.mark.mirror
def test_the_votes_of_crsarena_are_185_and_one_is_counted_once(mirror: Path) -> None:
    from trialogue.inputs.inputs import gather

    found = analyse_preferences(gather([str(mirror / "crsarena_dial")]).preferences)
    assert found.judgements == 184
    assert found.votes is not None
    assert found.votes.strengths[0].system == "chatgpt_opendialkg"


def test_codes_and_shares_are_those_of_table_7_of_kdd_2020() -> None:
    """Counts by simulator; "in order: Realisticity (41%), Response (23%), and Engagement (19%)"."""
    names = ("realisticity", "engagement", "emotion", "response", "grammar", "length")
    published = {
        "QRFA-Single": (77, 38, 8, 39, 10, 10),
        "CIR6-Single": (76, 31, 8, 53, 15, 3),
        "CIR6-PKG": (74, 33, 15, 34, 14, 9),
    }
    given, codes = [], []
    for simulator, counts in published.items():
        ours = judged(np.random.default_rng(0), pairs=70, simulator=simulator)
        labels = [name for name, count in zip(names, counts, strict=True) for _ in range(count)]
        codes += [Code(one.id, "coder", label) for one, label in zip(ours, labels, strict=False)]
        given += ours
    found = {one.code: one for one in analyse_realism(given, codes=codes).codes}
    assert list(found)[:3] == ["realisticity", "response", "engagement"]
    assert [round(one.share, 2) for one in list(found.values())[:3]] == [0.41, 0.23, 0.19]
    for place, name in enumerate(names):
        assert found[name].by_side == {simulator: counts[place] for simulator, counts in published.items()}
