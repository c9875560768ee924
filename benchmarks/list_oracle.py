"""Values of RecTools and LensKit for the metrics of lists; writes tests/golden/lists.json.

    pip install RecTools==0.19.0 && pip download --no-deps lenskit==2025.8.1     # in an environment of their own
    python benchmarks/list_oracle.py LENSKIT_FOLDER                               # the unpacked wheel

They need versions of numpy and pandas of their own, and LensKit needs torch for other things than this: of it, the one
module ``lenskit/stats.py`` is loaded.
"""

# mypy: ignore-errors

import importlib.util
import json
import sys
import types
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from rectools import Columns
from rectools.metrics import (
    AvgRecPopularity,
    CatalogCoverage,
    IntraListDiversity,
    PairwiseHammingDistanceCalculator,
)

GENRES = ("action", "comedy", "crime", "drama", "horror")
USERS, ITEMS, LENGTH = 30, 25, 4


def lenskit_gini(folder: Path) -> types.FunctionType:
    """LensKit's ``gini``, without the rest of it."""
    for name, values in (("lenskit.data.types", {"NPVector": list}), ("lenskit.diagnostics", {"DataWarning": Warning})):
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(values)
    spec = importlib.util.spec_from_file_location("lenskit_stats", folder / "lenskit/stats.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.gini


def main() -> None:
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(20261127)
    weights = 1 / np.arange(1, ITEMS + 1)
    lists = [rng.choice(ITEMS, LENGTH, replace=False, p=weights / weights.sum()).tolist() for _ in range(USERS)]
    genres = [sorted(rng.choice(len(GENRES), rng.integers(1, 4), replace=False).tolist()) for _ in range(ITEMS)]
    ratings = [(int(user), int(item)) for user in range(40) for item in rng.choice(ITEMS - 3, 6, replace=False)]
    recommended = pd.DataFrame(
        [(user, item, rank) for user, own in enumerate(lists) for rank, item in enumerate(own, 1)],
        columns=[Columns.User, Columns.Item, Columns.Rank],
    )
    before = pd.DataFrame(ratings, columns=[Columns.User, Columns.Item])
    features = pd.DataFrame([[float(at in own) for at in range(len(GENRES))] for own in genres], index=range(ITEMS))
    distances = PairwiseHammingDistanceCalculator(features)
    counts = np.bincount(recommended[Columns.Item], minlength=ITEMS)
    values = {
        "coverage": CatalogCoverage(k=LENGTH, normalize=True).calc(recommended, range(ITEMS)),
        "gini": lenskit_gini(Path(sys.argv[1]))(counts),
        "popularity@count": AvgRecPopularity(k=LENGTH).calc(recommended, before),
        "popularity@share": AvgRecPopularity(k=LENGTH, normalize=True).calc(recommended, before),
        "intra_list_diversity": IntraListDiversity(k=LENGTH, distance_calculator=distances).calc(recommended),
    }
    given = {
        "lists": lists,
        "genres": [[GENRES[at] for at in own] for own in genres],
        "ratings": ratings,
        "items": ITEMS,
    }
    text = json.dumps({**given, "values": {name: float(value) for name, value in values.items()}})
    (Path(__file__).parent.parent / "tests/golden/lists.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
