"""The league table and the head to head."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.render.made import measure, nine, two, undefined
from trialogue.findings import Contrast, Findings, League, Standing
from trialogue.records import VOTES, Estimate, Interval, Reason, ReasonCode
from trialogue.render.document import Medium, Section, Table
from trialogue.render.measures import WIDEST, all_leagues, few_leagues, group_by_judges, is_sparse, systems_in_order
from trialogue.render.plots.panels import parts_of
from trialogue.subjects.evaluation.pages.document import evaluation_document
from trialogue.subjects.evaluation.pages.explorer_links import explorer_links
from trialogue.subjects.evaluation.pages.head_to_head import head_to_head
from trialogue.subjects.evaluation.pages.league import Systems, league_cells, league_table
from trialogue.subjects.evaluation.pages.methods import cards_of


def test_people_stand_first_then_votes_then_metrics_and_each_variant_has_its_own_column() -> None:
    names = [league.measure.name for league in all_leagues(nine())]
    assert names[:2] == ["human:satisfaction", VOTES]
    assert "distinct(n=2)@ratio|v1" in names
    assert "distinct(n=2)@per_response|v1" in names
    assert len(names) == len(set(names)) == 9


def test_rows_follow_the_primary_measure() -> None:
    assert systems_in_order(nine())[0] == "chatgpt_opendialkg"
    assert systems_in_order(nine().model_copy(update={"primary": None}))[0] == "barcor_opendialkg"


def systems_of(findings: Findings) -> Systems:
    return Systems.of(findings, explorer_links(findings, there=False))


def page_leagues(findings: Findings) -> list[Table[str]]:
    """League tables of the page, those that are folded last."""
    tables = evaluation_document(findings).tables_of(Medium.PAGE)
    return [each for each in tables if each.label.startswith(("Systems by measures", "Every other measure"))]


def test_a_wide_table_is_split_into_parts_that_fit() -> None:
    tables = page_leagues(nine())
    assert [len(each.columns) - 1 for each in tables] == [5, 4]  # 9 columns; 7 fit, so two parts of equal width
    assert max(len(each.columns) - 1 for each in tables) <= WIDEST
    judges = [[column.unit.partition(":")[0] for column in each.columns[1:]] for each in tables]
    assert judges[0] == ["People", "People", "Metrics", "Metrics", "Metrics"]


def test_an_undefined_cell_is_a_dash_with_its_reason_in_a_note() -> None:
    findings = undefined()
    table = league_table(all_leagues(findings), systems_of(findings), "t")
    cell = table.columns[1].raw("empty")
    assert (cell.text, cell.bar, cell.interval) == ("—", None, "")
    assert "no dialogue of this system mentions an item" in cell.note
    assert table.columns[2].raw("empty").note == "Not measured for this system."


def test_equal_notes_share_a_number() -> None:
    findings = undefined()
    cells = league_table(all_leagues(findings), systems_of(findings), "t").cells(Medium.PAGE)
    assert len(set(cells.notes)) == len(cells.notes)
    numbers = {cell.number for row in cells.rows for cell in row if not isinstance(cell, str) and cell.note}
    assert numbers == set(range(1, len(cells.notes) + 1))


def test_what_was_left_out_is_counted_once() -> None:
    def cell_note(skipped: int, left_out: Reason | None) -> str:
        estimate = Estimate(value=1.0, interval=Interval(low=0, high=2, method=""), n=9)
        league = League(
            measure=measure("x@y|v1", "X"),
            standings=(Standing(system="s", estimate=estimate, skipped=skipped, left_out=left_out),),
        )
        return league_cells(league, systems_of(nine()))["s"].note

    empty = Reason.of(ReasonCode.LEFT_OUT_FOR_ONE_REASON, Reason.of(ReasonCode.REPLY_EMPTY), units=2)
    assert cell_note(2, empty) == "2 units left out because the reply is empty."
    assert cell_note(1, None) == "1 unit left out as undefined."
    assert cell_note(0, None) == ""


def test_systems_that_may_be_the_best_are_marked_only_where_others_cannot() -> None:
    findings = nine()
    leading = {name for name, cell in league_cells(findings.leagues[0], systems_of(findings)).items() if cell.leads}
    assert leading == {"chatgpt_opendialkg", "chatgpt_redial", "barcor_redial"}


def duel(findings: Findings, *leagues: League) -> list[tuple[str, ...]]:
    table = head_to_head(leagues or all_leagues(findings), systems_of(findings), alpha=0.05)
    return table.cells(Medium.PAGE).texts


def test_head_to_head_puts_the_leader_left_and_says_who_is_better() -> None:
    findings = two()
    table = head_to_head(all_leagues(findings), systems_of(findings), alpha=0.05).cells(Medium.PAGE)
    assert table.heads[1:3] == ("with_reranker", "baseline")
    first, *others = table.texts
    assert (first[3][0], first[-1], first[-2]) == ("+", "with_reranker is better", "< .001")
    assert {row[0].partition("\n")[0]: row[-1] for row in others}["Turns"] == "not ranked"


def test_a_missing_comparison_is_said() -> None:
    findings = two()
    (row,) = duel(findings, findings.leagues[0].model_copy(update={"contrasts": ()}))
    assert row[-1] == "not compared"
    assert "—" not in row[1]


def test_metrics_without_a_value_for_most_systems_are_named_in_a_note_and_not_shown() -> None:
    findings = nine()
    place = next(place for place, each in enumerate(findings.leagues) if each.measure.by == "metric")
    league = findings.leagues[place]
    nothing = Estimate(value=None, why=Reason.other("the dialogue has no reference"))
    standings = [
        each.model_copy(update={"estimate": nothing}) if at else each for at, each in enumerate(league.standings)
    ]
    sparse = league.model_copy(update={"standings": tuple(standings), "contrasts": ()})
    assert is_sparse(sparse)
    assert not any(map(is_sparse, findings.leagues))
    leagues = [sparse if each is league else each for each in findings.leagues]
    findings = findings.model_copy(update={"leagues": tuple(leagues)})
    assert sparse not in few_leagues(findings)
    document = evaluation_document(findings)
    title = document.titles[league.measure.name]
    said = f"{title} (the dialogue has no reference)"
    for medium in (Medium.TERMINAL, Medium.PAGE):
        shown = [each for section in document.sections if not section.fold for each in open_tables(section)]
        tables = [each for each in shown if medium in each.where and each.splits]
        assert tables
        assert not [head for each in tables for head in each.cells(medium).heads if head.startswith(title)]
        notes = [note for each in tables for note in each.notes(medium)]
        assert any("Not shown" in note and said in note for note in notes) == (medium is Medium.PAGE)


def open_tables(section: Section) -> list[Table[Any]]:
    return [each for each in section.parts if isinstance(each, Table)]


def test_no_table_of_any_medium_has_two_columns_of_one_title() -> None:
    findings = nine()
    first, second = findings.leagues[:2]
    twins = [
        first.model_copy(
            update={"measure": first.measure.model_copy(update={"name": f"human:{name}", "measured": f"human:{name}"})}
        )
        for name in ("satisfaction", "Satisfaction", "satis_faction")
    ]
    twins = [League.model_validate(each.model_dump()) for each in twins]
    document = evaluation_document(findings.model_copy(update={"leagues": (*twins, second, *findings.leagues[2:])}))
    for medium in Medium:
        for table in document.tables_of(medium):
            heads = [head.casefold() for head in table.cells(medium).heads if head.strip()]
            assert len(heads) == len(set(heads)), (medium, heads)


@given(st.floats(-9, 9), st.floats(0, 5), st.floats(0, 5), st.sampled_from(["a", "b", "inconclusive"]))
def test_a_comparison_turned_twice_is_itself(value: float, down: float, up: float, verdict: str) -> None:
    interval = Interval(low=value - down, high=value + up, method="m")
    contrast = Contrast.model_validate(
        {"a": "x", "b": "y", "difference": Estimate(value=value, interval=interval), "verdict": verdict}
    )
    assert contrast.turn().turn() == contrast
    assert contrast.turn().difference.value == -value


def test_a_comparison_is_found_whichever_way_round_it_is_stored() -> None:
    league = two().leagues[0]
    forth, back = (
        league.contrast_of("baseline", "with_reranker"),
        league.contrast_of("with_reranker", "baseline"),
    )
    assert forth is not None
    assert back is not None
    assert (forth.verdict, back.verdict) == ("b", "a")
    assert league.contrast_of("baseline", "nobody") is None


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
    first, *folded = page_leagues(
        findings.model_copy(update={"leagues": tuple(each for each in both if each.measure.name != VOTES)})
    )
    judges = list(dict.fromkeys(column.unit.partition(":")[0] for column in first.columns[1:]))
    assert judges == ["People", "Simulated users", "Metrics"]
    assert sum("(kind" in column.head for column in first.columns) == 1
    assert all(
        len({users for users in ("kind", "rude") if any(f"({users}" in column.head for column in part.columns)}) <= 1
        for part in folded
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
    table = league_table(talks, systems_of(findings), "t")
    assert table.rows == [alone.standings[0].system]
