"""No series of a figure is known by its color alone: shapes, filling and dashes differ, so that grey copies say the same."""

from collections import defaultdict
from collections.abc import Callable

import pytest

from tests.render.made import ALL, many, nine
from trialogue.findings import Findings
from trialogue.findings.alignment_records import AlignmentProfile, TurnRange
from trialogue.records import Estimate
from trialogue.render.drawing.by_matplotlib import MARKERS, matplotlib_pdf, matplotlib_png
from trialogue.render.drawing.marks import POLYGONS, Box, Dot, Drawing, Path, Shape, series_marks
from trialogue.render.drawing.svg import svg_file
from trialogue.render.plots import Figure, figures
from trialogue.subjects.alignment.pages.figures import alignment_figures
from trialogue.subjects.planning.pages.power import power_figure
from trialogue.subjects.planning.study_power import DesignAlternative, PowerFindings, StudyPower

SHAPES: tuple[Shape, ...] = ("circle", *POLYGONS)


def series(figure: Figure) -> dict[str, tuple[frozenset[object], frozenset[object]]]:
    """By color of a line: how its marks look, and its dashes."""
    looks: defaultdict[str, set[object]] = defaultdict(set)
    lines: defaultdict[str, set[object]] = defaultdict(set)
    for mark in figure.drawing.marks:
        if isinstance(mark, Dot):
            looks[mark.color].add((mark.shape, mark.hollow))
        elif isinstance(mark, Path):
            lines[mark.color].add(mark.dashes)
    return {color: (frozenset(looks[color]), frozenset(lines[color])) for color in lines}


def profiles(count: int) -> list[AlignmentProfile]:
    return [
        AlignmentProfile(
            system=f"system {number}",
            n=20,
            recalls=(),
            human_mix={"offer_help": 0.5, "recommend": 0.5},
            system_mix={"offer_help": 0.05 * number, "recommend": 1 - 0.05 * number},
            distance=Estimate(value=0.1),
            distance_by_chance=0.1,
            stages=tuple(TurnRange(turns=turns, match=Estimate(value=0.05 * number)) for turns in ("1", "2")),
        )
        for number in range(count)
    ]


def planned() -> PowerFindings:
    plan = StudyPower(
        participants=20, situations=30, tasks=10, ratings_per_reply=3.0, ratings=600, simulations=10, pairs=(),
        every_pair=Estimate(value=0.6), false_positive=Estimate(value=0.05),
    )  # fmt: skip
    curves = {"participants": ((20, 30, 0.6), (40, 30, 0.8)), "both": ((20, 30, 0.6), (40, 60, 0.9))}
    more = plan.model_copy(update={"participants": 40, "every_pair": Estimate(value=0.8)})
    ways = (
        DesignAlternative(way="participants", at=more, limit=None),
        DesignAlternative(way="both", at=more, limit=None),
    )
    return PowerFindings(
        source="made", effects=(0.0, 1.0), variances={}, thresholds=(), dropout=0.0, excluded=0.0, level=0.05, power=0.8,
        seed=0, plan=plan, ways=ways, curves={**curves, "situations": ((20, 30, 0.6), (20, 60, 0.7))},
    )  # fmt: skip


@pytest.mark.parametrize("make", [*ALL.values(), lambda: many(9, metrics=3)], ids=[*ALL, "nine more"])
def test_lines_of_a_report_differ_by_their_marks(make: Callable[[], Findings]) -> None:
    for figure in figures(make()):
        found = series(figure)
        assert len(set(found.values())) == len(found), figure.name


def test_the_lines_of_variants_are_nine_different_marks() -> None:
    (figure,) = [each for each in figures(nine()) if each.name == "variants-distinct"]
    found = series(figure)
    assert len(found) == 9
    assert all(len(looks) == 1 for looks, _ in found.values())


def test_lines_and_dots_of_systems_beside_people_differ() -> None:
    mix, turns = alignment_figures(profiles(10))
    assert len({looks for looks, _ in series(turns).values()}) == 10
    drawn = {(mark.color, mark.shape, mark.hollow) for mark in mix.drawing.marks if isinstance(mark, Dot)}
    assert len({(shape, hollow) for _, shape, hollow in drawn}) == len(drawn) == 11  # ten systems and people
    legend = {(mark.color, mark.shape, mark.hollow) for mark in turns.drawing.marks if isinstance(mark, Dot)}
    assert legend == drawn - {("ink", "diamond", False)}


def test_lines_of_power_differ_by_their_dashes() -> None:
    found = series(power_figure(planned()))
    assert len(found) == 3
    assert len({dashes for _, dashes in found.values()}) == 3


def test_a_matrix_of_pairs_says_the_direction_without_color_also_where_there_is_no_room_for_numbers() -> None:
    (figure,) = [each for each in figures(many(24)) if each.name[:5] == "pairs"]
    marks = figure.drawing.marks
    for at, mark in enumerate(marks):
        if isinstance(mark, Dot) and mark.radius < 3 and isinstance(marks[at - 1], Box):
            box = marks[at - 1]
            assert isinstance(box, Box)
            assert mark.hollow == (box.color == "worse")
    rings = [mark.hollow for mark in marks if isinstance(mark, Dot) and mark.radius < 3]
    assert {True, False} <= set(rings)


def test_ten_series_have_ten_marks_and_more_have_one() -> None:
    names = [f"s{number}" for number in range(10)]
    assert len(set(series_marks(names).values())) == 10
    assert series_marks(reversed(names)) == series_marks(names)
    assert set(series_marks([*names, "s99"]).values()) == {("circle", False)}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("hollow", [True, False])
def test_every_shape_is_drawn_in_every_format_and_about_as_large(shape: Shape, *, hollow: bool) -> None:
    drawings = []
    for size in (0, 1):
        drawing = Drawing(height=60, width=60)
        drawing.add(Path(((2, 2), (58, 2)), "s0", dashes=(4.0, 3.0)))
        if size:
            drawing.add(Dot(30, 30, "ink", radius=12, shape=shape, hollow=hollow, halo=False))
        drawings.append(drawing)
    empty, full = drawings
    assert svg_file(full, title="a", description="b") != svg_file(empty, title="a", description="b")
    assert "stroke-dasharray" in svg_file(empty, title="a", description="b")
    assert len(matplotlib_pdf(full)) > len(matplotlib_pdf(empty))
    assert matplotlib_png(full) != matplotlib_png(empty)
    assert shape in MARKERS
    if shape != "circle":
        corners = POLYGONS[shape].place(0.0, 0.0, 1.0)
        area = 0.5 * sum(
            x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in zip(corners, [*corners[1:], corners[0]], strict=True)
        )
        assert 2.2 < area < 3.3  # a circle of radius 1 has 3.14
