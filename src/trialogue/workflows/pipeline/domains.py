"""Whether a measure's domain holds the data: asked of every measure that declares one."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, runtime_checkable

from trialogue.metrics import AnyMetric, Conversation
from trialogue.records import Departure, Dialogue, DomainFit

DEPARTURES: dict[Departure, str] = {
    "subject": "are about something else",
    "turns": "have fewer or more user turns",
    "user_words": "have shorter or longer user turns",
    "reply_words": "have shorter or longer replies",
}


@runtime_checkable
class HasDomain(Protocol):
    """A metric that knows what the dialogues are like that it was learned from."""

    def domain_fit(self, dialogues: Iterable[Dialogue], *, is_measured: bool) -> DomainFit | None:
        """How many dialogues are like them; None where that is not known."""
        ...


def fits_domain(metric: AnyMetric, conversations: Sequence[Conversation]) -> bool:
    """Whether a metric's domain holds the dialogues; true for a metric that declares none."""
    return all(fit.fits for fit in domain_fits([metric], conversations, are_measured=False))


def domain_fits(
    metrics: Iterable[AnyMetric], conversations: Sequence[Conversation], *, are_measured: bool
) -> tuple[DomainFit, ...]:
    """How the dialogues of conversations fit the domains of metrics, for those that declare one.

    Args:
        metrics: any.
        conversations: what they are to measure.
        are_measured: whether the metrics are computed whatever comes out.
    """
    dialogues = [each.dialogue for each in conversations if each.dialogue is not None]
    fits = (
        metric.domain_fit(dialogues, is_measured=are_measured) for metric in metrics if isinstance(metric, HasDomain)
    )
    return tuple(fit for fit in fits if fit is not None)


def domain_lines(fits: Iterable[DomainFit]) -> Iterator[str]:
    """One sentence for each measure whose domain does not hold the data."""
    for fit in fits:
        if not fit.fits:
            yield _line(fit)


def _line(fit: DomainFit) -> str:
    """Why a measure was left out, or what its values are worth, with the counts that say so."""
    causes = sorted(fit.departures.items(), key=lambda item: -item[1])
    counts = ", ".join(f"{count:,} {DEPARTURES[departure]}" for departure, count in causes)
    inside = f"{fit.inside:,} of {fit.dialogues:,} dialogues are like those that it was learned from ({fit.domain})"
    facts = f"{inside}; {counts}."
    if fit.is_measured:
        return f"{fit.measure} is used outside its domain, where its agreement with people is unknown or weak: {facts}"
    return f"{fit.measure} is not among the default measures here: {facts} Name it with -m to have it nonetheless."
