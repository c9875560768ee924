"""The league table and the head to head."""

from hypothesis import given
from hypothesis import strategies as st

from tests.report.made import measure, nine, two, undefined
from trialogue.findings import Contrast, League, Standing
from trialogue.records import VOTES, Estimate, Interval, Reason, ReasonCode
from trialogue.report.evaluation.page import cards_of
from trialogue.report.head_to_head import compare_head_to_head, contrast_between, turn_contrast
from trialogue.report.league_table import Notes, column, league_table
from trialogue.report.measures import WIDEST, all_leagues, group_by_judges, systems_in_order
from trialogue.report.plots.panels import parts_of


def test_people_stand_first_then_votes_then_metrics_and_each_variant_has_its_own_column() -> None:
    names = [league.measure.name for league in all_leagues(nine())]
    assert names[:2] == ["human:satisfaction", VOTES]
    assert "distinct(n=2)@ratio|v1" in names
    assert "distinct(n=2)@per_response|v1" in names
    assert len(names) == len(set(names)) == 9


def test_rows_follow_the_primary_measure() -> None:
    assert systems_in_order(nine())[0] == "chatgpt_opendialkg"
    assert systems_in_order(nine().model_copy(update={"primary": None}))[0] == "barcor_opendialkg"


def test_a_wide_table_is_split_into_parts_that_fit() -> None:
    findings = nine()
    table = league_table(all_leagues(findings), systems_in_order(findings))
    assert [len(block.columns) for block in table.blocks] == [5, 4]  # 9 columns; 7 fit, so two parts of equal width
    assert max(len(block.columns) for block in table.blocks) <= WIDEST
    assert table.blocks[0].groups == [("People", 2), ("Metrics", 3)]


def test_an_undefined_cell_is_a_dash_with_its_reason_in_a_note() -> None:
    findings = undefined()
    table = league_table(all_leagues(findings), systems_in_order(findings))
    cell = table.blocks[0].columns[0].cells["empty"]
    assert (cell.text, cell.bar, cell.interval) == ("—", None, "")
    assert cell.note is not None
    assert "no dialogue of this system mentions an item" in table.notes[cell.note - 1]
    unmeasured = table.blocks[0].columns[1].cells["empty"]
    assert unmeasured.note is not None
    assert table.notes[unmeasured.note - 1] == "Not measured for this system."


def test_equal_notes_share_a_number() -> None:
    notes = Notes()
    assert [notes.number_of("a"), notes.number_of("b"), notes.number_of("a")] == [1, 2, 1]


def test_what_was_left_out_is_counted_once() -> None:
    def cell_note(skipped: int, left_out: Reason | None) -> str:
        estimate = Estimate(value=1.0, interval=Interval(low=0, high=2, method=""), n=9)
        league = League(
            measure=measure("x@y|v1", "X"),
            standings=(Standing(system="s", estimate=estimate, skipped=skipped, left_out=left_out),),
        )
        notes = Notes()
        column(league, ["s"], notes)
        return " ".join(notes.texts)

    empty = Reason.of(ReasonCode.LEFT_OUT_FOR_ONE_REASON, Reason.of(ReasonCode.REPLY_EMPTY), units=2)
    assert cell_note(2, empty) == "2 units left out because the reply is empty."
    assert cell_note(1, None) == "1 unit left out as undefined."
    assert cell_note(0, None) == ""


def test_systems_that_may_be_the_best_are_marked_only_where_others_cannot() -> None:
    findings = nine()
    cells = league_table(findings.leagues, systems_in_order(findings)).blocks[0].columns[0].cells
    leading = {system for system, cell in cells.items() if cell.leads}
    assert leading == {"chatgpt_opendialkg", "chatgpt_redial", "barcor_redial"}


def test_head_to_head_puts_the_leader_left_and_says_who_is_better() -> None:
    findings = two()
    found = compare_head_to_head(all_leagues(findings), systems_in_order(findings))
    assert (found.a, found.b) == ("with_reranker", "baseline")
    first = found.rows[0]
    assert (first.difference[0], first.winner, first.verdict, first.p) == ("+", "with_reranker", "is better", "< .001")
    assert {row.title: row.verdict for row in found.rows}["Turns"] == "not ranked"


def test_a_missing_comparison_is_said() -> None:
    findings = two()
    league = findings.leagues[0].model_copy(update={"contrasts": ()})
    row = compare_head_to_head([league], systems_in_order(findings)).rows[0]
    assert (row.difference, row.p, row.verdict, row.bar) == ("—", "—", "not compared", None)
    assert row.note == 1


