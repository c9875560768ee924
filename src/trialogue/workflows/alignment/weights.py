"""Weight situations in alignment by how predictable the human's next strategy is."""

from collections.abc import Iterator, Sequence

from trialogue.errors import UsageError
from trialogue.records import Labeller, Situation, Utterance
from trialogue.strategies.next_strategy.ngram import MAX_ORDER, NGram, NGramFit
from trialogue.strategies.next_strategy.sequence import sequences_of
from trialogue.strategies.next_strategy.weights import WEIGHT_BY, write_weights
from trialogue.workflows.alignment.planning import labelled_by_people, rebuild_dialogues
from trialogue.workflows.inputs.inputs import gather
from trialogue.workflows.inputs.label_origins import with_labellers
from trialogue.workflows.inputs.locations import Named

WEIGHTED = "behavior_alignment(weight=inverse_entropy)"


def weighted_situations(
    situations: Sequence[Situation], data: Sequence[Named], *, t: int = 1, labels_by: Labeller | None = None
) -> Iterator[Situation]:
    """Situations in order, with references weighted by the inverse entropy of the next strategy (section 8).

    The n-gram model (order t + 1, Witten-Bell) that weighs a situation has not seen the situation's own dialogue, even
    where that is among the data.

    Args:
        situations: situations with contexts whose system utterances are labelled: an unlabelled one is a token of its own.
        data: corpora or files with labelled dialogues of people.
        t: number of behaviors of both sides to look back on.
        labels_by: who gave the labels of the data that do not say it.

    Raises:
        DataError: labels of the data do not say who gave them.
        UsageError: t is out of bounds, or the data hold no labelled dialogues, or only the one that is weighed.
    """
    if not 0 <= t < MAX_ORDER:
        raise UsageError(f"t must be 0 (no history) to {MAX_ORDER - 1} behaviors, got {t}.")
    material = with_labellers(gather(data), labels_by, data)
    people = sequences_of([*labelled_by_people(material.dialogues), *rebuild_dialogues(material.situations)])
    fit = NGramFit(order=t + 1)
    whole = fit(list(people.values()))
    without: dict[str, NGram] = {}
    for situation in situations:
        own = situation.dialogue_id
        if own is None or own not in people:
            yield from write_weights([situation], whole, t=t)
            continue
        if own not in without:
            without[own] = fit([tokens for name, tokens in people.items() if name != own])
        (found,) = write_weights([situation], without[own], t=t)
        by = f"{whole.origin},own_dialogue_left_out|t={t}"
        yield (
            found
            if found.reference is None
            else found.model_copy(update={"reference": _record_weighter(found.reference, by)})
        )


def _record_weighter(reference: Utterance, by: str) -> Utterance:
    return reference.model_copy(update={"meta": {**reference.meta, WEIGHT_BY: by}})
