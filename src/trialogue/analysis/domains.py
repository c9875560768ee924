"""Check the data against the domain of every measure that declares one."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Protocol, runtime_checkable

from trialogue.findings.wording import list_names
from trialogue.metrics import AnyMetric, Conversation, group_by_system
from trialogue.records import Departure, Dialogue, DomainFit, MeasureName

BATCH_SIZE = 256  # conversations, which are streamed: not all of them need fit in memory
DEPARTURE_TEXTS: dict[Departure, str] = {
    "subject": "are about another topic",
    "turns": "have fewer or more user turns",
    "user_words": "have shorter or longer user turns",
    "reply_words": "have shorter or longer replies",
}


@runtime_checkable
class HasDomain(Protocol):
    """A metric with a training domain."""

    def domain_fit(self, dialogues: Iterable[Dialogue], *, is_measured: bool) -> DomainFit | None:
        """Number of dialogues in the domain; None if it is unknown."""
        ...


def domain_fits(
    metrics: Iterable[AnyMetric], conversations: Iterable[Conversation], *, are_measured: bool = False
) -> tuple[DomainFit, ...]:
    """Domain fit of each system's dialogues, for metrics that declare a domain.

    Args:
        metrics: metrics; those that declare no domain are passed over.
        conversations: what they would measure.
        are_measured: whether the metrics are computed even outside their domain, as the user named them.
    """
    declared = [metric for metric in metrics if isinstance(metric, HasDomain)]
    if not declared:
        return ()
    fits: dict[tuple[int, str], DomainFit] = {}  # by position of the metric and system
    stream = iter(conversations)
    while batch := list(islice(stream, BATCH_SIZE)):
        for system, group in group_by_system(batch).items():
            dialogues = [one for each in group if (one := each.dialogue) is not None and one.utterances]
            for place, metric in enumerate(declared if dialogues else ()):
                fit = metric.domain_fit(dialogues, is_measured=are_measured)
                if fit is not None:
                    earlier = fits.get((place, system))
                    fits[place, system] = fit if earlier is None else earlier + fit
    return tuple(fits[key].model_copy(update={"system": key[1]}) for key in sorted(fits))


def domain_lines(fits: Sequence[DomainFit]) -> Iterator[str]:
    """One sentence per measure whose domain does not fit every system's dialogues."""
    for measure in dict.fromkeys(fit.measure for fit in fits):
        own = [fit for fit in fits if fit.measure == measure]
        outside = [fit for fit in own if not fit.fits]
        if outside:
            yield _line(outside, is_of_all=len(outside) == len(own))


def _line(outside: Sequence[DomainFit], *, is_of_all: bool) -> str:
    """Why a measure was left out, or what its values are worth, with the counts that say so."""
    departures = Counter[Departure]()
    for each in outside:
        departures.update(each.departures)
    fit = outside[0]
    counts = ", ".join(f"{count:,} {DEPARTURE_TEXTS[departure]}" for departure, count in departures.most_common())
    inside, dialogues = sum(each.inside for each in outside), sum(each.dialogues for each in outside)
    whose = "" if is_of_all else " of " + list_names([str(each.system) for each in outside])
    like = f"{inside:,} of {dialogues:,} dialogues{whose} resemble those it was trained on ({fit.domain})"
    facts = f"{like}; {counts}."
    name = MeasureName(fit.measure)
    what = name.prose.capitalize()
    if fit.is_measured:
        return f"{what} is used outside its domain, where its agreement with people is unknown or weak: {facts}"
    return f"{what} is not among the default metrics here: {facts} To include it anyway: -m '{name.short}'."
