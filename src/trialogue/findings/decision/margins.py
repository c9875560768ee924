"""Superiority, non-inferiority and equivalence tests of differences against margins, and the difference that matters.

A difference exceeds a margin if its whole interval does. With several pairs the intervals are widened by Bonferroni's
correction, so that they hold for all pairs together.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from trialogue.findings.family import bounds_at_level
from trialogue.findings.protocol import Margins
from trialogue.findings.standings import Contrast, League
from trialogue.findings.threat import VALIDITY_BY_SEVERITY, Threat, Validity, lowest_validity
from trialogue.findings.wording import list_names
from trialogue.records import Estimate


def exceeds_superiority(contrast: Contrast, margin: float, *, pairs: int, alpha: float) -> bool:
    """Whether the better system of a pair exceeds the superiority margin."""
    bounds = simultaneous_bounds(contrast.difference, pairs=pairs, alpha=alpha)
    return bounds is not None and (bounds[0] > margin or bounds[1] < -margin)


def simultaneous_bounds(difference: Estimate, *, pairs: int, alpha: float) -> tuple[float, float] | None:
    """Bounds of a difference's interval, widened by Bonferroni to hold for all pairs together; None without an interval.

    >>> from trialogue.records import Interval
    >>> difference = Estimate(value=1.0, interval=Interval(low=0.0, high=2.0, method="t"), n=40, clusters=40)
    >>> simultaneous_bounds(difference, pairs=1, alpha=0.05)
    (0.0, 2.0)
    """
    return bounds_at_level(difference, alpha / pairs)


def margin_sentences(league: League, margins: Margins, threats: Sequence[Threat], *, alpha: float) -> Iterator[str]:
    """Sentences on each pair of the primary measure against the margins.

    A claim in favour of a system passes the same threats as a verdict in its favour: blocked pairs are passed over, and what
    is demoted is said to be conditional.
    """
    pairs = [contrast for contrast in league.contrasts if contrast.verdict != "undefined"]
    own = [threat for threat in threats if threat.concerns_measure(league.measure.name)]
    if (least := margins.matters) is not None:
        yield from _size_sentences(pairs, league, own, least, alpha)
    if margins.superiority is not None and any(contrast.leader is not None for contrast in pairs):
        yield (
            f"A system counts as better only if it is better by more than {margins.superiority:g} (superiority margin)."
        )
    if (margin := margins.non_inferiority) is not None:
        # len(pairs): each interval is widened by Bonferroni, so that all claims hold together.
        claims = [claim for pair in pairs for claim in _non_inferiority_claims(pair, league, margin, len(pairs), alpha)]
        margin_text = f"{margin:g} (non-inferiority margin)"
        yield from _claim_sentences(
            claims,
            own,
            claim_text=f"Not worse by more than {margin_text}",
            pair_template="{} against {}",
            if_none=f"No system is shown to be non-inferior to another one within {margin_text}.",
        )
    if (margin := margins.equivalence) is not None:
        claims = [Claim(pair, (pair.a, pair.b)) for pair in pairs if _is_equivalent(pair, margin, len(pairs), alpha)]
        yield from _claim_sentences(
            claims,
            own,
            claim_text=f"Equivalent (differ by less than {margin:g})",
            pair_template="{} and {}",
            if_none=f"No pair is shown to be equivalent (to differ by less than {margin:g}).",
        )


class Size(StrEnum):
    """Size of a difference against the smallest one that matters."""

    MATTERS = "matters"
    """The whole interval lies beyond it."""
    OPEN = "open"
    """There is a difference, and the interval lies on both sides of it."""
    TOO_SMALL = "too small"
    """There is a difference, and the whole interval lies below it."""
    NONE = "none"
    """The whole interval lies between it and its opposite, 0 included."""
    UNDECIDED = "undecided"
    """Anything else: there may be a difference that matters, and there may be none."""


SIZE_TEXTS: Mapping[Size, str] = {
    Size.MATTERS: "Better by more than {m:g}, the smallest difference that matters",
    Size.OPEN: "Better, but it is open whether by {m:g} or more, the smallest difference that matters",
    Size.TOO_SMALL: "Better, but by less than {m:g}, the smallest difference that matters",
    Size.NONE: "No difference that matters (of {m:g} or more)",
    Size.UNDECIDED: "Undecided whether there is a difference that matters (of {m:g} or more)",
}


def size_of(low: float, high: float, least: float, *, is_better: bool) -> Size:
    """Size of a difference with an interval.

    Args:
        low: lower end, of the better system less the other one.
        high: upper end.
        least: smallest difference that matters.
        is_better: whether the corrected test says that there is a difference; its interval may still contain 0.

    >>> [size_of(*ends, 1, is_better=True).value for ends in ((2, 3), (0.5, 3), (0.1, 0.9))]
    ['matters', 'open', 'too small']
    >>> [size_of(*ends, 1, is_better=False).value for ends in ((-0.5, 0.9), (-0.5, 2))]
    ['none', 'undecided']
    """
    if is_better:
        return Size.MATTERS if low > least else Size.OPEN if high > least else Size.TOO_SMALL
    return Size.NONE if -least <= low and high <= least else Size.UNDECIDED


def _size_sentences(
    pairs: Sequence[Contrast], league: League, threats: Sequence[Threat], least: float, alpha: float
) -> Iterator[str]:
    """A sentence for each size that some pairs have, the largest first."""
    claims: dict[Size, list[Claim]] = {size: [] for size in Size}
    for pair in pairs:
        bounds = simultaneous_bounds(pair.difference, pairs=len(pairs), alpha=alpha)
        if pair.simultaneous is not None:  # of the family that the verdicts are of
            bounds = pair.simultaneous.low, pair.simultaneous.high
        if bounds is None:
            continue
        # Signs as the leader is ahead: of a measure where lower is better, its difference is negative.
        is_turned = pair.leader is not None and (pair.leader == pair.a) != (league.measure.better == "higher")
        low, high = (-bounds[1], -bounds[0]) if is_turned else bounds
        size = size_of(low, high, least, is_better=pair.leader is not None)
        claims[size].append(Claim(pair, (pair.a, pair.b) if pair.leader is None else (pair.leader,)))
    for size, own in claims.items():
        template = "{} and {}" if size in (Size.NONE, Size.UNDECIDED) else "{} than {}"
        text = SIZE_TEXTS[size].format(m=least)
        if own:
            yield from _claim_sentences(own, threats, claim_text=text, pair_template=template, if_none="")


@dataclass(frozen=True)
class Claim:
    """Claim about one pair based on a margin."""

    pair: Contrast
    favoured_systems: tuple[str, ...]
    """Systems that it speaks for; threats that make one of them look better than it is weaken the claim."""

    @property
    def names(self) -> tuple[str, str]:
        """The system that the claim is about, and the other one."""
        first = self.favoured_systems[0]
        return first, self.pair.b if first == self.pair.a else self.pair.a

    def validity(self, threats: Sequence[Threat]) -> Validity:
        """Validity of the claim after threats."""
        return lowest_validity(
            [
                VALIDITY_BY_SEVERITY[threat.severity]
                for threat in threats
                for system in self.favoured_systems
                if threat.concerns_pair(self.pair.a, self.pair.b, ahead=system)
            ]
        )


def _claim_sentences(
    claims: Sequence[Claim], threats: Sequence[Threat], *, claim_text: str, pair_template: str, if_none: str
) -> Iterator[str]:
    """One sentence that lists the pairs of the firm claims, one of the conditional ones; ``if_none`` if all are blocked."""
    validities = [claim.validity(threats) for claim in claims]
    for validity, prefix in ((Validity.FIRM, ""), (Validity.CONDITIONAL, "Conditional on the threats listed below: ")):
        pairs = [
            pair_template.format(*claim.names)
            for claim, each in zip(claims, validities, strict=True)
            if each is validity
        ]
        if pairs:
            yield f"{prefix}{claim_text}: {list_names(pairs)}."
    if if_none and all(validity is Validity.BLOCKED for validity in validities):  # also if there are no claims at all
        yield if_none


def _non_inferiority_claims(
    contrast: Contrast, league: League, margin: float, pairs: int, alpha: float
) -> Iterator[Claim]:
    """For each side of a pair that is not worse by more than the margin: one claim."""
    bounds = simultaneous_bounds(contrast.difference, pairs=pairs, alpha=alpha)
    if bounds is None:
        return
    low, high = bounds if league.measure.better == "higher" else (-bounds[1], -bounds[0])  # the higher the better for a
    if low > -margin:
        yield Claim(contrast, (contrast.a,))
    if high < margin:
        yield Claim(contrast, (contrast.b,))


def _is_equivalent(contrast: Contrast, margin: float, pairs: int, alpha: float) -> bool:
    bounds = simultaneous_bounds(contrast.difference, pairs=pairs, alpha=alpha)
    return bounds is not None and -margin < bounds[0] and bounds[1] < margin
