"""Table and figure of the main comparison under other exclusion rules, for ratings and for choices."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from trialogue.findings.standings import Contrast, League
from trialogue.records import Estimate
from trialogue.render.document import Column, Table, from_estimate, in_files
from trialogue.render.numbers import MISSING, number, plain_p, with_decimals
from trialogue.render.plots.base import Figure
from trialogue.render.plots.estimates import Axis, Row, estimates_figure
from trialogue.subjects.people.pages.tables import choice_name, choice_verdict, judgements
from trialogue.subjects.people.records import (
    ChoiceFindings,
    ChoicePair,
    ChoiceSensitivity,
    RatingFindings,
    SensitivityRow,
    StudyFindings,
)

SHARES = ("win", "lose", "tie")


def rating_sensitivity_table(found: RatingFindings) -> Table[SensitivityRow]:
    """Differences and verdicts under each exclusion."""
    main = next((row for row in found.sensitivity if row.main), None)
    pairs = found.league.contrasts if found.league is not None else ()
    return Table(
        f"{found.title}: Sensitivity to exclusions",
        found.sensitivity,
        [
            Column("Exclusions", lambda row: row.name),
            Column("People", lambda row: row.participants),
            Column("Ratings", lambda row: row.ratings),
            *(Column(f"{pair.a} – {pair.b}", _difference(at), with_decimals(2)) for at, pair in enumerate(pairs)),
            Column(
                "Verdicts",
                lambda row: None if row.why else "same" if main and row.verdicts == main.verdicts else "differ",
            ),
        ],
        strong=lambda row: row.main,
        lead="Differences of each pair, and whether all verdicts agree with the main analysis.",
        note=" ".join(f"{row.name}: {row.why}." for row in found.sensitivity if row.why),
    )


def _difference(at: int) -> Callable[[SensitivityRow], Estimate | None]:
    return lambda row: row.contrasts[at].difference if at < len(row.contrasts) else None


def _share(name: str) -> Callable[[ChoicePair], Estimate]:
    return lambda pair: pair.shares[name]


def choice_sensitivity_tables(found: ChoiceFindings) -> list[Table[ChoiceSensitivity]]:
    """Each pair under each exclusion; for realism also the shares of wins, losses and ties."""
    return [_choice_table(found, pair) for pair in _overall_pairs(found)] if found.sensitivity else []


def _choice_table(found: ChoiceFindings, main: ChoicePair) -> Table[ChoiceSensitivity]:
    def of_pair(take: Callable[[ChoicePair], Any], *, without: object = None) -> Callable[[ChoiceSensitivity], Any]:
        def value(row: ChoiceSensitivity) -> Any:
            pair = pair_under(row, main)
            return without if pair is None else take(pair)

        return value

    shares = SHARES if found.task == "realism" else ()
    return Table(
        choice_name(found.task, main),
        found.sensitivity,
        [
            Column("Exclusions", lambda row: row.name),
            Column("People", of_pair(lambda pair: pair.raters, without=0)),
            Column("Judgements", of_pair(judgements, without=0)),
            *(Column(f"{name.capitalize()}, %", of_pair(_share(name)), _percent) for name in shares),
            Column("Win share", of_pair(lambda pair: pair.decisive), with_decimals(2)),
            Column("p (Bonferroni)", of_pair(lambda pair: pair.p_adjusted), plain_p),
            Column("Verdict", of_pair(lambda pair: _changed_verdict(pair, main), without="no judgements left")),
        ],
        strong=lambda row: row.main,
        note=" ".join(_reasons(found.sensitivity, main)),
    )


def _changed_verdict(pair: ChoicePair, main: ChoicePair) -> str:
    return choice_verdict(pair) + ("" if pair.verdict == main.verdict else " (changed)")


def pair_under(row: ChoiceSensitivity, main: ChoicePair) -> ChoicePair | None:
    """A pair of the main analysis under other exclusions; None without judgements."""
    return next((pair for pair in row.pairs if (pair.a, pair.b) == (main.a, main.b)), None)


def _reasons(rows: Sequence[ChoiceSensitivity], main: ChoicePair) -> Iterable[str]:
    """Why a win share is missing."""
    for row in rows:
        pair = pair_under(row, main)
        why = row.why if pair is None else pair.decisive.why if pair.decisive.value is None else None
        if why:
            yield f"{row.name}: {why}."


def _percent(share: Estimate) -> str:
    return share.render(lambda value, decimals: number(100 * value, decimals), undefined=MISSING)


def _overall_pairs(found: ChoiceFindings) -> list[ChoicePair]:
    return [pair for pair in found.pairs if not pair.group]


@dataclass(frozen=True)
class _RatingNumber:
    """A pair of systems on one criterion under one set of exclusions."""

    measure: str
    row: SensitivityRow
    pair: Contrast


@dataclass(frozen=True)
class _ChoiceNumber:
    """A pair of sides under one set of exclusions."""

    row: ChoiceSensitivity
    pair: ChoicePair


def sensitivity_file(findings: StudyFindings) -> list[Table[Any]]:
    """Every pair under every set of exclusions, on ratings and on choices, for ``sensitivity.csv``.

    Of choices, people and p are those of the pair: there is no test of all systems at once.
    """
    rated = [
        _RatingNumber(each.measure, row, pair)
        for each in findings.ratings
        for row in each.sensitivity
        for pair in row.contrasts
    ]
    choices = findings.choices
    chosen = [_ChoiceNumber(row, pair) for row in choices.sensitivity for pair in row.pairs] if choices else []
    task = choices.task if choices else None
    return [
        Table(
            "Ratings",
            rated,
            [
                *in_files(measure=lambda each: each.measure, left_out=lambda each: each.row.name),
                *in_files(main=lambda each: each.row.main, participants=lambda each: each.row.participants),
                *in_files(ratings=lambda each: each.row.ratings, p=lambda each: each.pair.difference.p),
                *in_files(a=lambda each: each.pair.a, b=lambda each: each.pair.b),
                *from_estimate(lambda each: each.pair.difference, value="difference", low="low", high="high"),
                *in_files(p_adjusted=lambda each: each.pair.p_adjusted, verdict=lambda each: each.pair.verdict),
            ],
            file="sensitivity",
        ),
        Table(
            "Choices",
            chosen,
            [
                *in_files(measure=lambda _: task, left_out=lambda each: each.row.name),
                *in_files(main=lambda each: each.row.main, participants=lambda each: each.pair.raters),
                *in_files(p=lambda each: each.pair.p, a=lambda each: each.pair.a, b=lambda each: each.pair.b),
                *in_files(verdict=lambda each: each.pair.verdict, judgements=lambda each: judgements(each.pair)),
                *from_estimate(
                    lambda each: each.pair.decisive, value="win_share", low="win_share_low", high="win_share_high"
                ),
                *in_files(p_adjusted=lambda each: each.pair.p_adjusted),
                *(column for name in SHARES for column in _share_columns(name)),
            ],
            file="sensitivity",
        ),
    ]


def _share_columns(name: str) -> list[Column[_ChoiceNumber]]:
    return from_estimate(lambda each: each.pair.shares.get(name), value=name, low=f"{name}_low", high=f"{name}_high")


def rating_sensitivity_figure(found: RatingFindings, league: League) -> Figure | None:
    """Significant pair with the smallest lead, or else the first pair, under every exclusion."""
    held = [place for place, pair in enumerate(league.contrasts) if pair.leader is not None] or [0]
    chosen = min(held, key=lambda place: abs(league.contrasts[place].difference.value or 0.0))
    pair = league.contrasts[chosen]
    rows = [row for row in found.sensitivity if len(row.contrasts) > chosen]
    return estimates_figure(
        [_row(row.name, row.contrasts[chosen].difference, main=row.main) for row in rows],
        Axis("difference of mean ratings", 0.0),
        name="sensitivity",
        title=f"{found.title}: {pair.a} – {pair.b} under other exclusions",
        caption="The narrowest significant difference (or the first pair) under each set of exclusions.",
    )


def choice_sensitivity_figure(found: ChoiceFindings) -> Figure | None:
    """Significant win share nearest to one half, or else the first pair, under every exclusion."""
    pairs = _overall_pairs(found)
    held = [pair for pair in pairs if pair.verdict in ("a", "b")] or pairs[:1]
    chosen = min(held, key=lambda pair: abs((pair.decisive.value or 0.0) - 0.5))
    under = [(row, pair_under(row, chosen)) for row in found.sensitivity]
    realism = found.task == "realism"
    return estimates_figure(
        [_row(row.name, pair.decisive, main=row.main) for row, pair in under if pair is not None],
        Axis(f"share {'taken for the person' if realism else 'won by the first-named side'}", 0.5),
        name="sensitivity-choices",
        title=f"{choice_name(found.task, chosen)} under other exclusions",
        caption=(
            f"The narrowest significant difference (or the first {'simulator' if realism else 'pair'}) under "
            "each set of exclusions. Ties left out. Dashed: one half."
        ),
    )


def _row(name: str, estimate: Estimate, *, main: bool) -> Row:
    return Row(name, estimate, color="accent" if main else "muted", strong=main)
