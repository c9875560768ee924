"""Correlations of other measures with people's answers, from a few labels and the judge's scores of all units.

What a metric is worth is asked of people's answers, of which there are few; the judge says of the others what people would
have said. The judge's own column is not among the measures: its scores would predict themselves. With several raters, a
correlation is with their mean label, whose noise lowers it: it is not divided by a reliability.
"""

from collections.abc import Mapping, Sequence
from math import isnan
from typing import get_args

from trialogue.records import MeasureName
from trialogue.stats.correction.association import Statistic, corrected_correlation
from trialogue.stats.correction.table import Estimand
from trialogue.subjects.judging.records import JudgedCorrelation
from trialogue.subjects.judging.units import JudgedUnit, Key, table_of

MAX_UNITS = 10_000  # for Kendall's tau, which compares all pairs
STATISTICS: tuple[Statistic, ...] = get_args(Statistic)


def judged_correlations(
    units: Sequence[JudgedUnit],
    columns: Mapping[MeasureName, Mapping[Key, float]],
    *,
    aggregate: str,
    estimand: Estimand,
    drawn_overall: bool,
    confidence: float,
) -> tuple[JudgedCorrelation, ...]:
    """Correlation of each measure with people's answers over all systems together, Spearman's largest first.

    Args:
        units: judged, labelled in part.
        columns: values of the other measures by unit; units without a value are left out.
        aggregate: the code of a rater who is nobody in particular.
        estimand: what is estimated: these units, or their population.
        drawn_overall: labels were drawn over all systems together.
        confidence: confidence level of intervals.

    Returns:
        Pearson's and Spearman's for each measure, and Kendall's for up to 10,000 units.
    """
    found = []
    for measure, values in columns.items():
        own = [unit for unit in units if unit.key in values]
        if not own:
            continue
        table = table_of(own, aggregate=aggregate)
        for statistic in STATISTICS if len(own) <= MAX_UNITS else STATISTICS[:2]:
            made = corrected_correlation(
                table,
                [values[unit.key] for unit in own],
                statistic=statistic,
                estimand=estimand,
                drawn_overall=drawn_overall,
                confidence=confidence,
            )
            found.append(
                JudgedCorrelation(
                    measure=measure,
                    statistic=statistic,
                    units=len(own),
                    judge=None if isnan(made.judge) else made.judge,
                    alone=made.alone,
                    corrected=made.corrected,
                    width_ratio=made.width_ratio,
                )
            )
    lead = {each.measure: each.corrected.value for each in found if each.statistic == "spearman"}

    def place(each: JudgedCorrelation) -> tuple[float, MeasureName, int]:
        value = lead[each.measure]
        return (2.0 if value is None else -value), each.measure, STATISTICS.index(each.statistic)

    return tuple(sorted(found, key=place))
