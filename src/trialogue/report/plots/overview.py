"""Small forest plot of the primary measure, shown on the first screen."""

from collections.abc import Mapping, Sequence

from trialogue.findings import League
from trialogue.report.measures import DIRECTIONS, confidence, is_ranked
from trialogue.report.plots.base import Figure
from trialogue.report.plots.estimates import estimates_figure
from trialogue.report.plots.forest import describe, league_axis, league_row
from trialogue.report.text import shorten


def glance(league: League, systems: Sequence[str], colors: Mapping[str, str]) -> Figure | None:
    """Forest plot of some systems with the best baseline as a dashed line; None without values."""
    held = {standing.system: standing for standing in league.standings}
    shown = [held[name] for name in systems if name in held and held[name].estimate.value is not None]
    if not shown:
        return None
    direction = f", {DIRECTIONS[league.measure.better]}" if is_ranked(league) else ""
    best = next((each.system for each in league.baselines if each.estimate.value is not None), None)
    dashed = f" Dashed: the best baseline, {best}." if best is not None else ""
    return estimates_figure(
        [league_row(league, each, colors.get(each.system, "accent")) for each in shown],
        league_axis(league, shorten(f"{league.measure.unit}{direction}", 58)),
        name="glance",
        section="glance",
        title=league.measure.title,
        caption=f"Values with {confidence(league)} intervals.{dashed}",
        alt=describe(league.model_copy(update={"standings": tuple(shown)})),
        narrow=True,
    )
