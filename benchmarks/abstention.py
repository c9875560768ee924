"""What leaving out dialogues does to a run's agreement, official and penalised; a part of ``AGREEMENT.md``."""

import json
from pathlib import Path

import numpy as np
from scipy.stats import rankdata, spearmanr

from benchmarks.tables import table
from trialogue.subjects.agreement.abstention import worst_guesses
from trialogue.subjects.agreement.score_pairs import Floats

SHARES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4)


def leaving_out(mirror: Path) -> list[str]:
    """FACE's overall score on the sample: without what it ranks most wrong, and without what it gives the least."""
    own, people = _overall(mirror / "crsarena_eval_sample")
    wrong = np.abs(rankdata(own) - rankdata(people))
    rows = []
    for share in SHARES:
        cells = [f"{share:.0%}"]
        for order in (-wrong, own):
            part = np.where(rankdata(order, method="ordinal") <= share * len(own), np.nan, own)
            known = ~np.isnan(part)
            cells += [
                f"{spearmanr(part[known], people[known]).statistic:.3f}",
                f"{spearmanr(worst_guesses(part, people), people).statistic:.3f}",
            ]
        rows.append(cells)
    heads = ("left out", "most wrong: official ρ", "penalised", "lowest scores: official ρ", "penalised")
    return table(heads, rows)


def _overall(folder: Path) -> tuple[Floats, Floats]:
    """FACE's and people's overall score of each conversation, shape (n,)."""
    labels = {
        each["conv_id"]: each["dial_level_aggregated"]["dialogue_overall"]
        for each in json.loads((folder / "crs_arena_eval.json").read_text("utf-8"))
    }
    run = json.loads((folder / "face_run.json").read_text("utf-8"))
    own = [each["dial_level_pred"]["dialogue_overall"] for each in run]
    return np.array(own, dtype=np.float64), np.array([labels[each["conv_id"]] for each in run], dtype=np.float64)
