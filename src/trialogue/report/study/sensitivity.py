"""Table and figure of the main comparison under other exclusion rules, for ratings and for choices."""

from collections.abc import Iterable, Sequence

from trialogue.findings.people.records import (
    ChoiceFindings,
    ChoicePair,
    ChoiceSensitivity,
    RatingFindings,
    SensitivityRow,
)
from trialogue.records import Estimate
from trialogue.report.numbers import MISSING, number, plain_p, render_estimate
from trialogue.report.plots.base import Figure
from trialogue.report.study.intervals import Row, intervals_figure
from trialogue.report.study.tables import Grid, choice_name, choice_verdict, judgements, pair_under, value_of

SHARES = ("win", "lose", "tie")


def rating_sensitivity_grid(found: RatingFindings) -> Grid:
    """Main test and verdicts under each exclusion."""
    names = [f"{pair.a} – {pair.b}" for pair in found.pairs]
    main = _main(found)
    rows = []
    for row in found.sensitivity:
        odds = [_odds(one) for one in row.pairs] or [MISSING] * len(names)
        same = MISSING if row.why else "same" if main and row.verdicts == main.verdicts else "differ"
        rows.append((row.name, f"{row.participants:,}", f"{row.ratings:,}", plain_p(row.p), *odds, same))
    head = ("Exclusions", "People", "Ratings", "p", *names, "Verdicts")
    strong = frozenset(place for place, row in enumerate(found.sensitivity) if row.main)
    notes = tuple(f"{row.name}: {row.why}." for row in found.sensitivity if row.why)
    return Grid("Sensitivity to exclusions", head, tuple(rows), tuple(range(1, 4 + len(names))), strong, notes)


def _main(found: RatingFindings) -> SensitivityRow | None:
    """The main analysis among those under other exclusions; None where it is not among them."""
    return next((row for row in found.sensitivity if row.main), None)


def _odds(log_odds: Estimate) -> str:
    from math import exp

    return MISSING if log_odds.value is None else number(exp(min(50.0, log_odds.value)), 2)


def choice_sensitivity_grids(found: ChoiceFindings) -> tuple[Grid, ...]:
    """Each pair under each exclusion; for realism also the shares of wins, losses and ties."""
    return tuple(_choice_grid(found, pair) for pair in _overall_pairs(found)) if found.sensitivity else ()


def _choice_grid(found: ChoiceFindings, main: ChoicePair) -> Grid:
    shares = SHARES if found.task == "realism" else ()
    shares_text = [f"{name.capitalize()}, %" for name in shares]
    head = ("Exclusions", "People", "Judgements", *shares_text, "Win share", "p (Holm)", "Verdict")
    return Grid(
        choice_name(found.task, main),
        head,
        tuple(_cells(main, row, shares) for row in found.sensitivity),
        tuple(range(1, len(head) - 1)),
        frozenset(place for place, row in enumerate(found.sensitivity) if row.main),
        tuple(_reasons(found.sensitivity, main)),
    )


def _reasons(rows: Sequence[ChoiceSensitivity], main: ChoicePair) -> Iterable[str]:
    """Why a win share is missing."""
    for row in rows:
        pair = pair_under(row, main)
        why = row.why if pair is None else pair.decisive.why if pair.decisive.value is None else None
        if why:
            yield f"{row.name}: {why}."


def _cells(main: ChoicePair, row: ChoiceSensitivity, shares: Sequence[str]) -> tuple[str, ...]:
    pair = pair_under(row, main)
    if pair is None:
        return (row.name, "0", "0", *[MISSING] * (len(shares) + 2), "no judgements left")
    changed = "" if pair.verdict == main.verdict else " (changed)"
    shares_text = [_percent(pair.shares[name]) for name in shares]
    people = (row.name, f"{pair.raters:,}", f"{judgements(pair):,}")
    return (*people, *shares_text, value_of(pair.decisive), plain_p(pair.p_adjusted), choice_verdict(pair) + changed)


def _percent(share: Estimate) -> str:
    ends = share.interval and share.interval.model_copy(
        update={"low": 100 * share.interval.low, "high": 100 * share.interval.high}
    )
    value = None if share.value is None else 100 * share.value
    return render_estimate(share.model_copy(update={"value": value, "interval": ends}), 0)


def _overall_pairs(found: ChoiceFindings) -> list[ChoicePair]:
    return [pair for pair in found.pairs if not pair.group]


def rating_sensitivity_figure(found: RatingFindings) -> Figure:
    """Significant pair with the smallest lead, or else the first pair, under every exclusion."""
    from trialogue.stats import odds_ratio

    held = [place for place, pair in enumerate(found.pairs) if pair.verdict in ("a", "b")] or [0]
    main = _main(found)
    leads = [abs(each.value or 0.0) for each in main.pairs] if main else []
    chosen = min(held, key=lambda place: leads[place]) if leads else held[0]
    pair = found.pairs[chosen]
    return intervals_figure(
        [_row(row.name, odds_ratio(row.pairs[chosen]), main=row.main) for row in found.sensitivity if row.pairs],
        name="sensitivity",
        section="ratings",
        title=f"{found.title}: {pair.a} – {pair.b} under other exclusions",
        caption="The narrowest significant difference (or the first pair) under each set of exclusions.",
        axis="odds ratio of a higher rating (logarithmic)",
        reference=1.0,
        odds=True,
    )


def choice_sensitivity_figure(found: ChoiceFindings) -> Figure:
    """Significant win share nearest to one half, or else the first pair, under every exclusion."""
    pairs = _overall_pairs(found)
    held = [pair for pair in pairs if pair.verdict in ("a", "b")] or pairs[:1]
    chosen = min(held, key=lambda pair: abs((pair.decisive.value or 0.0) - 0.5))
    under = [(row, pair_under(row, chosen)) for row in found.sensitivity]
    realism = found.task == "realism"
    return intervals_figure(
        [_row(row.name, pair.decisive, main=row.main) for row, pair in under if pair is not None],
        name="sensitivity-choices",
        section="choice sensitivity",
        title=f"{choice_name(found.task, chosen)} under other exclusions",
        caption=(
            f"The narrowest significant difference (or the first {'simulator' if realism else 'pair'}) under "
            "each set of exclusions. Ties left out. Dashed: one half."
        ),
        axis=f"share {'taken for the person' if realism else 'won by the first-named side'}",
        reference=0.5,
    )


def _row(name: str, estimate: Estimate, *, main: bool) -> Row:
    return Row(name, estimate, "accent" if main else "muted", strong=main)
