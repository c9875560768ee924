"""All figures of a report, in page order, each with its caption and a text description."""

from typing import Literal, get_args

from trialogue.errors import UnknownNameError, UsageError
from trialogue.findings import Findings, League
from trialogue.render.drawing.theme import system_colors
from trialogue.render.long_names import with_short_names
from trialogue.render.measures import all_leagues, is_ranked, system_names, systems_in_order
from trialogue.render.plots.base import LONGEST_LABEL, Figure, label
from trialogue.render.plots.differences import differences
from trialogue.render.plots.forest import forest, forests
from trialogue.render.plots.histograms import histogram, histogram_panels
from trialogue.render.plots.pairs import pairs
from trialogue.render.plots.variants import variants
from trialogue.render.plots.votes import votes

__all__ = ["MAX_DRAWN", "Figure", "FigureKind", "figure_of", "figures"]

MAX_DRAWN = 30  # systems in a matrix of pairs; beyond, its cells are too small to be read


def figures(findings: Findings) -> list[Figure]:
    """All figures, those of human and primary measures first; measures without values have none.

    The same findings give the same figures, byte by byte.
    """
    if len(set(map(label, systems_in_order(findings)))) < len(systems_in_order(findings)):
        findings = with_short_names(
            findings, system_names(findings), LONGEST_LABEL
        )  # cut one by one, names would look alike
    systems = systems_in_order(findings)
    colors = system_colors(systems)
    leagues = [
        league for league in all_leagues(findings) if any(s.estimate.value is not None for s in league.standings)
    ]
    focus = [each for each in leagues if each in findings.leagues and _in_focus(findings, each.measure.name)]
    rest = [each for each in leagues if each in findings.leagues and each not in focus]
    drawn: list[Figure | None] = []
    if len(systems) == 2:
        drawn.append(differences(leagues, systems, colors, alpha=findings.alpha, correction=findings.correction))
    drawn += [forest(league, colors, alpha=findings.alpha, correction=findings.correction) for league in focus]
    if 2 < len(systems) <= MAX_DRAWN:
        compared = [league for league in focus if is_ranked(league) and league.contrasts]
        drawn += [pairs(league, alpha=findings.alpha, correction=findings.correction) for league in compared]
    if findings.votes is not None:
        drawn.append(votes(findings.votes, colors))
    drawn += [histogram(league, systems, colors) for league in focus]
    drawn += forests(rest, systems, colors)
    drawn += histogram_panels(rest, systems, colors)
    drawn += [variants(family, colors) for family in findings.sensitivity]
    return _with_own_names([figure for figure in drawn if figure is not None])


FigureKind = Literal["forest", "differences", "pairs", "spread", "votes"]
"""Figures that can be asked for: values with intervals, two systems on all measures, all pairs on one, values of single
dialogues, strength in votes."""


def figure_of(findings: Findings, kind: str = "forest", measure: str | None = None) -> Figure:
    """One figure.

    Args:
        findings: findings of a run.
        kind: forest, differences, pairs, spread or votes.
        measure: which one, by full name or the beginning of it; None: the one that the answer rests on, else the first.

    Raises:
        UnknownNameError: no such kind or measure.
        UsageError: there is nothing to draw.
    """
    kinds: tuple[str, ...] = get_args(FigureKind)
    if kind not in kinds:
        raise UnknownNameError("figure", kind, kinds)
    leagues = all_leagues(findings)
    names = [league.measure.name for league in leagues]
    named = [each for each in leagues if each.measure.name == measure or each.measure.measured.is_called(measure or "")]
    if measure is not None and not named:
        raise UnknownNameError("measure", measure, names)
    chosen = named if measure is not None else [each for each in leagues if each.measure.name == findings.primary]
    systems = systems_in_order(findings)
    drawn = _draw_kind(findings, kind, next(iter(chosen or leagues), None), systems)
    if drawn is None:
        raise UsageError(
            f"there is nothing to draw in a figure {kind!r} of {len(systems)} systems and {len(names)} measures."
        )
    return drawn


def _draw_kind(findings: Findings, kind: str, league: League | None, systems: list[str]) -> Figure | None:
    """None: there is nothing to draw."""
    colors, alpha, correction = system_colors(systems), findings.alpha, findings.correction
    if kind == "votes":
        return None if findings.votes is None else votes(findings.votes, colors)
    if kind == "differences":
        leagues = all_leagues(findings)
        return differences(leagues, systems, colors, alpha=alpha, correction=correction) if len(systems) == 2 else None
    if league is None or all(standing.estimate.value is None for standing in league.standings):
        return None
    if kind == "forest":
        return forest(league, colors, alpha=alpha, correction=correction)
    if kind == "pairs":
        return pairs(league, alpha=alpha, correction=correction) if league.contrasts else None
    return histogram(league, systems, colors)


def _in_focus(findings: Findings, name: str) -> bool:
    """People's measures and the one that the answer rests on get figures of their own."""
    people = {league.measure.name for league in findings.leagues if league.measure.by == "people"}
    return name in people or name == findings.primary


def _with_own_names(drawn: list[Figure]) -> list[Figure]:
    """Figures whose names would make the same file get a number."""
    seen: dict[str, int] = {}
    result = []
    for figure in drawn:
        seen[figure.name] = seen.get(figure.name, 0) + 1
        result.append(figure if seen[figure.name] == 1 else figure.rename(f"{figure.name}-{seen[figure.name]}"))
    return result
