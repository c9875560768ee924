"""Ordinal mixed model of a rating table, on request: which effects the data allow, and the fitted results."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trialogue.records import Reason, ReasonCode
from trialogue.stats import Clmm, Pairwise, clmm, odds_ratio
from trialogue.subjects.people.records import ModelFindings, ModelPair
from trialogue.subjects.people.table import FEW_RATERS, RatingTable

FAMILY = 3.0  # situations a dialogue gives on average before dialogues get effects of their own
REPEATED = 1.5  # ratings a level needs on average before its effect can be separated from noise
MAX_POINTS, CLASSES = 40, 20  # points an ordinal model takes as they are; classes of a finer scale
MAX_POSITIONS = 12  # positions that get an effect each


@dataclass(frozen=True)
class Effects:
    """Effects included in a model."""

    fixed: dict[str, list[str]]
    random: dict[str, list[str]]
    left_out: dict[str, Reason]


def effects_of(table: RatingTable) -> Effects:
    """Effects that the data support: systems and positions, raters and items, rater-by-system and reply effects."""
    fixed = {"system": table.column("system")}
    random: dict[str, list[str]] = {}
    left: dict[str, Reason] = {}
    _add_position(table, fixed, left)
    _add_raters(table, fixed, random, left)
    _add_items(table, random, left)
    return Effects(fixed, random, left)


def _add_position(table: RatingTable, fixed: dict[str, list[str]], left: dict[str, Reason]) -> None:
    if not table.positions:
        left["position"] = Reason.of(ReasonCode.POSITION_NOT_RECORDED)
    elif len(table.positions) < 2:
        left["position"] = Reason.of(ReasonCode.ONE_POSITION)
    elif len(table.positions) > MAX_POSITIONS:
        left["position"] = Reason.of(ReasonCode.TOO_MANY_POSITIONS, positions=len(table.positions))
    else:
        width = len(str(table.positions[-1]))
        fixed["position"] = [f"{row.position:0{width}d}" for row in table.rows]


def _add_raters(
    table: RatingTable, fixed: dict[str, list[str]], random: dict[str, list[str]], left: dict[str, Reason]
) -> None:
    raters = table.column("rater")
    tastes = [f"{row.rater}\x1f{row.system}" for row in table.rows]
    if not table.known_raters:
        left["rater"] = Reason.of(ReasonCode.RATER_NOT_KNOWN)
    elif table.raters < 2 or table.raters == len(raters):
        left["rater"] = (
            Reason.of(ReasonCode.ONE_PERSON_RATED) if table.raters < 2 else Reason.of(ReasonCode.ONE_RATING_EACH)
        )
    elif table.raters < FEW_RATERS:
        fixed["rater"] = raters
        left["rater x system"] = Reason.of(ReasonCode.TOO_FEW_RATERS, raters=table.raters)
    else:
        random["rater"] = raters
        _add_cross("rater x system", tastes, raters, random, left)


def _add_items(table: RatingTable, random: dict[str, list[str]], left: dict[str, Reason]) -> None:
    items = table.column("item")
    replies = [f"{row.item}\x1f{row.system}" for row in table.rows]
    if len(set(items)) < FEW_RATERS:
        left["item"] = Reason.of(ReasonCode.TOO_FEW_ITEMS, items=len(set(items)))
    elif len(items) < REPEATED * len(set(items)):
        left["item"] = Reason.of(ReasonCode.ONE_RATING_PER_ITEM)
    else:
        random["item"] = items
        _add_cross("item x system", replies, items, random, left)
        _add_dialogues(table, items, random, left)


def _add_dialogues(table: RatingTable, items: list[str], random: dict[str, list[str]], left: dict[str, Reason]) -> None:
    """Dialogues that give several situations each."""
    dialogues = table.column("group")
    if len(set(dialogues)) >= FEW_RATERS and len(set(items)) >= FAMILY * len(set(dialogues)):
        random["dialogue"] = dialogues
        cells = [f"{row.group}\x1f{row.system}" for row in table.rows]
        _add_cross("dialogue x system", cells, dialogues, random, left)


def _add_cross(
    name: str, cells: list[str], outer: list[str], random: dict[str, list[str]], left: dict[str, Reason]
) -> None:
    if len(set(cells)) == len(set(outer)):
        left[name] = Reason.of(ReasonCode.LEVEL_MET_ONE_SYSTEM, factor=name.partition(" ")[0])
    elif len(cells) < REPEATED * len(set(cells)):
        left[name] = Reason.of(ReasonCode.ONE_RATING_PER_CELL)
    else:
        random[name] = cells


def classes(ratings: Sequence[float]) -> list[float]:
    """Ratings as ordinal classes; slider values are binned into twenty classes of about equal size."""
    values = np.asarray(ratings, dtype=np.float64)
    if len(np.unique(values)) <= MAX_POINTS:
        return list(ratings)
    edges = np.unique(np.quantile(values, np.arange(1, CLASSES) / CLASSES))
    found: list[float] = np.searchsorted(edges, values, side="right").astype(np.float64).tolist()
    return found


def fit(table: RatingTable, effects: Effects, *, confidence: float) -> Clmm:
    """Fit the ordinal model."""
    return clmm(classes(table.ratings), effects.fixed, effects.random, confidence=confidence)


def orient_pairs(pairs: Sequence[Pairwise], order: Sequence[str]) -> list[Pairwise]:
    """Orient pairs so that a comes first in the order, and sort them by it."""
    place = {name: index for index, name in enumerate(order)}
    turned = [pair if place[pair.a] < place[pair.b] else _turn_pair(pair) for pair in pairs]
    return sorted(turned, key=lambda pair: (place[pair.a], place[pair.b]))


def _turn_pair(pair: Pairwise) -> Pairwise:
    return Pairwise(pair.b, pair.a, pair.difference.negate(), pair.p_adjusted, pair.freedom)


def model_findings(table: RatingTable, order: Sequence[str], *, alpha: float) -> ModelFindings:
    """Fit the ordinal model; the first system of a pair comes first in ``order``."""
    effects = effects_of(table)
    model = fit(table, effects, confidence=1 - alpha)
    return ModelFindings(
        n=model.n,
        pairs=tuple(
            ModelPair(a=each.a, b=each.b, odds_ratio=odds_ratio(each.difference), p_adjusted=each.p_adjusted)
            for each in orient_pairs(model.pairs("system"), order)
        ),
        spreads=model.spreads,
        fixed=tuple(effects.fixed),
        left_out=effects.left_out,
        log_likelihood=model.log_likelihood,
        why=model.why,
    )
