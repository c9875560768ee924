"""The compact letter display."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from tests.render.made import SATISFIED, many, metric_leagues, nine, one, satisfaction
from trialogue.findings import League
from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.render.compact_letters import league_letters, letter_display, uncompared_systems
from trialogue.subjects.evaluation.pages.explorer_links import explorer_links
from trialogue.subjects.evaluation.pages.league import Systems, league_cells

NAMES = ["A", "B", "C", "D", "E", "F"]
PAIRS = [frozenset(pair) for pair in combinations(NAMES, 2)]


@given(st.sets(st.sampled_from(PAIRS)))
def test_two_share_a_letter_if_and_only_if_they_are_not_different(different: set[frozenset[str]]) -> None:
    letters = letter_display(NAMES, different)
    for a, b in combinations(NAMES, 2):
        assert bool(set(letters[a]) & set(letters[b])) == (frozenset((a, b)) not in different)


@given(st.sets(st.sampled_from(PAIRS)), st.randoms(use_true_random=False))
def test_the_order_of_the_differences_does_not_matter(different: set[frozenset[str]], random: object) -> None:
    pairs = sorted(different, key=sorted)
    shuffled = list(pairs)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert letter_display(NAMES, pairs) == letter_display(NAMES, shuffled)


def test_piephos_chain_of_overlapping_groups() -> None:
    # A-C, A-D and B-D differ: AB, BC and CD do not.
    different = [frozenset("AC"), frozenset("AD"), frozenset("BD")]
    assert letter_display(["A", "B", "C", "D"], different) == {"A": "a", "B": "ab", "C": "bc", "D": "c"}


def test_nobody_has_no_letters_and_one_has_an_a() -> None:
    assert letter_display([], []) == {}
    assert letter_display(["A"], []) == {"A": "a"}


def test_more_letters_than_the_alphabet_has_are_not_shown() -> None:
    names = [f"s{place:02d}" for place in range(27)]
    assert letter_display(names, [frozenset(pair) for pair in combinations(names, 2)]) == {}


def test_a_league_has_letters_only_where_it_ranks_and_a_difference_holds() -> None:
    assert league_letters(nine().leagues[0])["chatgpt_opendialkg"] == "a"
    assert league_letters(one().leagues[0]) == {}
    same = {system: (n, 0.3) for system, (n, _) in SATISFIED.items()}
    assert league_letters(satisfaction(same)) == {}
    length = next(each for each in metric_leagues({"a": 30, "b": 30}) if each.measure.title == "Reply length")
    assert league_letters(length) == {}


def test_twenty_four_systems_get_letters_quickly() -> None:
    assert len(league_letters(many().leagues[0])) == 24


def without(pairs: set[frozenset[str]]) -> League:
    """Satisfaction of four systems, A and B far above C and D, where some pairs were not compared."""
    league = satisfaction({"A": (60, 0.9), "B": (60, 0.85), "C": (60, 0.2), "D": (60, 0.15)})
    missing = Estimate(value=None, why=Reason.of(ReasonCode.REPLY_COUNTS_DIFFER, a=120, b=300))
    return league.model_copy(
        update={
            "contrasts": tuple(
                each.model_copy(update={"difference": missing, "p_adjusted": None, "verdict": "undefined"})
                if frozenset((each.a, each.b)) in pairs
                else each
                for each in league.contrasts
            )
        }
    )


def test_a_system_that_was_compared_with_nobody_has_no_letter_and_the_others_keep_theirs() -> None:
    league = without({frozenset("AD"), frozenset("BD"), frozenset("CD")})
    assert uncompared_systems(league) == {"D"}
    assert league_letters(league) == {"A": "a", "B": "a", "C": "b"}


def test_two_that_were_not_compared_both_lose_their_letters_since_neither_is_the_odd_one() -> None:
    assert uncompared_systems(without({frozenset("AB")})) == {"A", "B"}
    assert uncompared_systems(without(set())) == frozenset()


def test_where_few_pairs_were_compared_nobody_has_a_letter_since_a_lone_a_would_look_like_a_winners() -> None:
    """A and D were compared and differ; B and C with nobody. Two of four are no majority."""
    league = without({frozenset(pair) for pair in combinations("ABCD", 2)} - {frozenset("AD")})
    assert uncompared_systems(league) == {"B", "C"}
    assert [each.verdict for each in league.contrasts if {each.a, each.b} == {"A", "D"}] == ["a"]
    assert league_letters(league) == {}


def test_a_pair_that_is_missing_from_the_comparisons_was_not_compared() -> None:
    league = without(set())
    kept = tuple(each for each in league.contrasts if "D" not in (each.a, each.b))
    league = league.model_copy(update={"contrasts": kept})
    assert uncompared_systems(league) == {"D"}
    assert "D" not in league_letters(league)


def test_systems_that_were_compared_with_nobody_are_all_left_out() -> None:
    nothing = without({frozenset(pair) for pair in combinations("ABCD", 2)})
    assert uncompared_systems(nothing) == set("ABCD")
    assert league_letters(nothing) == {}


@given(st.sets(st.sampled_from([frozenset(pair) for pair in combinations("ABCD", 2)])))
def test_any_two_with_letters_were_compared_and_differ_if_and_only_if_they_share_none(
    missing: set[frozenset[str]],
) -> None:
    league = without(missing)
    letters = league_letters(league)
    verdicts = {frozenset((each.a, each.b)): each.verdict for each in league.contrasts}
    for a, b in combinations(letters, 2):
        verdict = verdicts[frozenset((a, b))]
        assert verdict != "undefined"
        assert (verdict == "inconclusive") == bool(set(letters[a]) & set(letters[b]))
    assert len(letters) == 0 or len(letters) > 2


def test_a_system_that_is_better_on_equal_terms_though_not_by_its_value_has_a_note() -> None:
    """A has .9 and C .2; at equal amounts of text C was better."""
    league = without(set())
    turned = tuple(
        each.model_copy(update={"verdict": "b"}) if (each.a, each.b) == ("A", "C") else each
        for each in league.contrasts
    )
    systems = Systems(tuple("ABCD"), {}, explorer_links(nine(), there=False), {})
    cells = league_cells(league.model_copy(update={"contrasts": turned}), systems)
    assert cells["C"].note.startswith(
        "Significantly better than A on equal terms (equal amounts of text, or the same situations)"
    )
    assert [cells[name].note for name in "ABD"] == ["", "", ""]
    assert {cell.note for cell in league_cells(league, systems).values()} == {""}
