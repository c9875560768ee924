"""Differences between two systems: samples, pairs, re-estimates, and what is missing."""
