"""Figure of the difference of two systems on every measure, each on its own scale, zero in the middle."""

from collections.abc import Mapping, Sequence

from trialogue.findings import League
from trialogue.records import Estimate
from trialogue.render.drawing.scale import reach_of
from trialogue.render.measures import is_ranked, labels
from trialogue.render.numbers import level, plain_p, signed_text
from trialogue.render.plots.base import Figure, label
from trialogue.render.plots.estimates import Axis, Row, estimates_figure
from trialogue.render.text import describe_rows

VERDICTS = {"a": "{} is better", "b": "{} is better", "undefined": "not tested", "inconclusive": "inconclusive"}


def differences(
    leagues: Sequence[League], systems: Sequence[str], colors: Mapping[str, str], *, alpha: float, correction: str
) -> Figure | None:
    """Difference of the first and second system, oriented so that right favours the first; None without comparisons."""
    a, b = systems
    compared = [(league, contrast) for league in leagues if (contrast := league.contrast_of(a, b)) is not None]
    compared = [(league, contrast) for league, contrast in compared if contrast.difference.value is not None]
    names = labels([league for league, _ in compared])
    rows = [
        Row(
            names[league.measure.name],
            _towards_first(league, contrast.difference),
            text=signed_text(contrast.difference),
            hollow=not is_ranked(league),
            color=colors.get(contrast.leader, "accent") if contrast.leader is not None else "muted",
            width=2.4 if contrast.leader is not None else 1.2,  # in grey copies, too
            notes=[plain_p(contrast.p_adjusted)],
        )
        for league, contrast in compared
    ]
    said = [
        f"{league.measure.title} {signed_text(contrast.difference)}, "
        f"{VERDICTS[contrast.verdict].format(contrast.leader)}"
        for league, contrast in compared
    ]
    return estimates_figure(
        rows,
        Axis(f"← {label(b)} better · {label(a)} better →", 0.0, within=(-1, 1), is_relative=True),
        name="differences",
        section="league",
        title=f"{a} against {b}",
        caption=(
            f"{a} minus {b} with intervals, each measure on its own scale, oriented so that right always "
            f"means that {a} is better. Thick and in color: the difference is significant at α = {level(alpha)}. "
            "Hollow: the measure has no direction."
        ),
        alt=f"{a} minus {b}: {describe_rows(said)}.",
        note_heads=["p"],
    )


def _towards_first(league: League, difference: Estimate) -> Estimate:
    """A difference as a share of its reach, so that every measure fills its row; above 0: the first system is better."""
    turned = difference.negate() if league.measure.better == "lower" else difference
    reach = reach_of(difference)
    ends = turned.interval
    shares = ends and ends.model_copy(update={"low": ends.low / reach, "high": ends.high / reach})
    return turned.model_copy(update={"value": (turned.value or 0.0) / reach, "interval": shares})
