"""Figure of Bradley-Terry strengths with intervals and rank ranges, with Elo for comparison."""

from collections.abc import Mapping

from trialogue.findings import Votes
from trialogue.records import Estimate
from trialogue.render.drawing.marks import Dot
from trialogue.render.explorer.links import link
from trialogue.render.numbers import MISSING, column_decimals, number, ranks, render_estimate
from trialogue.render.plots.base import Figure
from trialogue.render.plots.estimates import Axis, Row, estimates_figure
from trialogue.render.text import describe_rows


def votes(found: Votes, colors: Mapping[str, str]) -> Figure | None:
    """Strengths of systems, strongest first; None without any."""
    rows = [
        Row(
            each.system,
            each.strength,
            second=Estimate(value=each.elo),
            hollow=each.strength.interval is None,
            color=colors.get(each.system, "accent"),
            notes=[
                ranks(each.rank_low, each.rank_high) or MISSING,
                number(each.elo, 0),
                ranks(each.elo_rank_low, each.elo_rank_high),
                MISSING if each.win_rate.value is None else f"{100 * each.win_rate.value:.0f}%",
            ],
            href=link(systems=[each.system]),
        )
        for each in found.strengths
    ]
    return estimates_figure(
        rows,
        Axis("Bradley–Terry strength, mean 1000"),
        name="votes",
        section="votes",
        title="Strength in votes",
        caption=(
            "Bradley–Terry strength does not depend on the order of the votes; Elo does, and is shown for "
            "comparison with published tables. Rank ranges are for each system individually: those in 95% "
            "of resamples for Bradley–Terry, those over shuffled orders for Elo. They are not corrected, so "
            "they may be narrower than the ranges of other measures, which hold for all systems "
            "simultaneously."
        ),
        alt=_describe(found),
        note_heads=["rank", "Elo", "rank", "wins"],
        marks=[
            (Dot(0, 0, "ink"), "Bradley–Terry strength with interval"),
            (Dot(0, 0, "muted", radius=3.4, shape="diamond"), "Elo, votes in file order"),
        ],
    )


def _describe(found: Votes) -> str:
    decimals = min(1, column_decimals(each.strength for each in found.strengths))
    rows = [
        f"{each.system} {render_estimate(each.strength, decimals)}, "
        f"rank {ranks(each.rank_low, each.rank_high) or 'unknown'}, Elo {number(each.elo, 0)}"
        for each in found.strengths
    ]
    return f"Bradley–Terry strengths: {describe_rows(rows)}."
