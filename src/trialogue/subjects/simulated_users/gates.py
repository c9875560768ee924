"""Rates of dialogues in which users fail quality gates, for simulated and real users."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.records.kinds.suspicions import HINTS, Gate
from trialogue.stats import cluster_sums, estimate_of_sums
from trialogue.stats.resampling.bootstrap import mean_of
from trialogue.subjects.simulated_users.records import Gates, GateShare, Sample


@dataclass(frozen=True)
class GateFlags:
    """Gate results of a set of dialogues."""

    flags: tuple[Mapping[Gate, bool | None], ...]
    """For each dialogue; None: it does not hold what would show the fault."""
    clusters: tuple[str, ...]
    """User of each dialogue."""


def gate_shares(real: GateFlags, simulated: GateFlags, *, confidence: float = 0.95) -> Gates:
    """Shares of dialogues that show any fault, hints left out, and each."""
    return Gates(
        sample=Sample(
            real=len(real.flags),
            people=len(set(real.clusters)),
            simulated=len(simulated.flags),
            cases=len(set(simulated.clusters)),
        ),
        shares=tuple(
            GateShare(gate=gate, simulated=_share(simulated, gate, confidence), real=_share(real, gate, confidence))
            for gate in (None, *Gate)
        ),
    )


def _share(given: GateFlags, gate: Gate | None, confidence: float) -> Estimate:
    flags = [_any(each) if gate is None else each.get(gate) for each in given.flags]
    kept = [place for place, flag in enumerate(flags) if flag is not None]
    if not kept:
        return Estimate(value=None, why=Reason.of(ReasonCode.NO_DIALOGUE_COULD_SHOW_IT), n=0)
    rows = np.array([[float(bool(flags[place])), 1.0] for place in kept])
    sums = cluster_sums(rows, [given.clusters[place] for place in kept])
    return estimate_of_sums(sums, mean_of, is_share=True, confidence=confidence)


def _any(flags: Mapping[Gate, bool | None]) -> bool | None:
    known = [flag for gate, flag in flags.items() if flag is not None and gate not in HINTS]
    return any(known) if known else None
