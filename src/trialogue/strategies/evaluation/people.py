"""Agreement between people who labelled the same sentences, the yardstick for a labeller's agreement with them."""

from collections.abc import Iterable, Iterator

from trialogue.records import Dialogue, Estimate, Reason, ReasonCode
from trialogue.seeds import rng_for
from trialogue.stats import cohen_kappa

RESAMPLES = 2_000


def kappa_between_people(dialogues: Iterable[Dialogue], *, origin: str = "expert", seed: int = 0) -> Estimate:
    """Cohen's kappa of the labels of one annotator and those of the others on the same sentences.

    The interval resamples dialogues. Only sentences that somebody labelled a second time count, which may have been chosen
    because they were hard; ``n`` says how many they are.

    Args:
        dialogues: dialogues with labels by people.
        origin: whose labels are compared with everybody else's.
        seed: seed for the resamples.
    """
    pairs = list(_pairs(dialogues, origin))
    if len(pairs) < 2:
        return Estimate(value=None, n=len(pairs), why=Reason.of(ReasonCode.TOO_FEW_RATERS, raters=1))
    first, second, clusters = zip(*pairs, strict=True)
    rng = rng_for(seed, "kappa between people")
    return cohen_kappa(first, second, clusters=clusters, rng=rng, resamples=RESAMPLES)


def _pairs(dialogues: Iterable[Dialogue], origin: str) -> Iterator[tuple[str, str, str]]:
    """(one's label, another's label, dialogue) of each sentence with labels by both; the first label of each counts."""
    for dialogue in dialogues:
        for utterance in dialogue.utterances:
            by_text: dict[str | None, dict[str, str]] = {}
            for label in utterance.strategies or ():
                if label.is_by_a_person:
                    by_text.setdefault(label.text, {}).setdefault(label.origin, label.strategy)
            for given in by_text.values():
                if origin in given:
                    yield from ((given[origin], other, dialogue.id) for name, other in given.items() if name != origin)
