"""Means, shares and ratios with intervals, and tests of their differences."""
