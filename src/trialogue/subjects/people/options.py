"""Describe rankings, best–worst choices, checkboxes and choices: one number per option, with an interval."""

from collections.abc import Mapping, Sequence

import numpy as np

from trialogue.inputs.study_data import OptionKind, OptionValue
from trialogue.records import Estimate
from trialogue.seeds import rng_for
from trialogue.stats import cluster_sums, estimate_of_sums
from trialogue.stats.raters.alpha import krippendorff_alpha
from trialogue.stats.resampling.bootstrap import mean_of
from trialogue.subjects.people.records import OptionFindings, OptionRow


def describe_options(
    offered: Sequence[OptionValue],
    counted: frozenset[str] | None,
    titles: Mapping[str, str] | None = None,
    labels: Mapping[str, Mapping[str, str]] | None = None,
) -> tuple[OptionFindings, ...]:
    """Mean rank, best–worst score or share of each option, clustered by rater.

    Of rankings and best–worst choices the best thing comes first, of boxes the one most often ticked. A best–worst score
    is the share of times that something was the best less that of times it was the worst. Of choices, options keep their
    order, and those whose answers count and who did not choose are missing.

    Args:
        offered: what was answered.
        counted: codes of those whose answers count; None: everybody's.
        titles: what questions are called, by name.
        labels: what options are called, by question and option.
    """
    kept = [each for each in offered if counted is None or each.rater in counted]
    ordered = [(each.question, each.kind, each.system) for each in kept if each.kind == "choice"]
    known = {(each.question, each.kind, each.system) for each in kept}
    asked = [*sorted(known - {*ordered}), *dict.fromkeys(ordered)]
    return tuple(
        _describe_options(
            [each for each in kept if (each.question, each.kind, each.system) == one],
            (titles or {}).get(one[0], ""),
            (labels or {}).get(one[0], {}),
            None if counted is None else len(counted),
        )
        for one in asked
    )


def _describe_options(
    offered: Sequence[OptionValue], title: str, labels: Mapping[str, str], people: int | None
) -> OptionFindings:
    first = offered[0]
    by_option: dict[str, list[OptionValue]] = {}
    for each in offered:
        by_option.setdefault(each.option, []).append(each)
    chosen = first.kind == "choice"
    items = by_option.items() if chosen else sorted(by_option.items())
    rows = [_row(labels.get(option) or option, own, first.kind, len(by_option)) for option, own in items]
    sign = 1 if first.kind == "ranking" else -1
    if not chosen:
        rows.sort(key=lambda row: (sign * (row.estimate.value if row.estimate.value is not None else 0.0), row.option))
    raters = len({each.rater for each in offered})
    return OptionFindings(
        question=first.question,
        title=title or first.question.replace("_", " ").capitalize(),
        system=first.system,
        agreement=_agreement(offered) if first.system and chosen else None,
        answer_kind=first.kind,
        answers=len({(each.rater, each.step, each.situation_id) for each in offered}),
        raters=raters,
        missing=people - raters if chosen and people is not None and not first.system else None,
        options=tuple(rows),
    )


def _agreement(offered: Sequence[OptionValue]) -> Estimate:
    """Krippendorff's alpha, nominal, of the options that were chosen for each item."""
    chosen: dict[str, dict[str, str]] = {}
    for each in offered:
        if each.value:
            chosen.setdefault(each.situation_id, {})[each.rater] = each.option
    raters = sorted({rater for row in chosen.values() for rater in row})
    ratings = [[row.get(rater) for rater in raters] for _, row in sorted(chosen.items())]
    return krippendorff_alpha(
        ratings, level="nominal", rng=rng_for(0, "options", offered[0].question, offered[0].system)
    )


def _row(option: str, own: Sequence[OptionValue], kind: OptionKind, options: int) -> OptionRow:
    ends: dict[OptionKind, tuple[float, float]] = {"ranking": (1, options), "best_worst": (-1, 1)}
    values = np.array([each.value for each in own], dtype=float)
    data = cluster_sums(np.column_stack([values, np.ones(len(own))]), [each.rater for each in own])
    best = 1 if kind in ends else None
    return OptionRow(
        option=option,
        estimate=estimate_of_sums(data, mean_of, scale=ends.get(kind, (0, 1))),
        count=int(values.sum()) if kind == "choice" else None,
        best=None if best is None else int(np.sum(values == best)),
        worst=int(np.sum(values == (options if kind == "ranking" else -1))) if best is not None else None,
    )
