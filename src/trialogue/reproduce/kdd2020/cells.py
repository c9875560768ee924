"""Cells, rankings and settings of the reproduced tables, as ``tables.json`` holds them."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from trialogue.records import JsonValue, Reason

TABLES_FILE = "tables.json"


Verdict = Literal["exact", "agrees", "differs"]


@dataclass(frozen=True)
class Cell:
    """One number of a table."""

    measure: str
    """The paper's name of the measure."""
    name: str
    """Ours, in full."""
    method: str
    """``Real users``, or a simulator."""
    letter: str
    """A, B or C; ``C'`` for the live recommender in the shape of C."""
    value: float | None
    """Our value."""
    low: float | None
    """Lower end of its 95% interval."""
    high: float | None
    n: int
    """Dialogues it rests on."""
    published: float | None
    """The paper's value; None: the paper has none."""
    verdict: Verdict | None
    """Whether it is the published number to the last digit, or agrees with it within the sampling error of both, or differs;
    None: that cannot be said."""
    why: Reason | None = None
    """Why a value or an interval is missing."""
    tuned: str = ""
    """Choice of ours that was tuned on this cell, so that its agreement is no evidence; "": none."""


@dataclass(frozen=True)
class Order:
    """Ranking of the three systems by one measure."""

    measure: str
    method: str
    here: str
    """Letters, the best first."""
    published: str
    """Letters in the paper."""
    share: float | None
    """Share of resamples in which ``here`` holds strictly."""
    published_share: float | None
    """Share of resamples in which the published order holds."""


@dataclass(frozen=True)
class Reproduction:
    """Both tables."""

    cells: tuple[Cell, ...]
    orders: tuple[Order, ...]
    settings: dict[str, JsonValue]

    def cell(self, measure: str, method: str, letter: str) -> Cell | None:
        """One cell; None where there is none."""
        wanted = (measure, method, letter)
        return next((each for each in self.cells if (each.measure, each.method, each.letter) == wanted), None)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "cells": [{**asdict(cell), "why": cell.why and cell.why.to_json()} for cell in self.cells],
            "orders": [asdict(order) for order in self.orders],
            "settings": self.settings,
        }

    @classmethod
    def read(cls, folder: Path) -> "Reproduction":
        """Read the ``tables.json`` of a folder."""
        data = json.loads((folder / TABLES_FILE).read_text("utf-8"))
        cells = [{**cell, "why": cell["why"] and Reason.model_validate(cell["why"])} for cell in data["cells"]]
        orders = tuple(Order(**order) for order in data["orders"])
        return cls(tuple(Cell(**cell) for cell in cells), orders, data["settings"])
