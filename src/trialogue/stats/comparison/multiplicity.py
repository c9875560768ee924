"""Correction of p-values for several tests, under any dependence."""

from collections.abc import Sequence

from trialogue.errors import UsageError


def bonferroni(p: Sequence[float | None]) -> list[float | None]:
    """p-values times the number of tests, at most 1; None (no test was possible) stays None and is not counted.

    It is single-step: a test is below a level exactly where the interval at that level over the number of tests leaves the
    tested value out.

    >>> bonferroni([0.01, 0.4, None, 0.03])
    [0.03, 1.0, None, 0.09]
    """
    tested = [each for each in p if each is not None]
    if not all(0 <= each <= 1 for each in tested):
        raise UsageError(f"p-values lie between 0 and 1, got {tested}.")
    return [None if each is None else min(1.0, len(tested) * each) for each in p]
