import xml.etree.ElementTree as ET
from math import degrees
from pathlib import Path

import pytest

from tests.simulation.made import dialogue
from trialogue.errors import UnknownNameError
from trialogue.simulation.bundled import bundled_users
from trialogue.simulation.users.interaction import END, fit_interaction
from trialogue.simulation.users.state_diagram import Level, _Canvas, to_svg, transitions

SVG = "{http://www.w3.org/2000/svg}"


def test_a_drawing_is_well_formed_and_always_the_same() -> None:
    model = bundled_users("cir6-pkg").interaction
    levels: tuple[Level, ...] = ("coarse", "fine")
    for level in levels:
        drawn = to_svg(model, level=level)
        assert drawn == to_svg(model, level=level)
        assert "nan" not in drawn
        root = ET.fromstring(drawn)
        assert len(root.findall(f"{SVG}g")) == len(transitions(model, level=level))


def test_every_state_is_named_and_every_number_is_its_share() -> None:
    model = fit_interaction([dialogue("u:Disclose", "a:List", "u:Note", "a:Record", "u:Revise", "a:List", "u:Note")])
    assert transitions(model) == {
        ("Disclose", "Note"): 1,
        ("Note", "Reveal"): 1,
        ("Note", END): 1,
        ("Reveal", "Note"): 1,
    }
    drawn = to_svg(model)
    assert "Note → Reveal: 0.500 (1)" in drawn
    for state in ("Disclose", "Note", "Reveal", "end"):
        assert f">{state}</text>" in drawn


def test_names_of_a_corpus_cannot_break_the_drawing() -> None:
    model = fit_interaction([dialogue('u:<b>&"', "a:List", "u:Note")], name='a<b>"&')
    ET.fromstring(to_svg(model, level="fine"))


def test_one_state_alone_can_be_drawn() -> None:
    ET.fromstring(to_svg(fit_interaction([dialogue("u:Note", "a:Record", "u:Note")])))


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="coarse"):
        to_svg(bundled_users("cir6-pkg").interaction, level="middle")  # type: ignore[arg-type]


@pytest.mark.mirror
def test_the_arrows_of_the_annotated_files_are_the_cells_of_the_spec(mirror: Path) -> None:
    from trialogue.datasets.corpora.kdd2020 import read_folder

    model = fit_interaction(read_folder(mirror / "kdd2020", lambda _: None))
    counts = transitions(model)
    assert counts["Navigate", "Navigate"] == 135
    assert ("Disclose", "Complete") not in counts  # never in 75 dialogues
    assert sum(counts.values()) == 1107  # one for every user turn: what follows it, or the end


@pytest.mark.parametrize(("states", "number", "angle"), [(4, 0, -90), (4, 1, 0), (4, 2, 90), (8, 3, 45), (40, 10, 0)])
def test_a_place_lies_at_its_angle_seen_from_the_middle(states: int, number: int, angle: float) -> None:
    """States stand clockwise from the top; y grows downwards."""
    canvas = _Canvas.for_states(states)
    assert degrees(canvas.angle_of(canvas.place(number, states))) == pytest.approx(angle)
