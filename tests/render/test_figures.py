"""Figures: the right ones, valid, the same every time, whatever the names."""

import xml.etree.ElementTree as ET
from collections.abc import Callable

import pytest

from tests.render.made import ALL, hostile, league, many, measure, nine, one, two, undefined
from trialogue.findings import Findings, Sensitivity
from trialogue.records import Estimate
from trialogue.render.drawing.marks import TextMark, text_width
from trialogue.render.drawing.theme import DARK, LIGHT, SERIES, system_colors
from trialogue.render.plots import Figure, figures
from trialogue.render.plots.histograms import bins_of


def names(findings: Findings) -> list[str]:
    return [figure.name for figure in figures(findings)]


def test_nine_systems_get_every_kind_of_figure() -> None:
    assert names(nine()) == [
        "forest-human-satisfaction",
        "pairs-human-satisfaction",
        "votes",
        "spread-human-satisfaction",
        "forest-metrics",
        "spread-metrics",
        "variants-distinct",
    ]


def test_two_systems_get_their_differences_and_no_matrix() -> None:
    found = names(two())
    assert found[0] == "differences"
    assert not [name for name in found if name.startswith("pairs")]


def test_one_system_gets_no_comparison() -> None:
    assert names(one()) == [
        "forest-human-satisfaction",
        "spread-human-satisfaction",
        "forest-metrics",
        "spread-metrics",
    ]


def test_a_measure_without_any_value_is_not_drawn() -> None:
    assert not any("recall" in figure.alt.lower() for figure in figures(undefined()))


@pytest.mark.parametrize("make", ALL.values(), ids=ALL)
def test_every_svg_is_valid_says_what_it_shows_and_is_the_same_again(make: Callable[[], Findings]) -> None:
    for figure, again in zip(figures(make()), figures(make()), strict=True):
        root = ET.fromstring(figure.svg)
        space = "{http://www.w3.org/2000/svg}"
        assert root.findtext(f"{space}title")
        assert len(root.findtext(f"{space}desc") or "") > 40
        ET.fromstring(figure.inline)
        assert figure.svg == again.svg
        assert "nan" not in figure.svg
        assert figure.caption
        assert figure.caption.endswith(".")


@pytest.mark.parametrize("make", [two, hostile], ids=["two", "hostile"])
def test_every_png_is_a_picture_that_says_nothing_of_when_and_by_what_and_the_same_again(
    make: Callable[[], Findings],
) -> None:
    for figure, again in zip(figures(make()), figures(make()), strict=True):
        assert figure.png == again.png
        assert figure.png.startswith(b"\x89PNG\r\n")
        assert b"Software" not in figure.png
        assert b"tIME" not in figure.png


@pytest.mark.parametrize("make", [two, hostile], ids=["two", "hostile"])
def test_a_pdf_holds_text_of_embedded_fonts_and_nothing_of_the_hour(make: Callable[[], Findings]) -> None:
    figure = figures(make())[0]
    pdf = figure.pdf
    assert pdf.startswith(b"%PDF")
    assert pdf == figures(make())[0].pdf
    assert b"/FontFile2" in pdf  # TrueType
    assert b"/Type3" not in pdf
    assert not [word for word in (b"CreationDate", b"Producer", b"Creator") if word in pdf]


def test_drawing_a_png_leaves_matplotlibs_settings_alone() -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    assert figures(one())[0].png
    assert dict(matplotlib.rcParams) == before


def test_figures_in_the_page_take_its_colors_and_files_have_their_own() -> None:
    figure = figures(nine())[0]
    assert "var(--ink)" in figure.inline
    assert "#" not in figure.inline.replace("&#", "")
    assert "var(" not in figure.svg


def test_a_system_has_the_same_color_in_every_figure_and_every_order() -> None:
    assert system_colors(["b", "a"]) == system_colors(["a", "b"]) == {"a": "s0", "b": "s1"}


def test_with_more_systems_than_colors_no_color_stands_for_two() -> None:
    assert set(system_colors([str(place) for place in range(SERIES + 1)]).values()) == {"accent"}


def luminance(color: str) -> float:
    """WCAG 2.2, relative luminance."""
    channels = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    """WCAG 2.2, contrast ratio."""
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_every_color_can_be_seen_and_every_text_color_read(palette: dict[str, str]) -> None:
    for role, color in palette.items():
        if role not in ("paper", "panel", "line"):
            least = 4.5 if role in ("ink", "muted", "accent", "better", "worse") else 3.0
            assert contrast(color, palette["paper"]) >= least, role
    assert contrast(palette["muted"], palette["panel"]) >= 4.5


def test_files_of_measures_with_like_names_do_not_overwrite_each_other() -> None:
    findings = two()
    league = findings.leagues[0]
    twin = league.model_copy(update={"measure": league.measure.model_copy(update={"name": "human:satisfaction!"})})
    found = names(findings.model_copy(update={"leagues": (league, twin)}))
    assert len(found) == len(set(found))
    assert "forest-human-satisfaction-2" in found


