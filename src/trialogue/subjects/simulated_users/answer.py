"""Sentences of a passport: one per part, none for all of them."""

from collections.abc import Iterator

from trialogue.findings.records import Section, columns
from trialogue.findings.threats.texts import GATE_WORDS
from trialogue.findings.wording import list_names, p_words, render_estimate
from trialogue.records import Estimate, MeasureName
from trialogue.records.kinds.suspicions import HINTS
from trialogue.subjects.simulated_users.records import (
    Behavior,
    Cost,
    Discriminator,
    Distance,
    KnownGroup,
    PassportFindings,
    PassportPart,
    RankingValidity,
    Sample,
    Stability,
)

PART_TITLES = {
    PassportPart.BEHAVIOR: "Behavior",
    PassportPart.RANKING: "Ranking validity",
    PassportPart.KNOWN_GROUPS: "Known groups",
    PassportPart.STABILITY: "Stability",
    PassportPart.GATES: "Gates",
    PassportPart.COST: "Cost",
}
NONE = "—"
MAX_NAMED = 3  # outcomes or gates in a sentence


def passport_answer(found: PassportFindings) -> tuple[str, ...]:
    """One sentence for each part, those that could not be had with the reason."""
    return tuple(f"{PART_TITLES[part]}: {' '.join(sentences_of(found, part))}" for part in PassportPart)


def headline(found: PassportFindings) -> str:
    """The first line of a page: behavior in a few words. The parts below it are not summed up.

    A verdict about validity would read like one of the whole; similarity to people says nothing of it.
    """
    classifier = found.behavior.discriminators[0].auc if found.behavior is not None else None
    if classifier is None:
        return "Not compared with real users."
    if found.is_blocked:
        return "No verdict on behavior: see the threats."
    if classifier.value is None:
        return "Too few users to compare with real ones."
    kind = "Distinguishable from" if _is_distinguished(classifier) else "Not distinguished from"
    return f"{kind} real users (AUC {classifier.value:.2f})."


def _is_distinguished(classifier: Estimate) -> bool:
    low = classifier.interval.low if classifier.interval else classifier.value or 0.5
    return low > 0.5


def sentences_of(found: PassportFindings, part: PassportPart) -> list[str]:
    """Sentences on one part."""
    said = list(_SENTENCES[part](found))
    said += [f"Not known: {each.why}." for each in found.missing if each.part is part]
    return said


def _behavior(found: PassportFindings) -> Iterator[str]:
    behavior = found.behavior
    if behavior is None:
        return
    if found.is_blocked:
        yield "no verdict, see the threats."
        return
    classifier = behavior.discriminators[0].auc
    if classifier.value is None:
        yield f"no classifier ({classifier.why})."
    else:
        yield _classifier_sentence(behavior, classifier)
    above = [each for each in behavior.distances if each.excess.interval and each.excess.interval.low > 0]
    known = [each for each in behavior.distances if each.excess.value is not None]
    if above:
        yield (
            f"Simulated users differ more from real users than real users do from one another in "
            f"{list_names([_respect(each) for each in above])}."
        )
    elif known:
        yield (
            f"In {list_names([_respect(each) for each in known])}, simulated users do not differ more from real users than "
            "real users do from one another."
        )


def _classifier_sentence(behavior: Behavior, classifier: Estimate) -> str:
    verdict = (
        "distinguishes simulated from real users"
        if _is_distinguished(classifier)
        else "finds no difference from real users"
    )
    trivial = _strongest([each for each in behavior.discriminators if each.is_trivial])
    beside = f"; {trivial.title} has {render_estimate(trivial.auc)}" if trivial is not None else ""
    half = behavior.split_half
    yardstick = f"; halves of the real users {render_estimate(half)}" if half.value is not None else ""
    unfair = " (not .5, so the classifier's own error is larger than its interval)" if behavior.is_fair is False else ""
    return f"a classifier {verdict} (AUC {render_estimate(classifier)}{beside}{yardstick}{unfair})."


def _strongest(trivial: list[Discriminator]) -> Discriminator | None:
    known = [each for each in trivial if each.auc.value is not None]
    return max(known, key=lambda each: abs((each.auc.value or 0.5) - 0.5), default=None)


def _respect(each: Distance) -> str:
    return f"{each.name} ({each.value.value:.2f} against {each.yardstick.value:.2f})"


def _ranking(found: PassportFindings) -> Iterator[str]:
    for each in found.rankings[:MAX_NAMED]:
        yield _ranking_sentence(each)
    if len(found.rankings) > MAX_NAMED:
        yield f"{len(found.rankings) - MAX_NAMED} more pairs of outcomes are in the table."


def words_of_real(each: RankingValidity) -> str:
    """By what real users, or their dialogues, put systems in order."""
    measure = MeasureName(each.real.measure)
    return f"ratings of {measure.prose}" if measure.is_judgement else f"{measure.prose} in their dialogues"


def _ranking_sentence(each: RankingValidity) -> str:
    names = f"by {MeasureName(each.simulated.measure).prose}, against real users by {words_of_real(each)}"
    pairs = f"{each.concordant:g} of {each.pairs} pairs of systems in the same order"
    if each.refusal is not None:
        return f"{names}: {pairs}, but {each.refusal}."
    interval = f" ({render_estimate(each.concordance)})" if each.concordance.interval else ""
    kind = "exact " if each.is_exact else ""
    p = f", {kind}p {p_words(each.p)}" if each.p is not None else ""
    return f"{names}: {pairs}{interval}{p}."


def _known_groups(found: PassportFindings) -> Iterator[str]:
    for each in found.known_groups:
        yield _dose_sentence(each)


