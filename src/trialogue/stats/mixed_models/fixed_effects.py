"""Design matrix of fixed effects: factors and numeric covariates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from trialogue.errors import UsageError
from trialogue.records import Reason, ReasonCode
from trialogue.stats.arrays import Floats
from trialogue.stats.resampling.clusters import codes_of

Fixed = Mapping[str, Sequence[Any]]
"""Name of each effect, and its value in every row: labels make a factor, numbers (int or float) a slope."""


@dataclass(frozen=True, eq=False)
class Design:
    """Design matrix, with the columns of each effect."""

    matrix: Floats
    """Shape (n, columns); factors in treatment coding against their first level, without a constant."""
    names: tuple[str, ...]
    """Names of the columns: ``system=b``; a slope has the name of its effect."""
    columns: dict[str, tuple[int, ...]]
    """Columns of each effect."""
    levels: dict[str, tuple[str, ...]]
    """Levels of each factor, the first of which is the reference."""

    def contrast(self, effect: str, level: str, other: str) -> Floats:
        """Column weights of level minus other, shape (columns,)."""
        weights = np.zeros(len(self.names))
        for name, sign in ((level, 1.0), (other, -1.0)):
            place = self.levels[effect].index(name)
            if place:
                weights[self.columns[effect][place - 1]] += sign
        return weights


def design_of(fixed: Fixed, n: int) -> Design:
    """The columns of all effects.

    Raises:
        UsageError: an effect of another length than n, or one that takes a single value.
    """
    blocks: list[Floats] = []
    names: list[str] = []
    columns: dict[str, tuple[int, ...]] = {}
    levels: dict[str, tuple[str, ...]] = {}
    for effect, values in fixed.items():
        if len(values) != n:
            raise UsageError(f"{effect} has {len(values)} values for {n} ratings; there must be one per rating.")
        if len(set(values)) < 2:
            raise UsageError(f"{effect} takes a single value, so its effect cannot be estimated; leave it out.")
        if all(isinstance(value, int | float | np.number) and not isinstance(value, bool) for value in values):
            block, found = np.asarray(values, dtype=np.float64)[:, None], [effect]
        else:
            known, codes = codes_of(list(values))
            levels[effect] = tuple(str(level) for level in known)
            block = (codes[:, None] == np.arange(1, len(known))).astype(np.float64)
            found = [f"{effect}={level}" for level in levels[effect][1:]]
        columns[effect] = tuple(range(len(names), len(names) + len(found)))
        blocks.append(block)
        names += found
    matrix = np.column_stack(blocks) if blocks else np.zeros((n, 0))
    return Design(matrix, tuple(names), columns, levels)


def confounding_reason(design: Design) -> Reason | None:
    """Why the columns are not identifiable, naming the first effect that the earlier ones already determine."""
    done = np.ones((len(design.matrix), 1))
    for effect, places in design.columns.items():
        longer = np.column_stack([done, design.matrix[:, list(places)]])
        if np.linalg.matrix_rank(longer) < longer.shape[1]:
            return Reason.of(ReasonCode.MODEL_CONFOUNDED, effect=effect)
        done = longer
    return None