@given(st.floats(-9, 9), st.floats(0, 5), st.floats(0, 5), st.sampled_from(["a", "b", "inconclusive"]))
def test_a_comparison_turned_twice_is_itself(value: float, down: float, up: float, verdict: str) -> None:
    interval = Interval(low=value - down, high=value + up, method="m")
    contrast = Contrast.model_validate(
        {"a": "x", "b": "y", "difference": Estimate(value=value, interval=interval), "verdict": verdict}
    )
    assert turn_contrast(turn_contrast(contrast)) == contrast
    assert turn_contrast(contrast).difference.value == -value


def test_a_comparison_is_found_whichever_way_round_it_is_stored() -> None:
    league = two().leagues[0]
    forth, back = (
        contrast_between(league, "baseline", "with_reranker"),
        contrast_between(league, "with_reranker", "baseline"),
    )
    assert forth is not None
    assert back is not None
    assert (forth.verdict, back.verdict) == ("b", "a")
    assert contrast_between(league, "baseline", "nobody") is None


def simulated(league: League, users: str) -> League:
    """The same league, as if of talks with simulated users."""
    return league.model_copy(update={"measure": league.measure.with_simulated(users)})


def numbered(league: League, place: int) -> League:
    """The same league under a name of its own."""
    measure = league.measure
    return league.model_copy(update={"measure": measure.model_copy(update={"name": f"{measure.name}-{place}"})})


def test_the_main_measures_of_all_judges_stand_side_by_side_and_the_others_are_folded() -> None:
    findings = nine()
    leagues = list(all_leagues(findings))
    ranks = [league for league in leagues if league.measure.by == "metric" and league.measure.better != "neither"]
    talks = [numbered(simulated(ranks[0], users), place) for users in ("kind", "rude") for place in range(9)]
    both = [*(each for each in leagues if each.measure.by == "people"), *talks]
    both += [each for each in leagues if each.measure.by == "metric"]
    table = league_table(both, systems_in_order(findings))
    (first,) = table.blocks
    assert [judge for judge, _ in first.groups] == ["People", "Simulated users", "Metrics"]
    names = [column.name for column in first.columns]
    assert {name.partition(": ")[0] for name in names if ": " in name} == {"kind", "rude"}
    assert all(
        len({column.name.partition(": ")[0] for column in part.columns if ": " in column.name}) <= 1
        for part in table.folded
    )


def test_a_metric_with_simulated_several_users_has_one_card_that_names_its_columns() -> None:
    ranks = next(league for league in all_leagues(nine()) if league.measure.card is not None)
    name = ranks.measure.name
    users = ("kind", "rude: very")  # a colon in the name of users is not where it ends
    ((measure, columns),) = cards_of([ranks, *(simulated(ranks, each) for each in users)])
    assert (measure.name, measure.users) == (name, None)
    assert columns == [name, f"kind: {name}", f"rude: very: {name}"]


def test_columns_of_simulated_users_are_grouped_and_drawn_by_their_users() -> None:
    now = nine()
    columns = all_leagues(now)[-2:]
    talks = tuple(simulated(each, users) for users in ("kind", "rude: very") for each in columns)
    now = now.model_copy(update={"leagues": (*now.leagues, *talks)})
    groups = [group for group in group_by_judges(all_leagues(now)) if group[0].measure.by == "simulation"]
    assert [{league.measure.users for league in group} for group in groups] == [{"kind"}, {"rude: very"}]
    assert [each.measure.measured for each in groups[1]] == [each.measure.name for each in columns]
    figures = [{each.measure.users for each in part} for part, _ in parts_of(all_leagues(now), systems_in_order(now))]
    assert all(len(users) == 1 for users in figures)


def test_rows_of_a_part_are_the_systems_that_have_anything_in_it() -> None:
    findings = nine()
    leagues = list(all_leagues(findings))
    alone = leagues[-1].model_copy(update={"standings": leagues[-1].standings[:1], "contrasts": ()})
    talks = [numbered(simulated(alone, "kind"), place) for place in range(9)]
    table = league_table([*leagues, *talks], systems_in_order(findings))
    inside = [part.systems for part in table.folded if any(column.name.startswith("kind") for column in part.columns)]
    assert set(inside) == {(alone.standings[0].system,)}
