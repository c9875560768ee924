"""Tables 2 to 5: the implicit classifier, from the released predictions, and its cross-validation protocol."""

from collections.abc import Iterator
from pathlib import Path

from trialogue.records import Estimate
from trialogue.reproduce.behavior_alignment.rows import Row, compare_row
from trialogue.strategies.base import Example
from trialogue.strategies.evaluation.protocols import evaluate
from trialogue.strategies.learning.dyads import RESAMPLES
from trialogue.strategies.models import recipe
from trialogue.strategies.pairs.protocols import HARD_RECALL_BELOW, PAPER_CONFUSIONS, hard_classes
from trialogue.strategies.paper_data import table5

TABLE5 = {"Original": (0.782, 0.563), "Mixed-hard": (0.932, 0.865)}
TABLE3 = {"Original": (0.960, 0.958, 0.958, 0.940, 0.967), "Mixed-hard": (0.976, 0.978, 0.977, 0.976, 0.973)}
TABLE4 = {"Original": (0.957, 0.913), "Mixed-hard": (0.976, 0.952)}
WHOLE = 42_006  # pairs of each released file
PART2 = "Table 2: strategies with a recall below 70%"
PART34 = "Tables 3 and 4: cross-validation on INSPIRED"
PART5 = "Table 5: the released predictions on ReDial"
SETTINGS = {"Original": "none", "Mixed-hard": "paper"}
COST = (
    "a BERT-large (335 million weights), trained for each of five folds on 80,000 pairs of about 60 tokens: 10^16 "
    "floating-point operations an epoch and fold (6 x weights x tokens), some minutes on a data-center GPU and days on "
    "two cores. The weights and the split were not released. On your GPU: trialogue strategies evaluate --data inspired "
    "--model cross-encoder --set model.encoder=bert-large-uncased --protocol pairs --set model.hard={hard}"
)


def table5_rows(predictions: Path | None, *, seed: int) -> Iterator[Row]:
    """Accuracy and kappa from released predictions, with intervals by sentence and by pair."""
    if predictions is None:
        for name, (accuracy, kappa) in TABLE5.items():
            for what, value in (("accuracy", accuracy), ("kappa", kappa)):
                why = "give the folder of the released redial_evaluation_results_*.csv with --predictions"
                yield Row(part=PART5, what=f"{name}: {what}", on="ReDial", paper=value, status="not here", why=why)
        return
    for row in table5(predictions, seed=seed, resamples=RESAMPLES):
        scores = row.scores
        on = f"{row.file}: {scores.n} pairs of {scores.clusters} sentences"
        sides = (("by sentence", scores.by_cluster), ("by pair, too narrow", scores.by_pair))
        for how, side in sides:
            for what, found in (("accuracy", side.accuracy), ("kappa", side.kappa)):
                yield _released_row(row.model, what, how, on, found, scores.n)
        for what, found in (
            ("true positive rate", scores.by_cluster.true_positive_rate),
            ("false positive rate", scores.by_cluster.false_positive_rate),
        ):
            yield Row(part=PART5, what=f"{row.model}: {what}", on=on, ours=found, status="ours")


def _released_row(model: str, what: str, how: str, on: str, found: Estimate, pairs: int) -> Row:
    name = f"{model}: {what} (interval {how})"
    if model not in TABLE5:
        return Row(part=PART5, what=name, on=on, ours=found, status="ours")
    paper = TABLE5[model][what == "kappa"]
    row = compare_row(PART5, name, on, paper, found)
    why = f"the released file has {WHOLE:,} pairs"
    return row if pairs == WHOLE else row.model_copy(update={"status": "sample", "why": why})


def cross_validation_rows(examples: list[Example], *, seed: int, pairs: int = 10_000) -> Iterator[Row]:
    """Accuracy of a split by pair, of a split by dialogue, and on permuted labels (TF-IDF model)."""
    on = f"INSPIRED dev and test, {len(examples)} sentences, TF-IDF"
    for protocol, split in (("pairs", "split by pair, as in the paper"), ("dialogue", "split by dialogue")):
        found = evaluate(recipe("tfidf"), examples, protocol=protocol, seed=seed, pairs=pairs, resamples=500)  # type: ignore[arg-type]
        side = found.pairs.by_cluster
        for what, estimate in (("accuracy", side.accuracy), ("kappa", side.kappa)):
            yield Row(part=PART34, what=f"{split}: {what} of balanced pairs", on=on, ours=estimate, status="ours")
        if found.leak is not None:
            leak = Estimate(value=found.leak.pair_accuracy, n=found.pairs.n)
            why = "on permuted labels: accuracy above .5 indicates memorisation"
            what = f"{split}: accuracy on permuted labels"
            yield Row(part=PART34, what=what, on=on, ours=leak, status="ours", why=why)
        if found.labels is not None:
            yield from _hard(found.labels.classes, hard_classes(found.labels), on)


def encoder_rows() -> Iterator[Row]:
    """The published numbers of Tables 3 and 4, with what it would cost to compute them."""
    for name in TABLE4:
        folds = [(f"fold {number}: accuracy", value) for number, value in enumerate(TABLE3[name])]
        for what, value in (*folds, ("mean accuracy", TABLE4[name][0]), ("kappa", TABLE4[name][1])):
            why = COST.format(hard=SETTINGS[name])
            yield Row(part=PART34, what=f"{name}: {what}", on="INSPIRED", paper=value, status="not attempted", why=why)


def _hard(classes: object, hard: dict[str, str], on: str) -> Iterator[Row]:
    paper = {
        "personal_experience": 0.60,
        "rephrase_preference": 0.45,
        "self_modeling": 0.31,
        "similarity": 0.53,
        "transparency": 0.65,
    }
    for one in classes:  # type: ignore[attr-defined]
        if one.strategy not in {*paper, *hard} or one.recall is None:
            continue
        taken = hard.get(one.strategy) or (one.confusions[0].strategy if one.confusions else "nothing")
        why = f"most often confused with {taken}" + (
            f", in the paper with {PAPER_CONFUSIONS[one.strategy]}" if one.strategy in PAPER_CONFUSIONS else ""
        )
        why += (
            "; the paper used five times as many dialogues"
            if one.strategy in paper
            else f"; not below {HARD_RECALL_BELOW} there"
        )
        yield Row(
            part=PART2,
            what=one.strategy,
            on=on,
            paper=paper.get(one.strategy),
            ours=Estimate(value=one.recall, n=one.n),
            status="differs" if one.strategy in paper else "ours",
            why=why,
        )
