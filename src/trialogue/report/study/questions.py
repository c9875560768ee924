"""Tables of other questions: rankings, best-worst choices, boxes, choices, and numbers."""

from collections.abc import Callable, Sequence

from trialogue.findings.people.records import Answers, OptionFindings, OptionRow
from trialogue.records import Estimate
from trialogue.report.document import Column, Section, Table
from trialogue.report.numbers import number, render_estimate, with_decimals

NAMES = {"ranking": "Mean rank", "best_worst": "Best–worst score", "choices": "Share", "choice": "Share"}
EXTREMES = {"ranking": ("First", "Last"), "best_worst": ("Best", "Worst")}
MAX_ANSWERS = 12  # different numbers in a table; of more, where they lie
QUARTILES = ("Lowest", "Lower quartile", "Median", "Upper quartile", "Highest")


def options_section(found: OptionFindings) -> Section:
    """A ranking, a best–worst choice, boxes, or a choice with its counts and those who did not answer."""
    about = f"{found.system}: " if found.system else ""
    agreed = f" (agreement, Krippendorff's alpha: {render_estimate(found.agreement, 2)})" if found.agreement else ""
    title = f"{about}{found.title}{agreed}"
    if found.answer_kind != "choice":
        title += f" ({found.answers:,} answers of {found.raters:,})"
    return Section(title, [_options(found, title)])


def _options(found: OptionFindings, label: str) -> Table[OptionRow | int]:
    """Offered options; those who did not answer a choice are a row of their own, without a share."""
    is_share = found.answer_kind in ("choices", "choice")
    best, worst = EXTREMES.get(found.answer_kind, ("", ""))
    counted = "" if found.answer_kind != "choice" else "Times" if found.system else "Participants"
    missing = [found.missing] if found.missing is not None and found.answer_kind == "choice" else []
    value = "{:.0%}".format if is_share else with_decimals(2)
    return Table(
        label,
        [*found.options, *missing],
        [
            Column("Answer" if counted else "Offered", lambda row: "no answer" if isinstance(row, int) else row.option),
            Column(counted, lambda row: row if isinstance(row, int) else row.count),
            Column(
                "Share of answers" if counted else NAMES[found.answer_kind],
                lambda row: "" if isinstance(row, int) else row.estimate.value,
                lambda shown: shown if isinstance(shown, str) else value(shown),
            ),
            Column(
                "95% interval", lambda row: "" if isinstance(row, int) else _interval(row.estimate, is_share=is_share)
            ),
            Column(best, lambda row: None if isinstance(row, int) else row.best),
            Column(worst, lambda row: None if isinstance(row, int) else row.worst),
        ],
    )


def _interval(estimate: Estimate, *, is_share: bool) -> str | None:
    ends = estimate.interval
    if ends is None:
        return None
    low, high = (
        ends.write(end, _percent if is_share else number, 0 if is_share else 2) for end in (ends.low, ends.high)
    )
    return f"{low} to {high}%" if is_share else f"{low} to {high}"


def _percent(share: float, decimals: int) -> str:
    return number(100 * share, decimals)


def answers_section(found: Answers) -> Section:
    """How often each point or number was given; of many different numbers, where they lie."""
    total = sum(found.counts.values())
    if found.spread and len(found.counts) > MAX_ANSWERS:
        return Section(found.title, [_spread(found, total)])
    table = Table(
        found.title,
        list(found.counts.items()),
        [
            Column("Answer", lambda row: f"{row[0]} {found.labels.get(row[0], '')}".strip()),
            Column("Times", lambda row: row[1]),
            Column("Share", lambda row: row[1] / total if total else None, "{:.0%}".format),
        ],
    )
    return Section(found.title, [table])


def _spread(found: Answers, total: int) -> Table[Sequence[float]]:
    return Table(
        found.title,
        [found.spread],
        [
            Column("Answers", lambda _: total),
            *(Column(name, _place(at), "{:,.10g}".format) for at, name in enumerate(QUARTILES)),
        ],
    )


def _place(at: int) -> Callable[[Sequence[float]], float]:
    return lambda spread: spread[at]
