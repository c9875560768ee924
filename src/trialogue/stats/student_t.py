"""Student's t distribution, without importing ``scipy.stats``, which takes a second; the values are the same."""


def t_quantile(p: float, freedom: float) -> float:
    """Quantile of the t distribution.

    >>> round(t_quantile(0.975, 10), 3)
    2.228
    """
    from scipy.special import stdtrit

    return float(stdtrit(freedom, p))


def two_sided_p(t: float, freedom: float) -> float:
    """Two-sided p-value of a t statistic.

    >>> round(two_sided_p(-2.228, 10), 3)
    0.05
    """
    from scipy.special import stdtr

    return float(2 * stdtr(freedom, -abs(t)))
