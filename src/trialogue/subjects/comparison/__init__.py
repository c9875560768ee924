"""Comparison of two versions of one system: better, worse, equivalent, or inconclusive."""
