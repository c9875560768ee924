"""Run all parts of the reproduction that the available data allow."""

from collections.abc import Callable, Sequence
from pathlib import Path

from trialogue.datasets import get_corpus
from trialogue.datasets.store import is_here
from trialogue.inputs.inputs import gather
from trialogue.options import Resamples, Seed
from trialogue.records import STRATEGIES
from trialogue.reproduce.behavior_alignment import baselines, classifiers, figures, same_pairs, table1
from trialogue.reproduce.behavior_alignment.paper_tables import Reproduction
from trialogue.reproduce.behavior_alignment.rows import Row
from trialogue.strategies.base import examples_of
from trialogue.subjects.alignment.commands.align import find_model


def reproduce(
    predictions: str | Path | None = None,
    *,
    pairs: Sequence[str | Path] = (),
    model: str | None = None,
    seed: Seed = 0,
    resamples: Resamples = 1_000,
    quick: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Reproduction:
    """Reproduce the paper's tables and figures; every number has a verdict and, if missing, a reason.

    Args:
        predictions: folder with the released redial_evaluation_results_*.csv, for Table 5.
        pairs: files with situations, replies and people's preferences between replies, for Figure 3. Or with dialogues
            and preferences between them.
        model: folder of a strategy model (default: the bundled model). It is also compared with the released
            classifiers on their pairs.
        seed: random seed.
        resamples: bootstrap replicates.
        quick: skip cross-validation, which takes minutes.
        progress: called with a line now and then.

    Raises:
        DataError: a file cannot be read, or no preference fits the replies.
    """
    tell = progress or (lambda _line: None)
    tell("Table 1")
    rows = list(table1.rows(seed=seed, resamples=resamples))
    if predictions is not None:
        tell("Table 5")
    rows += classifiers.table5_rows(None if predictions is None else Path(predictions), seed=seed)
    labeller = find_model(model)
    rows += same_pairs.same_pairs_rows(None if predictions is None else Path(predictions), labeller, seed=seed)
    tell("Figures 2 and 3")
    judged = figures.judged_pairs(pairs, labeller) if pairs else None
    rows += figures.agreement_rows(judged, seed=seed, resamples=resamples)
    drawn = figures.figures(judged, labeller, seed=seed, resamples=resamples)
    rows += figures.rows(drawn)
    rows += classifiers.encoder_rows()
    rows += _inspired_rows(quick, seed, resamples, tell)
    return Reproduction(tuple(sorted(rows, key=lambda row: row.part)), drawn)


def _inspired_rows(quick: bool, seed: int, resamples: int, tell: Callable[[str], None]) -> list[Row]:
    if not is_here(get_corpus("inspired")):
        why = "get it with: trialogue data get inspired"
        return [
            Row(part=part, what="all of it", on="INSPIRED", status="not here", why=why)
            for part in (baselines.PART, classifiers.PART2, classifiers.PART34)
        ]
    dialogues = gather(["inspired"]).dialogues
    tell("baselines on INSPIRED")
    rows = list(baselines.rows(dialogues, seed=seed, resamples=resamples))
    if not quick:
        tell("cross-validation on INSPIRED, by pair and by dialogue")
        examples = list(examples_of(dialogues, classes=STRATEGIES))
        rows += classifiers.cross_validation_rows(examples, seed=seed)
    return rows
