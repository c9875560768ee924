"""Predict the next strategy of a human recommender in given dialogues, with a sequence model trained on human labels."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from trialogue.errors import DataError, Problem
from trialogue.inputs.inputs import gather
from trialogue.inputs.label_origins import with_labellers
from trialogue.inputs.locations import Named
from trialogue.records import Dialogue, Labeller, Situation
from trialogue.seeds import rng_for
from trialogue.strategies.base import StrategyClassifier
from trialogue.strategies.labelling import Options, label_records
from trialogue.strategies.next_strategy.evaluation import (
    FOLDS,
    NextStrategyAccuracy,
    cross_validate,
    next_strategy_accuracy,
)
from trialogue.strategies.next_strategy.ngram import NGramFit
from trialogue.strategies.next_strategy.planner import Plan, plan_next
from trialogue.strategies.next_strategy.sequence import SequenceFit, SequenceModel, Tokens, sequences_of

ORDER = 2  # what cross-validation on INSPIRED's dev and test chooses: benchmarks/SEQUENCE.md
DEMO = "demo"


@dataclass(frozen=True)
class NextModel:
    """Next-strategy model with its training data."""

    model: SequenceModel
    trained_on: str
    """Description of the training data."""
    warning: str | None = None
    """Why it is not to be relied on; None where nothing speaks against it."""


def next_model(data: Sequence[Named] = (), *, labels_by: Labeller | None = None) -> NextModel:
    """Train a next-strategy model on dialogues with labelled system utterances.

    Args:
        data: corpora or files, such as ``"inspired"``; none: the 18 bundled dialogues of an invented human recommender.
            Of situations, those of one dialogue count as that dialogue, as far as the last of them goes.
        labels_by: who gave the labels of the data that do not say it.

    Raises:
        DataError: labels of the data do not say who gave them.
        UsageError: no dialogue has labels.
    """
    given: list[Named] = list(data) or [DEMO]
    sequences = list(_sequences(given, labels_by).values())
    what = f"{len(sequences)} labelled dialogues of {', '.join(map(str, given))}"
    few = None
    if not data:
        few = (
            f"trained on only {len(sequences)} invented dialogues: it shows how planning works, but is not "
            "reliable. Train it on human dialogues: --data inspired"
        )
    return NextModel(NGramFit(order=ORDER)(sequences), what, few)


def _sequences(given: Sequence[Named], labels_by: Labeller | None) -> dict[str, Tokens]:
    material = with_labellers(gather(given), labels_by, given)
    return sequences_of([*labelled_by_people(material.dialogues), *rebuild_dialogues(material.situations)])


def cross_validate_planner(
    data: Sequence[Named],
    *,
    folds: int = FOLDS,
    seed: int = 0,
    resamples: int = 2_000,
    labels_by: Labeller | None = None,
) -> tuple[int, dict[str, NextStrategyAccuracy]]:
    """Number of labelled dialogues, and cross-validated accuracy of next-strategy prediction.

    Beside it, under ``"frequencies"``, what needs no history: how often people use each strategy.

    Args:
        data: corpora or files with dialogues, or situations, that people labelled.
        folds: parts; each is predicted by a model of the others.
        seed: random seed for folds and intervals.
        resamples: bootstrap resamples of dialogues.
        labels_by: as for ``next_model``.

    Raises:
        DataError: labels of the data do not say who gave them.
        UsageError: no dialogue has labels, or fewer have than there are folds.
    """
    sequences = _sequences(data, labels_by)
    fits: dict[str, SequenceFit] = {"frequencies": NGramFit(order=1), "ngram": NGramFit(order=ORDER)}
    found = {
        name: cross_validate(fit, sequences, folds=folds, rng=rng_for(seed, "sequence folds"))
        for name, fit in fits.items()
    }
    rng = rng_for(seed, "foresight")
    return len(sequences), {
        name: next_strategy_accuracy(each, rng=rng, resamples=resamples) for name, each in found.items()
    }


def labelled_by_people(dialogues: Iterable[Dialogue]) -> Iterator[Dialogue]:
    """Dialogues with a human label on some system utterance."""
    for dialogue in dialogues:
        labels = [label for said in dialogue.utterances for label in said.strategies or ()]
        if any(label.is_ground_truth for label in labels):
            yield dialogue


def rebuild_dialogues(situations: Iterable[Situation]) -> Iterator[Dialogue]:
    """Rebuild each dialogue from its longest situation, with the reference as the last utterance."""
    longest: dict[str, Situation] = {}
    for situation in situations:
        key = situation.dialogue_id or situation.id
        if situation.reference is not None and len(situation.context) >= len(longest.get(key, situation).context):
            longest[key] = situation
    for key, situation in longest.items():
        assert situation.reference is not None
        yield Dialogue(
            id=key, utterances=(*situation.context, situation.reference), system="human", source=situation.source
        )


@dataclass(frozen=True)
class StrategyPlan:
    """Plan for one dialogue or situation."""

    id: str
    plan: Plan

    def to_json(self) -> dict[str, object]:
        """All fields as JSON values."""
        return {
            "id": self.id,
            "next": self.plan.probabilities,
            "instruction": self.plan.instruction(),
            "history": list(self.plan.history),
            "unlabelled": self.plan.unlabelled_count,
            "model": self.plan.origin,
        }


def plans(
    given: Sequence[Named], model: SequenceModel, labeller: StrategyClassifier, *, ids: Sequence[str] = ()
) -> Iterator[StrategyPlan]:
    """Predicted next strategy after each dialogue, and in each situation, of files or corpora.

    System utterances that nobody has labelled are labelled first; the reference of a situation is not looked at.

    Args:
        given: corpora or files.
        model: model of the next strategy.
        labeller: labeller of the strategies of what was said.
        ids: ids of dialogues or situations, to plan for these only.

    Raises:
        DataError: there are no dialogues or situations, or none of these ids.
    """
    material = gather(given)
    found: list[Dialogue | Situation] = [*material.dialogues, *material.situations]
    if ids:
        found = [one for one in found if one.id in frozenset(ids)]
    if not found:
        what = f"it contains no {' or '.join(map(repr, ids))}" if ids else "it contains no dialogues or situations"
        raise DataError(
            Problem(f"{what}.", ", ".join(map(str, given)), hint="Give the conversation so far, such as a dialogue.")
        )
    for one in label_records(found, labeller, options=Options()):
        yield StrategyPlan(one.id, plan_next(model, one))
