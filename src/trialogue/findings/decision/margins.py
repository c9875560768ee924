"""Superiority, non-inferiority and equivalence tests of differences against margins.

A difference exceeds a margin if its whole interval does. With several pairs the intervals are widened by Bonferroni's
correction, so that they hold for all pairs together.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trialogue.findings.family import stretched_ends
from trialogue.findings.protocol import Margins
from trialogue.findings.standings import Contrast, League
from trialogue.findings.threat import EFFECTS, Threat, Validity, weakest
from trialogue.findings.wording import list_names
from trialogue.records import Estimate


def exceeds_superiority(contrast: Contrast, margin: float, *, pairs: int, alpha: float) -> bool:
    """Whether the better system of a pair exceeds the superiority margin."""
    ends = simultaneous_ends(contrast.difference, pairs=pairs, alpha=alpha)
    return ends is not None and (ends[0] > margin or ends[1] < -margin)


def simultaneous_ends(difference: Estimate, *, pairs: int, alpha: float) -> tuple[float, float] | None:
    """Ends of a difference's simultaneous interval over all pairs; None without an interval.

    Bonferroni's, by ``stretched_ends``.

    >>> from trialogue.records import Interval
    >>> difference = Estimate(value=1.0, interval=Interval(low=0.0, high=2.0, method="t"), n=40, clusters=40)
    >>> simultaneous_ends(difference, pairs=1, alpha=0.05)
    (0.0, 2.0)
    """
    return stretched_ends(difference, alpha / pairs)


def margin_sentences(league: League, margins: Margins, threats: Sequence[Threat], *, alpha: float) -> Iterator[str]:
    """Sentences on each pair of the primary measure against the margins.

    A claim in favour of a system passes the same threats as a verdict in its favour: blocked pairs are passed over, and what
    is demoted is said to be conditional.
    """
    pairs = [contrast for contrast in league.contrasts if contrast.verdict != "undefined"]
    own = [threat for threat in threats if threat.concerns_measure(league.measure.name)]
    if margins.superiority is not None and any(contrast.leader is not None for contrast in pairs):
        yield (
            f"A system counts as better only if it is better by more than {margins.superiority:g} (superiority margin)."
        )
    if (margin := margins.non_inferiority) is not None:
        # len(pairs): each interval is widened by Bonferroni, so that all claims hold together.
        claims = [claim for pair in pairs for claim in _not_worse(pair, league, margin, len(pairs), alpha)]
        named = f"{margin:g} (non-inferiority margin)"
        nothing = f"No system is shown to be non-inferior to another one within {named}."
        yield from _claim_sentences(claims, own, f"Not worse by more than {named}", "{} against {}", nothing)
    if (margin := margins.equivalence) is not None:
        both = [Claim(pair, (pair.a, pair.b)) for pair in pairs if _is_within(pair, margin, len(pairs), alpha)]
        nothing = f"No pair is shown to be equivalent (to differ by less than {margin:g})."
        yield from _claim_sentences(both, own, f"Equivalent (differ by less than {margin:g})", "{} and {}", nothing)


@dataclass(frozen=True)
class Claim:
    """Claim about one pair based on a margin."""

    pair: Contrast
    """The pair."""
    favours: tuple[str, ...]
    """The systems in whose favour it is: what makes them look better than they are speaks against it."""

    @property
    def names(self) -> tuple[str, str]:
        """The system that the claim is about, and the other one."""
        first = self.favours[0]
        return first, self.pair.b if first == self.pair.a else self.pair.a

    def validity(self, threats: Sequence[Threat]) -> Validity:
        """Validity of the claim after threats."""
        return weakest(
            [
                EFFECTS[threat.severity]
                for threat in threats
                for system in self.favours
                if threat.concerns_pair(self.pair.a, self.pair.b, ahead=system)
            ]
        )


def _claim_sentences(
    claims: Sequence[Claim], threats: Sequence[Threat], what: str, names: str, nothing: str
) -> Iterator[str]:
    """Claims in sentences, those that are conditional apart; ``nothing`` if none is left."""
    validities = [claim.validity(threats) for claim in claims]
    for validity, prefix in ((Validity.FIRM, ""), (Validity.CONDITIONAL, "Conditional on the threats listed below: ")):
        found = [names.format(*claim.names) for claim, each in zip(claims, validities, strict=True) if each is validity]
        if found:
            yield f"{prefix}{what}: {list_names(found)}."
    if all(validity is Validity.BLOCKED for validity in validities):
        yield nothing


def _not_worse(contrast: Contrast, league: League, margin: float, pairs: int, alpha: float) -> Iterator[Claim]:
    """For each side of a pair, that it is certainly not worse by more than the margin."""
    ends = simultaneous_ends(contrast.difference, pairs=pairs, alpha=alpha)
    if ends is None:
        return
    low, high = ends if league.measure.better == "higher" else (-ends[1], -ends[0])  # the higher the better for a
    if low > -margin:
        yield Claim(contrast, (contrast.a,))
    if high < margin:
        yield Claim(contrast, (contrast.b,))


def _is_within(contrast: Contrast, margin: float, pairs: int, alpha: float) -> bool:
    ends = simultaneous_ends(contrast.difference, pairs=pairs, alpha=alpha)
    return ends is not None and -margin < ends[0] and ends[1] < margin
