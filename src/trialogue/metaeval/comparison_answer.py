"""What a comparison of two versions says, in sentences."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialogue.metaeval.comparison import Judgement, Light


def comparison_answer(
    light: "Light",
    before: str,
    after: str,
    judgements: Sequence["Judgement"],
    *,
    margin: float | None,
    alpha: float,
) -> tuple[str, ...]:
    """The verdict, what it rests on, and what could not have been seen; the most important sentence first.

    Args:
        light: the verdict.
        before: name of the old version.
        after: name of the new one.
        judgements: of all measures; those that decide, but could not be tested, are named and not counted.
        margin: a loss up to which the new version is not worse.
        alpha: level at which differences were called.
    """
    deciding = [each for each in judgements if each.decides]
    tested = [each for each in deciding if was_tested(each)]
    left = ", ".join(each.measure for each in deciding if not was_tested(each))
    if not deciding:
        return (
            f"Nothing decides between {after} and {before}: of what both were measured by, nothing says which is better.",
            "Evaluate both with a metric that has a direction, or with people's ratings.",
        )
    if not tested:
        return (f"{after} and {before} cannot be compared: what decides could not be tested ({left}).",)
    rested = (
        f"The verdict rests on {len(tested)} measure{'' if len(tested) == 1 else 's'} at {alpha:g}, Holm-corrected."
    )
    beside = f" It does not rest on {left}, which could not be tested." if left else ""
    first = _verdict(light, before, after, deciding, margin)
    return (first, rested + beside, *(_unseen(tested) if light == "cannot tell" else ()))


def was_tested(judged: "Judgement") -> bool:
    """Whether there is a p-value of a measure, or an interval that lies within the margin."""
    return judged.p_adjusted is not None or judged.light == "not worse"


def _verdict(light: "Light", before: str, after: str, deciding: Sequence["Judgement"], margin: float | None) -> str:
    up, down = (_named([each.title for each in deciding if each.light == one]) for one in ("better", "worse"))
    return {
        "better": f"{after} is better than {before} on {up}.",
        "worse": f"{after} is worse than {before} on {down}.",
        "mixed": f"{after} is better than {before} on {up}, and worse on {down}.",
        "not worse": f"{after} is not worse than {before} by more than {margin or 0:g}.",
        "cannot tell": f"{after} and {before} cannot be told apart.",
    }[light]


def _unseen(tested: Sequence["Judgement"]) -> tuple[str, ...]:
    """How small a difference could not have been seen, on the first measure that does not tell."""
    for each in tested:
        interval = each.difference.interval
        if each.light == "cannot tell" and interval is not None:
            half = (interval.high - interval.low) / 2
            return (
                f"On {each.title}, a difference below about {half:.2g} could not have been seen with these data; half of "
                "that needs four times as many.",
            )
    return ()


def _named(titles: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(titles))
