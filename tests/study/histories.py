"""Random histories of a study: a few for every change, many more with ``make atlas``."""

from collections.abc import Iterable
from typing import Any

import pytest


def a_few_and_more(seeds: Iterable[int], *, few: Iterable[int]) -> list[Any]:
    """Two parameters of a test: a few of the seeds, and all others, which ``make atlas`` runs.

    The few are chosen by what they find: faults that were planted in the code, and that few histories come across.
    """
    chosen = list(few)
    others = [seed for seed in seeds if seed not in chosen]
    return [pytest.param(chosen, id="a few"), pytest.param(others, marks=pytest.mark.atlas, id="more")]
