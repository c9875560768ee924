"""Recommendation metrics: which items, when, and whether they are accepted."""