def _dose_sentence(each: KnownGroup) -> str:
    doses = ", ".join(f"{render_estimate(dose.outcome)} at {dose.share:.0%}" for dose in each.doses)
    share = each.order_share.value
    order = "" if share is None else f"; it falls with every dose in {share:.0%} of resamples"
    needed = (
        f", and would in 80% of them from {each.needed:,} users on"
        if each.needed is not None
        else ", and in 80% of them with none of the numbers of users tried (up to 2,000)"
        if share is not None
        else ""
    )
    return f"{MeasureName(each.measure).prose} of {each.agent} with replies {each.way}: {doses}{order}{needed}."


def _stability(found: PassportFindings) -> Iterator[str]:
    for each in found.stability:
        yield _stability_sentence(each)


def _stability_sentence(each: Stability) -> str:
    widest = max(each.spreads, key=lambda spread: spread.spread)
    name = MeasureName(each.measure).prose
    over = f"over {len(each.levels)} {each.factor.value}s"
    spread = f"{widest.spread:.3f} ({widest.by_chance:.3f} by chance alone)"
    if len(each.spreads) == 1:
        text = f"{over}, {name} of {widest.system} has a range of {spread}"
    else:
        orders = "one order" if each.orders == 1 else f"{each.orders} different orders"
        of_all = f"{over}, {name} gives {orders} of {len(each.spreads)} systems"
        text = f"{of_all}; {widest.system} has the widest range, {spread}"
    if each.shares is None:
        return f"{text}."
    shares = each.shares
    return (
        f"{text}; shares of variance: systems {render_estimate(shares.systems)}, {each.factor.value}s "
        f"{render_estimate(shares.levels)}, their interaction {render_estimate(shares.both)}, dialogues "
        f"{render_estimate(shares.rest)}."
    )


def _gates(found: PassportFindings) -> Iterator[str]:
    gates = found.gates
    if gates is None:
        return
    shares = {each.gate: each for each in gates.shares}
    overall = shares[None].simulated
    if overall.value is None:
        yield f"{overall.why}."
        return
    worst = sorted(
        (
            (each.simulated.value, GATE_WORDS[gate])
            for gate, each in shares.items()
            if gate and gate not in HINTS and each.simulated.value
        ),
        reverse=True,
    )[:MAX_NAMED]
    which = f" ({', '.join(f'{words} {value:.1%}' for value, words in worst)})" if worst else ""
    real = shares[None].real
    beside = f"; in real users' dialogues, {real.value:.1%}" if real.value is not None else ""
    yield f"the user is at fault in {overall.value:.1%} of {overall.n} dialogues{which}{beside}."


def _cost(found: PassportFindings) -> Iterator[str]:
    cost = found.cost
    if cost is None:
        return
    yield f"{cost_text(cost)}."
    worded = sum(cost.wordings.values())
    if worded:
        rejected = worded - cost.wordings.get("model", 0)
        yield f"{rejected:,} of {worded:,} phrasings by the model were rejected and replaced with the agenda's."


def cost_text(cost: Cost) -> str:
    """Cost per dialogue, as a clause."""
    parts = [f"{render_estimate(cost.turns)} user messages"]
    if cost.calls is not None:
        parts.append(f"{cost.calls:.1f} model calls")
        if cost.tokens_in is not None and cost.tokens_out is not None:
            parts[-1] += f", {cost.tokens_in:,.0f} + {cost.tokens_out:,.0f} tokens"
    if cost.money is not None:
        parts.append(f"{cost.money:.4g} {cost.currency or ''}".strip())
    if cost.seconds is not None:
        parts.append(f"{cost.seconds:.3g} s")
    why = f" ({cost.why})" if cost.why is not None else ""
    return f"a dialogue takes {list_names(parts)}{why}"


_SENTENCES = {
    PassportPart.BEHAVIOR: _behavior,
    PassportPart.RANKING: _ranking,
    PassportPart.KNOWN_GROUPS: _known_groups,
    PassportPart.STABILITY: _stability,
    PassportPart.GATES: _gates,
    PassportPart.COST: _cost,
}


def sample_of(found: PassportFindings, part: PassportPart) -> Sample | None:
    """Sample of a part; None if the part is missing."""
    match part:
        case PassportPart.BEHAVIOR:
            return found.behavior.sample if found.behavior else None
        case PassportPart.RANKING:
            first = found.rankings[0] if found.rankings else None
            if first is None:
                return None
            own, other = first.simulated.sample, first.real.sample
            return Sample(real=other.real, people=other.people, simulated=own.simulated, cases=own.cases)
        case PassportPart.KNOWN_GROUPS:
            return found.known_groups[0].sample if found.known_groups else None
        case PassportPart.STABILITY:
            return found.stability[0].sample if found.stability else None
        case PassportPart.GATES:
            return found.gates.sample if found.gates else None
        case PassportPart.COST:
            return found.cost.sample if found.cost else None


def sample_text(sample: Sample | None) -> str:
    """A sample in a cell."""
    if sample is None:
        return NONE
    parts = []
    if sample.simulated:
        parts.append(f"{sample.simulated:,} simulated ({sample.cases:,} users)")
    if sample.real:
        parts.append(f"{sample.real:,} real ({sample.people:,} users)")
    return ", ".join(parts)


def passport_section(found: PassportFindings, *, page: str) -> Section:
    """The six parts of the simulated users' passport, each with its sample.

    Args:
        found: the passport.
        page: page that has all of it.
    """
    return Section(
        title=f"Passport of the simulated users ({found.users})",
        sentences=(f"What is known about these users, part by part; all of it is in {page}.",),
        columns=columns("Part", "What it says", "Dialogues"),
        rows=tuple(
            (PART_TITLES[part], " ".join(sentences_of(found, part)), sample_text(sample_of(found, part)))
            for part in PassportPart
        ),
    )