def test_few_values_get_a_bar_each_and_many_share_bars() -> None:
    assert bins_of([1.0, 2.0, 2.0, 5.0]).centers == (1.0, 2.0, 5.0)
    assert len(bins_of([place / 100 for place in range(100)]).centers) == 28
    assert bins_of([3.0]).low < 3.0 < bins_of([3.0]).high
    uneven = bins_of([0.0, 0.001, 1.0])  # a bar a value would be too thin to see
    assert len(uneven.centers) == 28


def test_shares_of_bars_sum_to_one() -> None:
    values = [place**1.5 for place in range(60)]
    assert sum(bins_of(values).shares(values)) == pytest.approx(1.0)


def test_many_systems_fit_in_a_matrix_without_numbers() -> None:
    figure = next(each for each in figures(many()) if each.name.startswith("pairs"))
    assert "+0.8" not in "".join(mark.text for mark in figure.drawing.marks if hasattr(mark, "text"))
    assert "differences are significant after correction" in figure.alt


def words(figure: Figure) -> list[str]:
    return [mark.text for mark in figure.drawing.marks if isinstance(mark, TextMark)]


def test_many_variants_are_named_aslant_and_stay_on_the_sheet() -> None:
    values = {"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.5]}
    names = [f"distinct(n={n})@a_rather_long_variant|v1" for n in range(1, 8)]
    leagues = tuple(league(measure(name, "Distinct-n"), values) for name in names)
    findings = nine().model_copy(update={"sensitivity": (Sensitivity(metric="distinct", leagues=leagues, flips=()),)})
    figure = figures(findings)[-1]
    turned = [mark for mark in figure.drawing.marks if isinstance(mark, TextMark) and mark.turn]
    assert len(turned) == 7
    assert turned[0].text.startswith("(n=1)@")
    assert all(mark.x + 0.85 * text_width(mark.text, size=mark.size) <= figure.drawing.width for mark in turned)


def test_one_variant_is_no_picture() -> None:
    sensitivity = nine().sensitivity[0]
    alone = sensitivity.model_copy(update={"leagues": sensitivity.leagues[:1], "flips": ()})
    assert "variants-distinct" not in names(nine().model_copy(update={"sensitivity": (alone,)}))


def test_a_scale_of_five_is_stacked_with_the_best_value_at_the_left() -> None:
    ratings = {"a": [5.0, 5.0, 3.0, 1.0], "b": [2.0, 2.0, 4.0]}
    for better, first in (("higher", "5"), ("lower", "1")):
        rated = league(measure("human:effort", "Effort", by="people", better=better, unit="rating"), ratings)
        findings = two().model_copy(update={"leagues": (rated,), "primary": "human:effort"})
        figure = next(each for each in figures(findings) if each.name == "spread-human-effort")
        values = [text for text in words(figure) if text in "12345"]
        assert values[0] == first
        assert "50% 5" in figure.alt  # 2 of a's 4


def test_votes_that_rank_nothing_are_dashes_and_no_votes_are_no_picture() -> None:
    votes = nine().votes
    assert votes is not None
    unknown = votes.strengths[0].model_copy(
        update={"strength": Estimate(value=None, why="never compared"), "rank_low": None, "rank_high": None}
    )
    findings = nine().model_copy(update={"votes": votes.model_copy(update={"strengths": (unknown,)})})
    figure = next(each for each in figures(findings) if each.name == "votes")
    assert words(figure).count("—") == 2  # strength and rank
    assert "votes" not in names(nine().model_copy(update={"votes": votes.model_copy(update={"strengths": ()})}))


def test_two_systems_that_were_never_compared_have_no_figure_of_differences() -> None:
    leagues = tuple(each.model_copy(update={"contrasts": ()}) for each in two().leagues)
    assert "differences" not in names(two().model_copy(update={"leagues": leagues}))


def test_figures_of_simulated_users_name_them_once_and_others_are_numbered() -> None:
    findings = many(3, metrics=12)
    talks = tuple(
        each.model_copy(update={"measure": each.measure.with_simulated("strict")}) for each in findings.leagues[1:3]
    )
    drawn = figures(findings.model_copy(update={"leagues": (*findings.leagues, *talks)}))
    forests = [figure for figure in drawn if figure.name.startswith("forest-metrics")]
    assert sorted(figure.title for figure in forests) == [  # 12 metrics, nine to a figure
        "Metrics by system",
        "Metrics by system (strict)",
        "Metrics by system, part 2",
    ]
    (strict,) = [figure for figure in forests if "strict" in figure.title]
    shown = [mark.text for mark in strict.drawing.marks if isinstance(mark, TextMark)]
    assert not [text for text in shown if "strict" in text]


def test_marks_lead_to_their_dialogues_where_a_page_has_an_explorer_and_only_there() -> None:
    drawn = figures(nine())
    linked = [each for each in drawn if "explorer.html#system=" in each.linked]
    assert {each.section for each in linked} == {"league", "votes", "spread", "metrics", "variants"}
    for figure in drawn:
        assert "explorer.html" not in figure.inline + figure.svg
        ET.fromstring(figure.linked)
    assert all('role="group"' in each.linked and 'role="img"' in each.inline for each in linked)
    assert "&amp;min=" in "".join(each.linked for each in linked)
