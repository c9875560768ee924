"""What would a human recommender do next? A model of strategies in a row, trained on people, asked about dialogues."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from trialogue.errors import DataError, Problem, UsageError
from trialogue.evaluation.material import gather
from trialogue.records import Dialogue, Situation
from trialogue.strategies.base import Labeller
from trialogue.strategies.label import Options, label_records
from trialogue.strategies.sequence import SequenceModel, sequences_of
from trialogue.strategies.sequence_ngram import NGramFit
from trialogue.strategies.sequence_planner import Plan, plan_next
from trialogue.strategies.sequence_recurrent import RecurrentFit

SequenceKind: TypeAlias = Literal["ngram", "recurrent"]
ORDER = 2  # what cross-validation on INSPIRED's dev and test chooses: benchmarks/SEQUENCE.md
DEMO = "demo"


@dataclass(frozen=True)
class NextModel:
    """A model of the next strategy with what it was trained on."""

    model: SequenceModel
    trained_on: str
    """In words."""
    warning: str | None = None
    """Why it is not to be relied on; None where nothing speaks against it."""


def next_model(data: Sequence[str] = (), *, kind: SequenceKind = "ngram", seed: int = 0) -> NextModel:
    """A model of what human recommenders do next, trained on dialogues whose system utterances are labelled.

    Args:
        data: corpora or files, such as ``"inspired"``; none: the 18 bundled dialogues of an invented human recommender.
            Of situations, those of one dialogue count as that dialogue, as far as the last of them goes.
        kind: ``"ngram"`` of order 2, or ``"recurrent"``, the small network (better, and it trains for some seconds).
        seed: of the network.

    Raises:
        UsageError: another kind, or no dialogue has labels.
    """
    if kind not in get_args(SequenceKind):
        raise UsageError(f"the model must be {' or '.join(get_args(SequenceKind))}, got {kind!r}.")
    given = list(data) or [DEMO]
    material = gather(given)
    dialogues = [*labelled_by_people(material.dialogues), *whole_dialogues(material.situations)]
    sequences = list(sequences_of(dialogues).values())
    fit = NGramFit(order=ORDER) if kind == "ngram" else RecurrentFit(seed=seed)
    what = f"{len(sequences)} labelled dialogues of {', '.join(given)}"
    few = None
    if not data:
        few = (
            f"trained on {len(sequences)} invented dialogues only: it shows how planning works and is no authority. "
            "Train it on people: --data inspired"
        )
    return NextModel(fit(sequences), what, few)


def labelled_by_people(dialogues: Iterable[Dialogue]) -> Iterator[Dialogue]:
    """Dialogues with a label of a person on some system utterance."""
    for dialogue in dialogues:
        labels = [label for said in dialogue.utterances for label in said.strategies or ()]
        if any(label.probability is None for label in labels):
            yield dialogue


def whole_dialogues(situations: Iterable[Situation]) -> Iterator[Dialogue]:
    """Of the situations of each dialogue the longest one, with its reference as the last utterance."""
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
class Planned:
    """The plan for one dialogue or situation."""

    id: str
    plan: Plan

    def to_json(self) -> dict[str, object]:
        """Everything, as JSON values."""
        return {
            "id": self.id,
            "next": self.plan.probabilities,
            "instruction": self.plan.instruction(),
            "history": list(self.plan.history),
            "unlabelled": self.plan.unlabelled,
            "model": self.plan.origin,
        }


def plans(
    given: Sequence[str], model: SequenceModel, labeller: Labeller, *, ids: Sequence[str] = ()
) -> Iterator[Planned]:
    """What a human recommender would do after each dialogue, and in each situation, of some files or corpora.

    System utterances that nobody has labelled are labelled first; the reference of a situation is not looked at.

    Args:
        given: corpora or files.
        model: of the next strategy.
        labeller: of the strategies of what was said.
        ids: of dialogues or situations, to plan for these only.

    Raises:
        DataError: there are no dialogues or situations, or none of these ids.
    """
    material = gather(given)
    found: list[Dialogue | Situation] = [*material.dialogues, *material.situations]
    if ids:
        found = [one for one in found if one.id in frozenset(ids)]
    if not found:
        what = (
            f"there is no {' or '.join(map(repr, ids))} in it" if ids else "there are no dialogues or situations in it"
        )
        raise DataError(Problem(f"{what}.", ", ".join(given), hint="Give what was said so far, such as a dialogue."))
    for one in label_records(found, labeller, options=Options()):
        yield Planned(one.id, plan_next(model, one))
