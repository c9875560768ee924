"""The answer about realism in sentences, with its warnings."""

from trialogue.findings.records import Section, columns
from trialogue.findings.wording import render_estimate
from trialogue.records import MeasureName
from trialogue.subjects.simulated_users.realism.records import Gap, RealismFindings

NAMED = 3  # giveaways in a sentence
PLAIN = 0.1  # distance of an AUC from .5 below which nobody would call it a giveaway


def realism_answer(found: RealismFindings) -> tuple[str, ...]:
    """Sentences on whether simulated users are distinguishable, by which features, and on their ranking of agents."""
    test = found.two_sample
    low = test.auc.interval.low if test.auc.interval else (test.auc.value or 0.5)
    verdict = "can be distinguished from" if low > 0.5 else "cannot be distinguished, by these features, from"
    sentences = [
        (
            f"Simulated users {verdict} real ones: a classifier tested on held-out users has AUC "
            f"{render_estimate(test.auc)} ({test.real} real and {test.simulated} simulated dialogues)."
        )
    ]
    plain = [gap for gap in found.gaps if _tells(gap)][:NAMED]
    if plain:
        sentences.append("The strongest giveaways: " + "; ".join(map(_describe_gap, plain)) + ".")
    if found.divergence is not None and found.divergence.value.value is not None:
        part = found.divergence
        halves = (
            f"; random halves of the real users differ by {part.split_half.value:.3f}"
            if part.split_half.value is not None
            else ""
        )
        sentences.append(f"Their behavior ({part.acts}) differs by DS-KL {render_estimate(part.value)}{halves}.")
    sentences += [_order(found)] if found.predictions else []
    return tuple(sentences)


def _tells(gap: Gap) -> bool:
    value, interval = gap.giveaway.value, gap.giveaway.interval
    sure = interval is None or interval.low > 0.5 or interval.high < 0.5
    return value is not None and sure and abs(value - 0.5) >= PLAIN


def _describe_gap(gap: Gap) -> str:
    real, own = gap.real.value or 0.0, gap.simulated.value or 0.0
    return f"{gap.title} ({own:.2f} simulated, {real:.2f} real)"


def _order(found: RealismFindings) -> str:
    refused = next((each.refusal for each in found.predictions if each.refusal), None)
    if refused:
        return f"Whether they rank agents in the same order as real users cannot be determined: {refused}."
    best = max(found.predictions, key=lambda each: each.spearman.value if each.spearman.value is not None else -2.0)
    return (
        f"Their ranking of {len(best.real.systems)} agents comes closest to that of real users "
        f"({MeasureName(best.against).short}) by {MeasureName(best.measure).short}: ρ "
        f"{render_estimate(best.spearman)}."
    )


def realism_warnings(found: RealismFindings) -> tuple[str, ...]:
    """Warnings to the reader."""
    sizes = found.two_sample.real, found.two_sample.simulated
    warnings = []
    if min(sizes) < 50:
        warnings.append(
            f"There are only {sizes[0]} real and {sizes[1]} simulated dialogues; with more, a classifier may "
            "find differences it now misses."
        )
    if found.divergence is None:
        warnings.append("User acts could not be counted on both sides.")
    if not found.predictions:
        warnings.append("No two agents were met by both kinds of users, so their rankings cannot be compared.")
    return tuple(warnings)


MAX_GAPS = 6  # features that give most away; the page about realism has the others


def realism_section(found: RealismFindings, *, users: str, page: str) -> Section:
    """Section on the realism of simulated users and their ranking of systems.

    Args:
        found: the findings about realism.
        users: kind of simulated users.
        page: page that has all of them.
    """
    return Section(
        title=f"Are simulated users like people? ({users})",
        sentences=found.answer,
        columns=columns("Feature of users", "People", "Simulated", "Giveaway (AUC; .5: none)"),
        rows=tuple((gap.title, gap.real, gap.simulated, gap.giveaway) for gap in found.gaps[:MAX_GAPS]),
        page=page,
    )
