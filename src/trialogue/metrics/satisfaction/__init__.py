"""Estimated satisfaction: features, weights, and the domain in which they hold."""
