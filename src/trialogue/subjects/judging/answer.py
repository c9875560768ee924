"""Answer about judged systems: which differ, the error of the judge alone, and the savings from using it."""

from collections.abc import Iterator, Sequence

from trialogue.findings.threat import Threat, Validity
from trialogue.findings.threats.summary import conditional_sentence
from trialogue.findings.wording import list_names, p_words, pair_sentences, render_estimate
from trialogue.subjects.judging.records import JudgedDifference, JudgedSystem, JudgedValue

SAME_WIDTH = 0.005  # change of a mean width that rounds to nothing


def answer(
    question: str,
    systems: Sequence[JudgedSystem],
    differences: Sequence[JudgedDifference],
    threats: Sequence[Threat],
    *,
    scope: str = "",
) -> tuple[str, ...]:
    """Sentences, verdict first. A system is named better only if a corrected difference is significant
    (without labels, the judge's own).

    Args:
        question: what people were asked, such as ``task_completion``.
        systems: best first.
        differences: all pairs that have estimates.
        threats: those that the verdicts have passed the gate with.
        scope: what the verdict is about, where that is the judged units alone and not the systems, to follow the question.
    """
    known = [each for each in systems if each.value.leading.value is not None]
    is_corrected = all(each.value.raw is None for each in systems)
    if not known:
        which = "corrected value" if is_corrected else "value"
        return (f"There is no {which} for any system: {systems[0].value.leading.why}.",)
    if not is_corrected:
        return tuple(_verdicts(question.replace("_", " ") + scope, known, differences, threats))
    return (
        *_verdicts(question.replace("_", " ") + scope, known, differences, threats),
        _judge_alone(known),
        *_savings(differences, known),
    )


def _verdicts(
    question: str, known: Sequence[JudgedSystem], differences: Sequence[JudgedDifference], threats: Sequence[Threat]
) -> Iterator[str]:
    """Firm verdicts, then conditional ones; or that no difference was found."""
    decided = [each for each in differences if each.verdict in ("better", "worse")]
    compared = sum(each.verdict != "undefined" for each in differences)
    for validity in (Validity.FIRM, Validity.CONDITIONAL):
        of_it = [each for each in decided if each.validity is validity]
        if of_it:
            text = _differences(question, known, of_it, compared)
            yield text if validity is Validity.FIRM else _conditional(text, of_it, threats)
    if not decided:
        yield _no_difference(question, known, differences, compared)


def _differences(
    question: str, known: Sequence[JudgedSystem], decided: Sequence[JudgedDifference], compared: int
) -> str:
    order = [each.system for each in known]
    better = {_leader_first(each): each for each in decided}
    leading = min(better, key=lambda pair: (order.index(pair[0]), order.index(pair[1])))
    largest = better[leading]
    estimate = largest.value.leading if largest.verdict == "better" else largest.value.leading.negate()
    p = "" if largest.p_adjusted is None else f", p {p_words(largest.p_adjusted)}"
    count = f"; {len(decided)} of {compared} pairs differ after correction for all pairs" if compared > 1 else ""
    return (
        f"On {question}, {pair_sentences(list(better), order)} ({leading[0]} minus {leading[1]}: "
        f"{render_estimate(estimate)}{p}){count}."
    )


def _no_difference(
    question: str, known: Sequence[JudgedSystem], differences: Sequence[JudgedDifference], compared: int
) -> str:
    if len(known) == 1:
        mean = render_estimate(known[0].value.leading)
        return f"{known[0].system} has a {_kind(known)} mean of {mean} on {question}."
    if not compared:
        names = list_names(sorted(each.system for each in known))
        return (
            f"On {question}, {names} cannot be compared: a threat blocks every pair or leaves it without an estimate."
        )
    if compared == 1:
        only = next(each for each in differences if each.verdict != "undefined")
        size = render_estimate(only.value.leading)
        return f"On {question}, {only.a} and {only.b} do not differ significantly ({only.a} minus {only.b}: {size})."
    means = sorted(each.value.leading.value or 0.0 for each in known)
    return (
        f"On {question}, no two of {len(known)} systems differ significantly (0 of {compared} pairs after correction); "
        f"their {_kind(known)} means lie between {means[0]:.2f} and {means[-1]:.2f}."
    )


def _kind(known: Sequence[JudgedSystem]) -> str:
    return "corrected" if known[0].value.raw is None else "raw"


def _conditional(text: str, decided: Sequence[JudgedDifference], threats: Sequence[Threat]) -> str:
    concerned = [t for t in threats if any(t.concerns_pair(each.a, each.b, ahead=None) for each in decided)]
    return conditional_sentence(text, concerned)


def _leader_first(each: JudgedDifference) -> tuple[str, str]:
    return (each.a, each.b) if each.verdict == "better" else (each.b, each.a)


def _judge_alone(known: Sequence[JudgedSystem]) -> str:
    off = max(known, key=lambda each: _error(each.value))
    return (
        f"The judge alone is off by up to {_error(off.value):.2f}: it gives {off.system} {off.value.judge:.2f}; the "
        f"corrected value is {off.value.corrected.value:.2f}."
    )


def _error(value: JudgedValue) -> float:
    return 0.0 if value.corrected.value is None else abs(value.judge - value.corrected.value)


def _savings(differences: Sequence[JudgedDifference], known: Sequence[JudgedSystem]) -> Iterator[str]:
    ratios = [each.value.width_ratio for each in (differences or known) if each.value.width_ratio is not None]
    if not ratios:
        return
    mean = sum(ratios) / len(ratios)
    change = f"{1 - mean:.0%} narrower than" if mean < 1 else f"{mean - 1:.0%} wider than"
    if abs(1 - mean) < SAME_WIDTH:
        change = "as wide as"
    what = "differences" if differences else "means"
    yield f"With the judge, intervals of {what} are on average {change} those of the labels alone."
