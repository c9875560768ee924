"""The numbers that the first page states of the demo are those of the demo."""

from pathlib import Path

import pytest

from trialogue.findings.wording import render_estimate
from trialogue.records import Estimate
from trialogue.render.numbers import plain_p
from trialogue.workflows.demo import demo

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "install.md"


@pytest.mark.slow
def test_the_page_states_the_agreement_and_the_dialogue_that_the_demo_shows(tmp_path: Path) -> None:
    made = demo(tmp_path / "demo")
    first = PAGE.read_text(encoding="utf-8")
    (section,) = [each for each in made.findings.sections if each.title == "Do the three agree?"]
    measured, simulated, _ = section.rows
    p = simulated[5]
    assert isinstance(p, float)
    orders = [row[3] for row in (measured, simulated) if isinstance(row[3], Estimate)]
    assert f"(ρ = {render_estimate(orders[0])})" in first
    assert f"(ρ = {render_estimate(orders[1])}, corrected p = {plain_p(p)})" in first
    shown = {example.dialogue.id for example in made.findings.examples if example.role == "praised"}
    assert any(f"`{name}`" in first for name in shown)
    judged, by_metric, by_need = made.sides
    assert f"highest rating, {max(judged.values.values()):.1f} of 5" in first
    assert _order(judged.values)[0] == _order(by_need.values)[0] == "item-centred"
    assert _order(by_metric.values)[:2] == ["guided", "sabotaged-30"]


def _order(values: dict[str, float]) -> list[str]:
    return sorted(values, key=lambda system: -values[system])
